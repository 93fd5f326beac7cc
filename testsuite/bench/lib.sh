# SPDX-License-Identifier: 0BSD
# lib.sh - what the benches share: an image, cold and warm runs, tables, verdicts

losetup=/sbin/losetup mount=/bin/mount umount=/bin/umount	# not busybox's own
fs=$tmp/fs device='' queue=''

die() { echo "bench: $*" >&2; exit 1; }
has() { command -v "$1" >/dev/null; }

tear_down() {
	for d in /sys /proc /dev /tmp ''; do
		grep -q " $fs$d " /proc/mounts && $umount "$fs$d"
	done
	if [ "$device" ]; then
		# shellcheck disable=SC2086 # words
		settings $old_settings >/dev/null
		$losetup -d "$device"
		device=''
	fi
	while grep -q " $tmp/medium " /proc/mounts && ! $umount "$tmp/medium" 2>/dev/null; do
		sleep 0.1
	done
	rm -rf "$tmp"
}

# A loop device keeps what its last user set, and writing one of the first two resets
# read_ahead_kb. With nr_requests <= 128 nothing is merged.
settings() {	# rotational max_sectors_kb scheduler nr_requests read_ahead_kb
	for s in rotational max_sectors_kb scheduler nr_requests read_ahead_kb; do
		echo "$1" 2>/dev/null >"$queue/$s"
		shift
	done
	sed 's/.*\[\(.*\)\].*/\1/' "$queue/rotational" "$queue/max_sectors_kb" "$queue/scheduler" \
		"$queue/nr_requests" "$queue/read_ahead_kb" | tr '\n' ' '
}

