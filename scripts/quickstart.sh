#!/bin/sh
# SPDX-License-Identifier: 0BSD
# quickstart.sh - build warmbox and show, on this machine, what it is for
#
# Installs what the build is missing (as root, with apt-get), builds ./warmbox, and compares it
# with one readahead(2) call per file and with cat, from a cold cache. Nothing but ./warmbox and
# the build's own files stays behind. Takes well under a minute.

set -u
# Mounts of our own, where that is allowed: a mount namespace that somebody makes meanwhile (a
# container, a service) would copy common ones, and hold what they have in memory.
if [ "$(id -u)" = 0 ] && [ ! "${QUICKSTART_PRIVATE-}" ] &&
		/usr/bin/unshare -m true 2>/dev/null; then
	QUICKSTART_PRIVATE=1 exec /usr/bin/unshare -m sh "$0"
fi
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
# By path: busybox sh would run its own applets, and its umount frees the loop device.
losetup=/sbin/losetup mount=/bin/mount umount=/bin/umount
root=false
[ "$(id -u)" = 0 ] && root=:

die() { echo "quickstart: $*" >&2; exit 1; }

# ---- packages

lacking() {	# COMMAND PACKAGE pairs: prints the packages whose command is not there
	while [ $# -gt 1 ]; do
		command -v "$1" >/dev/null || echo "$2"
		shift 2
	done
}

must=$(lacking gcc gcc make make musl-gcc musl-tools xargs findutils)
nice=$(lacking kconfig-conf kconfig-frontends-nox mkfs.ext4 e2fsprogs $losetup mount)
# shellcheck disable=SC2086 # words
if [ "$must$nice" ]; then
	set -- $must $nice
	get="apt-get install -y --no-install-recommends $*"
	if $root && command -v apt-get >/dev/null; then
		echo "Installing: $*"
		export DEBIAN_FRONTEND=noninteractive
		$get >/dev/null 2>&1 || { apt-get update && $get; } >/dev/null ||
			echo "quickstart: apt-get could not install all of it" >&2
		must=$(lacking gcc gcc make make musl-gcc musl-tools xargs findutils)
	fi
	[ -z "$must" ] || die "the build needs more; as root, on Debian: $get"
fi

# ---- build

# Not ours: settings of a make or shell around us
unset MAKEFLAGS MAKELEVEL O
make >/dev/null || die "the build failed"
warmbox=$PWD/warmbox
[ -x "$warmbox" ] || die "the build made no $warmbox"
for needed in 'readahead -R,' 'pagecache-stat -b,'; do
	"$warmbox" "${needed% *}" --help 2>&1 | grep -q -e "${needed#* }" ||
		die "this .config is without ${needed%,}; try: make defconfig"
done
echo "Built ./warmbox, static: $(wc -c <"$warmbox") bytes"

# ---- a place to show it

tmp='' device='' kept_ra='' mounted=false
cleanup() {
	trap '' INT TERM HUP
	if $mounted; then $umount "$tmp/fs"; fi
	[ ! "$kept_ra" ] || echo "$kept_ra" >"/sys/block/${device#/dev/}/queue/read_ahead_kb"
	if [ "$device" ]; then $losetup -d "$device"; fi
	if [ "$tmp" ]; then rm -rf "$tmp"; fi
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# tmpfs has no disk behind it: nothing to load there, and nothing to drop.
for dir in "${TMPDIR:-/var/tmp}" /var/tmp "$PWD" "$HOME"; do
	case $(stat -f -c %T "$dir" 2>/dev/null) in
	''|tmpfs|ramfs) continue ;;
	esac
	free=$(df -Pk "$dir" | awk 'END { print $4 }')
	[ "$free" -gt 700000 ] && tmp=$(mktemp -d "$dir/warmbox.XXXXXX") && break
done
[ "$tmp" ] ||
	die "built ./warmbox; no directory on a disk with 700 MB free to show it in (set TMPDIR)"

for tool in evict incore onecall; do
	musl-gcc -static -Os -o "$tmp/$tool" testsuite/tools/$tool.c || die "cannot build $tool"
done

make_image() {	# an ext4 image on a loop device, set as boards are; or says why not
	$root || { echo "not root"; return 1; }
	truncate -s 600M "$tmp/image"
	mkfs.ext4 -q -F -m 0 -E lazy_itable_init=0,lazy_journal_init=0 "$tmp/image" \
			>/dev/null 2>&1 ||
		{ echo "no mkfs.ext4"; return 1; }
	# Direct I/O: else the pages of the image file are a second cache below the first.
	device=$($losetup --direct-io=on -f --show "$tmp/image" 2>/dev/null ||
		$losetup -f --show "$tmp/image" 2>/dev/null) || { echo "no loop device"; return 1; }
	queue=/sys/block/${device#/dev/}/queue
	ra=$(cat "$queue/read_ahead_kb")
	echo 128 2>/dev/null >"$queue/read_ahead_kb" && kept_ra=$ra
	mkdir "$tmp/fs"
	$mount -t ext4 "$device" "$tmp/fs" 2>/dev/null || { echo "mount is not allowed"; return 1; }
	mounted=:
}

make_image >"$tmp/why"
fs=$tmp/fs
if $mounted; then
	echo "On an ext4 image: $device, read_ahead_kb=$(cat "$queue/read_ahead_kb")," \
		"max_sectors_kb=$(cat "$queue/max_sectors_kb")"
else
	fs=$tmp/plain
	mkdir "$fs"
	echo "On plain files in $fs: $(cat "$tmp/why"), so this disk's own read-ahead" \
		"setting applies instead of the usual 128 KiB of boards."
fi

dd if=/dev/urandom of="$fs/big" bs=1M count=256 2>/dev/null || die "cannot write $fs/big"
for tree in /usr/lib/python3 /usr/lib/python3.* /usr/share/perl /usr/share/locale \
	/usr/share/doc /usr/share/zoneinfo /usr/include /usr/lib /etc; do
	[ -d "$tree" ] || continue
	files=$(find "$tree" -xdev -type f 2>/dev/null | wc -l)
	kib=$(du -skx "$tree" 2>/dev/null | cut -f1)
	[ "$files" -ge 300 ] && [ "$files" -le 10000 ] && [ "$kib" -le 200000 ] && break
	tree=
done
cp -RP "$tree" "$fs/tree" 2>/dev/null
printf '%s\0' "$fs/big" >"$tmp/big.list"
find "$fs/tree" -type f -size +0 -print0 >"$tmp/tree.list"
echo "big:  256 MiB, one file"
echo "tree: $(tr -cd '\0' <"$tmp/tree.list" | wc -c) files, a copy of $tree"
echo

# ---- show it

# Counted by mincore(2), apart from the box: "PERCENT EVICTED PAGES", PERCENT rounded down.
count() {
	"$tmp/incore" <"$tmp/$1.list" |
		awk '{ printf "%.1f%% %d %d\n", int($1 * 1000 / $2) / 10, $3, $1 }'
}
# Nothing of the list in memory, seen to be so. A mount elsewhere keeps what ours has cached, so
# that a new mount finds it again. Only our own pages are dropped, not the machine's.
held=false
cold() {
	if $mounted; then
		$umount "$fs" || die "cannot unmount $fs"
		"$tmp/evict" "$tmp/image"
		[ ! -d "/proc/fs/ext4/${device#/dev/}" ] || held=:
		$mount -t ext4 "$device" "$fs" || die "cannot mount $fs again"
	fi
	for wait in 0 0.2 1 1 1; do
		case $(count "$1") in *' 0') return 0 ;; esac
		sleep $wait
		sync
		xargs -0 "$tmp/evict" <"$tmp/$1.list"
	done
	case $(count "$1") in *' 0') ;; *) return 1 ;; esac
}
# Moves when somebody else says "echo 3 >/proc/sys/vm/drop_caches": that spoils a row.
drops() { awk '/^drop_pagecache/ { print $2 }' /proc/vmstat; }
now() { cut -d' ' -f1 /proc/uptime; }
stat_big() {
	if [ "$1" = big ]; then
		echo '  $ warmbox pagecache-stat big'
		(cd "$fs" && "$warmbox" pagecache-stat big) | sed 's/^/    /'
	fi
}

