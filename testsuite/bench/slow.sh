# SPDX-License-Identifier: 0BSD
# slow.sh - what the benches of slow media share: aged images, and devices of modelled speed

media=${MEDIA:-disk sd emmc fast}
upgrades=${UPGRADES:-0}
# Images are kept: making one takes a minute.
kept=${BENCH_KEEP:-${TMPDIR:-/var/tmp}/warmbox-bench}
model='' medium=$tmp/medium

tools_slow() {
	for t in slowdisk coldrun; do
		[ -x "$tools/$t" ] || gcc -O2 -o "$tools/$t" "$here/$t.c" -lm -lpthread ||
			die "cannot build $t"
	done
}

# The image $kept/NAME.img of the files of /, named in a list, one a line, written in seeded random
# order; then, UPGRADES times, a random third of them again, which leaves holes.
aged_image() {	# NAME MB LIST
	image=$kept/$1-$upgrades.img
	mkdir -p "$kept"
	key=$(tr '\n' '\0' <"$3" | (cd / && xargs -0 stat -c '%n %s %Y') | sha256sum)
	key="4 $2 $key"
	[ -f "$image" ] && [ "$(cat "$image.key" 2>/dev/null)" = "$key" ] && return
	echo "bench: making $image ($(wc -l <"$3") files)" >&2
	rm -f "$image" "$image".*
	truncate -s "$2M" "$image.new"
	mkfs.ext4 -q -F -b 4096 -m 0 -N "$(($(wc -l <"$3") * 2))" \
		-E lazy_itable_init=0,lazy_journal_init=0 "$image.new" || die "mkfs.ext4 failed"
	mkdir -p "$fs"
	$mount -o loop "$image.new" "$fs" || die "cannot mount $image.new"
	round=0
	while [ $round -le "$upgrades" ]; do
		awk -v seed="$round" 'BEGIN { srand(seed + 1) }
			{ r = rand() } !seed || r < 1 / 3 { print rand() "\t" $0 }' "$3" |
			sort -n | cut -f2- >"$tmp/round"
		{ tar -C / -cf - --no-recursion -T "$tmp/round" || echo failed >"$tmp/failed"; } |
			tar -xf - -C "$fs" || die "cannot copy"
		[ ! -f "$tmp/failed" ] || die "cannot copy all"
		sync -f "$fs"
		round=$((round + 1))
	done
	tar -C / -cf - --no-recursion -T "$3" | tar -C "$fs" -df - >/dev/null ||
		die "$image: not what was copied"
	mkdir -p "$fs/tmp" "$fs/dev" "$fs/proc" "$fs/sys"
	$umount "$fs"
	e2fsck -fn "$image.new" >/dev/null 2>&1 || die "$image: broken"
	mv "$image.new" "$image"
	echo "$key" >"$image.key"
}