image() {	# MB INODES: an empty ext4 image, mounted at $fs; set as boards are
	truncate -s "$1M" "$tmp/image"
	mkfs.ext4 -q -F -m 0 -N "$2" -E lazy_itable_init=0,lazy_journal_init=0 "$tmp/image" ||
		die "mkfs.ext4 failed"
	device=$($losetup --direct-io=on -f --show "$tmp/image") || die "no loop device"
	queue=/sys/block/${device#/dev/}/queue
	old_settings=$(sed 's/.*\[\(.*\)\].*/\1/' "$queue/rotational" "$queue/max_sectors_kb" \
		"$queue/scheduler" "$queue/nr_requests" "$queue/read_ahead_kb" | tr '\n' ' ')
	is=$(settings 0 1280 mq-deadline 256 128)
	[ "$is" = '0 1280 mq-deadline 256 128 ' ] || echo "bench: queue settings are $is" >&2
	mkdir -p "$fs"
	$mount -t ext4 "$device" "$fs" || die "cannot mount $device"
}

# Not only a drop: what was written a moment ago is held by the journal, drop_caches or not.
remount() {
	$umount "$fs" || die "cannot unmount $fs"
	"$tools/evict" "$tmp/image"
	$mount -t ext4 "$device" "$fs" || die "cannot mount $fs again"
}

drops() { awk '/^drop_pagecache/ { print $2 }' /proc/vmstat; }
# Completed reads of the device, once none is on its way any more
reads() {
	until awk '{ exit $9 != 0 }' "$queue/../stat"; do sleep 0.01; done
	awk '{ print $1 }' "$queue/../stat"
}

# Each run adds a line to $tmp/runs/TOOL: CPU_us WALL_us READS RESIDENT TOTAL. A run during which
# somebody dropped the cache, or reclaim took pages away (only cachestat knows), is repeated.
one_run() {	# cold|warm LIST TIMES TOOL COMMAND...
	how=$1 list=$2 times=$3 tool=$4
	shift 4
	again=10
	while :; do
		if [ "$how" = cold ]; then remount; else xargs -0 cat <"$list" >/dev/null; fi
		seen=$(drops) before=$(reads)
		cost=$("$tools/cputime" "$times" "$@" 2>"$tmp/stderr") ||
			{ cat "$tmp/stderr" >&2; die "$tool: failed: $*"; }
		after=$(reads)
		in=$("$tools/incore" <"$list") || die "residency unknown"
		[ "$(drops)" = "$seen" ] && [ "${in##* }" = 0 ] &&
			{ [ "$how" = cold ] || [ "$after" = "$before" ]; } && break
		echo "$tool" >>"$tmp/repeated"
		again=$((again - 1))
		[ $again -gt 0 ] ||
			die "$tool: pages were taken away, or read though warm, in each of 10 runs"
	done
	echo "$cost $((after - before)) ${in% *}" >>"$tmp/runs/$tool"
}
# Tools take turns, so that a slow minute of the machine hits all of them.
rounds() {	# FUNCTION, which calls one_run for each tool
	rm -rf "$tmp/runs" "$tmp/repeated"
	mkdir "$tmp/runs"
	i=0
	while [ $i -lt "$RUNS" ]; do
		"$@"
		i=$((i + 1))
	done
}

value() {	# TOOL COLUMN: the median
	cut -d' ' -f"$2" "$tmp/runs/$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# The first tool of the order is the one that others are compared with in the last column.
table() {	# TITLE UNIT DIVISOR COLUMN TOOL...: median, min, max of a column; reads; residency
	unit=$2 div=$3 col=$4
	printf '\n%s\n%-24s %9s %9s %9s %7s %13s %9s\n' \
		"$1" "$unit" median min max ratio 'device reads' resident
	shift 4
	base=$(value "$1" "$col")
	for t; do
		[ -f "$tmp/runs/$t" ] || { printf '%-24s %9s\n' "$t" '-'; continue; }
		sort -n -k "$col,$col" "$tmp/runs/$t" | awk -v t="$t" -v c="$col" -v d="$div" \
			-v base="$base" -v reads="$(value "$t" 3)" '
		{ v[NR] = $c / d; r = $4 / $5 * 100; if (NR == 1 || r < least) least = r }
		END {
			m = v[int((NR + 1) / 2)]
			printf "%-24s %9.*f %9.*f %9.*f %7.2f %13d %8.1f%%%s\n",
				t, 2, m, 2, v[1], 2, v[NR], base ? m * d / base : 0, reads,
				int(least * 10) / 10,
				(v[NR] - v[1] > 0.3 * m) ? "  noisy" : ""
		}'
	done
	[ ! -s "$tmp/repeated" ] ||
		echo "$(wc -l <"$tmp/repeated") runs were repeated: pages were taken away meanwhile"
}

failed=0
verdict() {	# WHAT VALUE (<=|>=) TARGET
	if awk -v v="$2" -v t="$4" -v op="$3" 'BEGIN { exit !(op == ">=" ? v >= t : v <= t) }'; then
		echo "  met:    $1: $2 (target $3 $4)"
	else
		echo "  MISSED: $1: $2 (target $3 $4)"
		failed=1
	fi
}
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f\n", b ? a / b : 0 }'; }
resident() {
	awk '{ r = $4 / $5 * 100; if (NR == 1 || r < m) m = r } END { printf "%.3f\n", m }' \
		"$tmp/runs/$1"
}

# readahead and pagecache-stat, for files that are named: what is off in the full box then
not_two='READAHEAD_LIST FADVISE FEATURE_READAHEAD_TREES FEATURE_READAHEAD_META
	FEATURE_READAHEAD_LIBRARIES FEATURE_PAGECACHE_STAT_TREES FEATURE_PAGECACHE_STAT_LIST
	FEATURE_PAGECACHE_STAT_PROCESS FEATURE_PAGECACHE_STAT_COLUMNS FEATURE_PAGECACHE_STAT_MAP
	FEATURE_PAGECACHE_STAT_ASK FEATURE_PAGECACHE_STAT_SORT FEATURE_PAGECACHE_STAT_SYSTEM
	FEATURE_PAGECACHE_STAT_REPEAT
	FEATURE_CGROUP_LIMITS FEATURE_DEVICE_ORDER FEATURE_LONG_PATHS'

configured() {	# DIR NAME [SYMBOL... that are off]: the box of NAME_defconfig, built in DIR
	_o=$1 _name=$2
	shift 2
	mkdir "$_o"
	make -s -C "$here/../.." O="$_o" "${_name}_defconfig" >/dev/null || die "make failed"
	for _symbol; do
		sed -i "s/^\(CONFIG_$_symbol\)=y/# \1 is not set/" "$_o/.config"
	done
	make -s -C "$here/../.." O="$_o" >/dev/null || die "make failed"
}
