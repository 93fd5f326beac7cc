# SPDX-License-Identifier: 0BSD
# testing.sh - what a .tests file works with; runtest starts it in an empty directory of its own,
# with the applets and testsuite/tools on PATH.
#
# mount, umount, losetup, setpriv are called by path: busybox sh would take its own, which differ.

set -u
skip=
mnt=$PWD/mnt		# where image mounts; until then an ordinary directory
mkdir mnt

# Explicit drops of the whole cache, by anybody.
drops() {
	awk '$1 == "drop_pagecache" { print $2 }' /proc/vmstat 2>/dev/null
}

# Whether the kernel took pages of our files: DAMON's reclaim does within seconds, memory or not,
# and no counter of /proc/vmstat tells. What evict and umount take does not count.
reclaimed() {
	find "$mnt" -xdev -maxdepth 6 -type f -exec cachestat {} + 2>/dev/null |
		awk '{ n += $2 } END { exit !n }'
}

# testing NAME COMMAND STDOUT [STATUS [STDERR_GLOB]]
# Runs COMMAND in a subshell. Its output must be the lines STDOUT, its status STATUS (0), and
# stderr empty or match the glob. What failed while somebody else took pages out of the cache is
# tried again, so COMMAND brings about by itself what it wants to find.
testing() {
	_skip=$skip
	# so many commands wait that this is seen to here, not by needs
	case $2 in
		*' -w'*|*--wait*) has FEATURE_WAIT || _skip="no FEATURE_WAIT here" ;;
	esac
	if [ -n "$_skip" ]; then
		printf 'ok - %s: %s # SKIP %s\n' "$TEST_FILE" "$1" "$_skip"
		return 0
	fi
	printf '%s' "${3:+$3
}" >"$STATE/want"
	for _try in 1 2 3 4 5; do
		_drops=$(drops)
		_rc=0
		(eval "$2") >"$STATE/out" 2>"$STATE/err" </dev/null || _rc=$?
		_why=
		cmp -s "$STATE/want" "$STATE/out" || _why="stdout"
		[ "$_rc" = "${4:-0}" ] || _why="$_why status"
		# shellcheck disable=SC2254	# a glob is what it is
		case $(cat "$STATE/err") in
			${5-}) ;;
			*) _why="$_why stderr" ;;
		esac
		if [ -z "$_why" ]; then
			[ "$_try" = 1 ] || printf '# try %s: ' "$_try"
			[ "$_try" = 1 ] || printf '%s: %s\n' "$TEST_FILE" "$1"
			printf 'ok - %s: %s\n' "$TEST_FILE" "$1"
			return 0
		fi
		[ "$_drops" != "$(drops)" ] || reclaimed || once_more "$2" || break
	done
	printf 'not ok - %s: %s\n' "$TEST_FILE" "$1"
	{
		printf 'wrong: %s\ncommand: %s\nstatus: %s, expected %s\n' \
			"$_why" "$2" "$_rc" "${4:-0}"
		printf 'expected on stdout:\n'
		sed 's/^/  /' "$STATE/want"
		printf 'got on stdout:\n'
		head -c 4096 "$STATE/out" | sed 's/^/  /'
		printf '\nexpected on stderr: %s\ngot on stderr:\n' "${5-}"
		head -c 4096 "$STATE/err" | sed 's/^/  /'
		echo
	} | sed 's/^/# /'
	return 0
}

# once_more COMMAND
# A machine may take single pages away and leave no trace (virtual machines that reclaim idle
# memory): what looks at the cache fails when it fails each time.
once_more() {
	case $1 in
		*cold*|*evict*|*resident*|*incore*|*cachestat*) ;;
		*) return 1 ;;
	esac
}

# needs WORD...
# The tests that follow, to the next needs, are skipped unless the machine has all of it: one of
# the words below, a filesystem, a command, or a configuration symbol.
needs() {
	skip=
	for _word in "$@"; do
		has "$_word" && continue
		skip="no $_word here"
		return 0
	done
}