# A device of a model's speed, with the queue that such a device has
slow_start() {	# MODEL IMAGE
	model=$1
	mkdir -p "$medium" "$fs"
	"$tools/slowdisk" "$model" "$2" "$medium" "$tmp/log" || die "no slowdisk"
	until [ -f "$medium/disk" ]; do sleep 0.1; done
	device=$($losetup --direct-io=on -f --show "$medium/disk") || die "no loop device"
	[ "$(cat "/sys/block/${device#/dev/}/loop/dio")" = 1 ] || die "$device: no direct I/O"
	queue=/sys/block/${device#/dev/}/queue
	old_settings=$(sed 's/.*\[\(.*\)\].*/\1/' "$queue/rotational" "$queue/max_sectors_kb" \
		"$queue/scheduler" "$queue/nr_requests" "$queue/read_ahead_kb" | tr '\n' ' ')
	rotational=0
	[ "$model" != disk ] || rotational=1
	queue_settings="$rotational 512 mq-deadline 256 128 "
	calibrate
	# shellcheck disable=SC2086 # words
	settings $queue_settings >/dev/null
	$mount -t ext4 -o ro "$device" "$fs" || die "cannot mount $device"
}
slow_unmount() {
	! grep -q " $fs " /proc/mounts || $umount "$fs" || die "cannot unmount $fs"
	[ ! -d "/proc/fs/ext4/${device#/dev/}" ] || die "$device is mounted elsewhere too"
}
# FUSE and the loop device add to each request what a real device does not: the least of five
# means is what answers are sent off earlier.
calibrate() {
	lead=$(for i in 1 2 3 4 5; do
		a=$(cut -d' ' -f3 "$medium/stats")
		wall=$(dd if="$device" of=/dev/null bs=4k iflag=direct count=200 2>&1 |
			sed -n 's/.*copied, \([0-9.e-]*\) s.*/\1/p')
		echo "$wall $a $(cut -d' ' -f3 "$medium/stats")"
	done | awk '{ us = ($1 * 1e6 - ($3 - $2)) / 200; if (NR == 1 || us < least) least = us }
		END { print int(least) }')
	echo "$lead" >"$medium/stats"
}
slow_stop() {
	slow_unmount
	# shellcheck disable=SC2086 # words
	settings $old_settings >/dev/null
	$losetup -d "$device"
	device=''
	model=''
	until $umount "$medium" 2>/dev/null; do sleep 0.1; done	# losetup -d is done later
}
slow_remount() {
	slow_unmount
	blockdev --flushbufs "$device"
	# shellcheck disable=SC2086 # words
	is=$(settings $queue_settings)
	[ "$is" = "$queue_settings" ] || die "$device: queue settings are $is, not $queue_settings"
	$mount -t ext4 -o "ro$1" "$device" "$fs" || die "cannot mount $device again"
}

# What reclaim takes away again behind a tool that runs for long was loaded all the same, and says
# nothing against it; but it takes metadata too. So a run that lost more than one page of 100 is
# repeated, twice at most.
# Adds a line to $tmp/runs/TOOL: CPU RETURN IDLE PEAK COMMANDS BYTES LOADED TOTAL BUSY EVICTED
slow_run() {	# LIST TOOL COMMAND...
	list=$1 tool=$2 again=20
	shift 2
	while :; do
		slow_remount ''
		seen=$(drops) before=$(cat "$medium/stats")
		cost=$("$tools/coldrun" "$queue/../stat" "$@" 2>"$tmp/stderr") ||
			{ cat "$tmp/stderr" >&2; die "$tool: failed: $*"; }
		after=$(cat "$medium/stats")
		in=$("$tools/incore" <"$list") || die "residency unknown"
		gone=${in##* } total=${in#* }
		[ "$(drops)" = "$seen" ] &&
			{ [ $((gone * 100)) -le "${total% *}" ] || [ $again -le 18 ]; } && break
		echo "$tool" >>"$tmp/repeated"
		again=$((again - 1))
		[ $again -gt 0 ] || die "$tool: pages were taken away in each of 20 runs"
	done
	echo "$cost $before $after $in" | awk '{
		print $1, $2, $3, $4, $10 - $5, $11 - $6, $15 + $17, $16, $12 - $7, $17
	}' >>"$tmp/runs/$tool"
}

# The pages of files and metadata that a command that reads files needs, and no other: with
# nothing read ahead, the log of the medium names them.
blocks_needed() {	# IMAGE COMMAND...: lines of OFFSET LENGTH
	slow_start fast "$1"
	shift
	queue_settings='0 512 mq-deadline 256 0 '
	slow_remount ,inode_readahead_blks=1
	from=$(cut -d' ' -f1 "$medium/stats")
	"$@" >/dev/null || die "failed: $*"
	reads >/dev/null
	cat "$medium/stats" >/dev/null
	tail -n "+$((from + 1))" "$tmp/log" | cut -d' ' -f4,5
	slow_stop
}

# "busy" is how long the medium worked, by the model alone: no noise of the machine is in it.
slow_table() {	# TITLE FLOOR COMMANDS MB TOOL...: the floor's three numbers, then the rows
	format='%-18s %8s %7s %7s %8s %7s %7s %7s %7s %9s %7s\n'
	# shellcheck disable=SC2059 # a format
	printf "\n%s\n$format" "$1" seconds resident min max returns busy reads MB 'CPU ms' \
		'peak KiB' loaded
	# shellcheck disable=SC2059
	printf "$format" 'floor (computed)' "$2" '' '' '' "$2" "$3" "$4" '' '' ''
	shift 4
	for t; do
		[ -f "$tmp/runs/$t" ] || { printf '%-18s %8s\n' "$t" '-'; continue; }
		printf '%s ' "$t"
		for c in 1 2 3 4 5 6 9 10; do printf '%s ' "$(value "$t" $c)"; done
		sort -n -k 3,3 "$tmp/runs/$t" | awk '
			{ at[NR] = $3; r = $7 / $8 * 100; if (NR == 1 || r < least) least = r }
			END { print at[1], at[NR], int(least * 10) / 10, $8 }'
	done | awk 'NF > 2 {
		printf "%-18s %8.2f %7.2f %7.2f %8.2f %7.2f %7d %7.1f %7.0f %9d %6.1f%%%s\n",
			$1, $4 / 1e6, $10 / 1e6, $11 / 1e6, $3 / 1e6, $8 / 1e6, $6, $7 / 1e6,
			$2 / 1e3, $5, $12,
			$9 ? sprintf(" (%.1f%% taken away again)", $9 / $13 * 100) : ""
		next
	} 1'
	[ ! -s "$tmp/repeated" ] ||
		echo "$(wc -l <"$tmp/repeated") runs were repeated: pages were taken away meanwhile"
}