try() {	# big|tree, the tool's name, what a reader would type, the command: one row of the table
	what=$1 tool=$2 words=$3
	shift 3
	again=5
	while :; do
		note='' seen=$(drops)
		cold "$what" || note="not cold"
		{
			stat_big "$what"
			echo "  \$ $words"
			before=$(count "$what")
			start=$(now)
			"$@" <"$tmp/$what.list" >/dev/null || die "$words: failed"
			end=$(now)
			sleep 1	# what was only asked for may still be on its way
			after=$(count "$what")
			stat_big "$what"
		} >"$tmp/shown"
		case $before in *' 0') ;; *) note="not cold" ;; esac
		[ ! "$note" ] || break
		case $after in *' 0 '*) [ "$(drops)" != "$seen" ] || break ;; esac
		again=$((again - 1))
		[ $again -gt 0 ] || { note="pages were taken away"; break; }
	done
	[ "$what" = tree ] || cat "$tmp/shown"
	echo "$start $end $before $after" | awk -v tool="$tool" -v what="$what" -v note="$note" \
		'{ printf "%-20s %-5s %8.2f %16s %15s%s\n", tool, what, $2 - $1, $3, $6,
			(note ? "  " : "") note }' >>"$tmp/$what.rows"
}

if command -v toybox >/dev/null && toybox readahead --help >/dev/null 2>&1; then
	one='toybox readahead' onecall='toybox readahead'
else
	one='onecall' onecall=$tmp/onecall
fi

echo "One readahead(2) call per file, as other tools make it:"
# shellcheck disable=SC2086 # two words
{
	try big "$one" "$one big" xargs -0 $onecall
	try tree "$one" "$one tree/..." xargs -0 $onecall
}
echo
echo "As many as it takes, and waiting for them:"
try big 'warmbox readahead -w' 'warmbox readahead -w big' "$warmbox" readahead -w "$fs/big"
try tree 'warmbox readahead -w' 'warmbox readahead -w -R tree' "$warmbox" readahead -w -R "$fs/tree"
echo
try big cat 'cat big' xargs -0 cat >/dev/null
try tree cat '' xargs -0 cat

printf '%-20s %-5s %8s %16s %15s\n' TOOL WHAT SECONDS 'RESIDENT BEFORE' 'RESIDENT AFTER'
cat "$tmp/big.rows" "$tmp/tree.rows"

if $held; then
	echo
	echo "Another mount namespace has the image mounted too: the files' own pages were dropped,"
	echo "but inodes and directories stayed in memory, and the tree was quicker for that."
fi
if grep -q 'not cold$' "$tmp/big.rows" "$tmp/tree.rows"; then
	echo >&2
	die "these files could not be made cold, somebody holds them in memory; rows marked" \
		"\"not cold\" say nothing"
elif grep -q 'taken away$' "$tmp/big.rows" "$tmp/tree.rows"; then
	echo >&2
	die "somebody dropped these files from memory in each of 5 runs; rows so marked say nothing"
fi