has() {
	case $1 in
		root) [ "$(id -u)" = 0 ] ;;
		loop) has root && [ -e /dev/loop-control ] && once loop probe_loop ;;
		ext4|xfs|btrfs) has loop && filesystem "$1" && has "mkfs.$1" ;;
		erofs) has loop && filesystem erofs && has mkfs.erofs ;;
		squashfs) has loop && filesystem squashfs && has mksquashfs ;;
		overlay|tmpfs|ramfs) has root && filesystem "$1" && has unshare ;;
		fuse) has root && [ -e /dev/fuse ] && filesystem fuse ;;
		hugepages) has root && has unshare &&
			grep -q "^HugePages_Free: *[1-9]" /proc/meminfo ;;
		userns) as_user unshare -Ur true 2>/dev/null ;;
		cachestat) cachestat "$STATE/want" >"$STATE/probe" 2>&1 ;;
		user) has root && as_user true 2>/dev/null ;;
		seccomp) deny 451 38 true ;;
		strace) once strace strace -qq -e trace=none true ;;
		memcg) has root && [ -n "$(memcg_root)" ] ;;
		mknod) has root && once mknod mknod "$STATE/node" c 1 3 ;;
		fincore-2.38) /usr/bin/fincore -V 2>/dev/null | grep -q ' 2\.38' ;;
		musl) has static && ! grep -qa 'Fatal glibc' "$WARMBOX" ;;
		static) ! readelf -l "$WARMBOX" | grep -q INTERP ;;
		[A-Z]*) [ -z "${CONFIG-}" ] || grep -qx "CONFIG_$1=y" "$CONFIG" ;;
		/*) [ -e "$1" ] ;;
		*) command -v "$1" >/dev/null ;;
	esac
}

# What the box says of errors in this configuration; the tests know no other.
while read -r _name _number _text; do
	has FEATURE_ERROR_TEXTS || _text="error $_number"
	eval "$_name=\$_text"
done <<END
EPERM 1 Operation not permitted
ENOENT 2 No such file or directory
EIO 5 Input/output error
EBADF 9 Bad file descriptor
EACCES 13 Permission denied
EEXIST 17 File exists
ENOTDIR 20 Not a directory
EISDIR 21 Is a directory
ENOSPC 28 No space left on device
END

# once NAME COMMAND...: the status of COMMAND, which runs the first time only
once() {
	_probe=$STATE/probe.$1
	shift
	if [ ! -e "$_probe" ]; then
		"$@" >/dev/null 2>&1
		echo $? >"$_probe"
	fi
	return "$(cat "$_probe")"
}

probe_loop() {
	truncate -s 1M "$STATE/probe.img" &&
	_dev=$(/sbin/losetup -f --show "$STATE/probe.img") &&
	/sbin/losetup -d "$_dev"
}

filesystem() {
	grep -qw "$1" /proc/filesystems ||
		{ modprobe "$1" 2>/dev/null && grep -qw "$1" /proc/filesystems; }
}

user="/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups"
as_user() {
	$user "$@"
}

# image SIZE_MB [FSTYPE [MKFS_OPTION...]]
# An empty filesystem (ext4, 4 KiB blocks) of its own at $mnt, on the loop device $dev; runtest
# takes it away. For squashfs and erofs the directory to pack is given in place of SIZE_MB.
image() {
	[ -z "$skip" ] || return 0
	_size=$1 _type=${2:-ext4}
	shift $(($# > 2 ? 2 : $#))
	unmount
	rm -f image
	case $_type in
		squashfs) mksquashfs "$_size" image -quiet -no-progress "$@" ;;
		erofs) mkfs.erofs "$@" image "$_size" ;;
		ext4) truncate -s "${_size}M" image && mkfs.ext4 -q -b 4096 "$@" image ;;
		*) truncate -s "${_size}M" image && "mkfs.$_type" -q "$@" image ;;
	esac >"$STATE/mkfs" 2>&1 || { cat "$STATE/mkfs" >&2; exit 1; }
	dev=$(/sbin/losetup -f --show image) || exit 1
	echo "$dev" >>"$STATE/loops"
	/bin/mount "$dev" "$mnt" || exit 1
	echo "$mnt" >>"$STATE/mounts"
	queue 128 1280
	case $_type in
		squashfs|erofs) ;;
		*) chmod 755 "$mnt" ;;
	esac
}

unmount() {
	sh "$TESTSUITE/cleanup" "$STATE"
}

# queue READ_AHEAD_KB MAX_SECTORS_KB: the limits of $dev, checked. Order matters: rotational and
# max_sectors_kb set read_ahead_kb anew; and a loop device keeps what its last user left.
queue() {
	[ -z "$skip" ] || return 0
	_q=/sys/block/${dev#/dev/}/queue
	echo 0 >"$_q/rotational"
	_max=$(cat "$_q/max_hw_sectors_kb")
	echo $(($2 < _max ? $2 : _max)) >"$_q/max_sectors_kb"
	echo 256 >"$_q/nr_requests" 2>/dev/null || :	# not before a scheduler is set
	echo "$1" >"$_q/read_ahead_kb"
	[ "$(cat "$_q/read_ahead_kb")" = "$1" ] ||
		{ echo "$_q/read_ahead_kb is not $1" >&2; exit 1; }
}

# cold FILE...: each on disk and not in the page cache; nothing else on the machine is dropped
cold() {
	for _file; do
		for _try in 1 2 3 4 5 6 7 8 9 10; do	# what is being read at this moment stays
			evict "$_file"
			case $(resident "$_file") in
				0/*) continue 2 ;;
			esac
			sleep 0.1
		done
		echo "$_file stays in the page cache" >&2
		return 1
	done
}

# random FILE BYTES|MEGABYTES"M": a file of that size, written to disk
random() {
	case $2 in
		*M) set -- "$1" $((${2%M} << 20)) ;;
	esac
	head -c "$2" /dev/urandom >"$1" && sync "$1"
}

# Where the memory controller is: v1, or v2 with memory given to children.
memcg_root() {
	if [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		echo /sys/fs/cgroup/memory
	elif grep -qsw memory /sys/fs/cgroup/cgroup.subtree_control; then
		echo /sys/fs/cgroup
	fi
}

# memcg BYTES COMMAND...: COMMAND in a memory cgroup of its own; says so when it was OOM-killed
memcg() {
	_cg=$(memcg_root)/warmbox-test.$$
	mkdir "$_cg"
	echo "$_cg" >>"$STATE/cgroups"
	for _f in memory.limit_in_bytes memory.max; do
		[ ! -e "$_cg/$_f" ] || echo "$1" >"$_cg/$_f"
	done
	shift
	# shellcheck disable=SC2016	# the inner shell expands
	_rc=0
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$_cg" "$@" || _rc=$?
	sed -n 's/^oom_kill \([1-9]\)/OOM killed: \1/p' "$_cg/memory.oom_control" \
		"$_cg/memory.events" 2>/dev/null
	rmdir "$_cg"
	return $_rc
}
