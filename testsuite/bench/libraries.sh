# SPDX-License-Identifier: 0BSD
# libraries - big programs start cold from a slow medium: alone; after readahead -L of them; after
# one readahead for each of the libraries that ldd names; after one readahead(2) call for each
#
# MEDIA='disk sd emmc fast' chooses, and PROGRAMS='gdb cmake curl'. In a chroot, on copies of
# this machine's files. The time is that of loading and then starting.

. "$here/slow.sh"
tools_slow

programs=''
for p in ${PROGRAMS:-gdb cmake curl}; do
	if has "$p"; then programs="$programs $p"; else echo "bench: no $p" >&2; fi
done

# What starting it, and no more, is
arguments() {
	case $1 in
		gdb) echo -batch -nx ;;
		*) echo --version ;;
	esac
}

libraries_of() {	# PROGRAM: it and what it needs, by the names of the files themselves
	p=$(readlink -f "$(command -v "$1")")
	echo "$p"
	ldd "$p" | sed -n 's|.*[[:space:]]\(/[^ ]*\) (0x.*|\1|p' | xargs readlink -f
}

# The programs, some of what they read besides, and other files between them
{
	for program in $programs; do
		libraries_of "$program"
		command -v "$program"
	done
	for d in /bin /lib /lib64 /sbin; do
		[ ! -h $d ] || echo $d
	done
	find /usr/lib /usr/lib/*-linux-gnu /usr/lib64 /etc/alternatives -maxdepth 1 -type l
	find /usr/share/gdb /usr/lib/python3.[0-9]* /usr/share/cmake* /usr/share/doc/[a-l]* \
		/usr/share/zoneinfo /usr/share/perl "$(dirname "$(libraries_of env | tail -n 1)")" \
		/etc/ld.so.cache /etc/passwd /etc/nsswitch.conf /usr/lib/locale -xdev ! -type d \
		! -size +8192k ! -path '*[[:cntrl:]\\]*' ! -name '*.a'
} 2>/dev/null | LC_ALL=C sort -u | sed 's|^/||' >"$tmp/all"
aged_image libraries 1200 "$tmp/all"

leave() {
	for d in sys proc dev tmp; do
		! grep -q " $fs/$d " /proc/mounts || $umount "$fs/$d"
	done
}

# Adds a line to $tmp/runs/TOOL: WALL START READS BYTES BUSY; WALL is that of LOADING, a command
# line, and of the start behind it.
start() {	# TOOL [LOADING]
	tool=$1 again=20
	while :; do
		slow_remount ''
		{ $mount -t tmpfs none "$fs/tmp" && $mount --bind /dev "$fs/dev" &&
			$mount -t proc none "$fs/proc" &&
			$mount -t sysfs none "$fs/sys" && cp "$warmbox" "$fs/tmp"; } ||
			die "cannot mount below $fs"
		seen=$(drops) before=$(cat "$medium/stats") loading='0 0'
		[ $# = 1 ] || loading=$("$tools/cputime" 1 sh -c "$2") || die "$tool: cannot load"
		# shellcheck disable=SC2046	# words
		starting=$("$tools/cputime" 1 env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/tmp \
			/usr/sbin/chroot "$fs" "$program" $(arguments "$p")) || die "$p failed"
		after=$(cat "$medium/stats")
		reads >/dev/null
		leave
		[ "$(drops)" = "$seen" ] && break
		echo "$tool" >>"$tmp/repeated"
		again=$((again - 1))
		[ $again -gt 0 ] || die "$tool: the cache was dropped in each of 20 runs"
	done
	echo "${loading#* } ${starting#* } $before $after" | awk '{
		printf "%d %d %d %d %d\n", $1 + $2, $2, $8 - $3, $9 - $4, $10 - $5
	}' >>"$tmp/runs/$tool"
}
libraries_round() {
	start none
	start readahead-L "chroot $fs /tmp/warmbox readahead -L $program"
	start readahead-L-b "chroot $fs /tmp/warmbox readahead -L -b $program"
	start each-readahead "xargs -n 1 $warmbox readahead <$tmp/names"
	if has toybox; then start each-toybox "xargs -n 1 toybox readahead <$tmp/names"; fi
}
for m in $media; do
	slow_start "$m" "$image"
	for p in $programs; do
		program=$(command -v "$p")
		libraries_of "$p" | sed "s|^|$fs|" >"$tmp/names"
		rounds libraries_round
		size=$(xargs stat -c %s <"$tmp/names" |
			awk '{ n += $1 } END { print int(n / 1e6) }')
		printf '\n%s\n%-20s %8s %7s %7s %7s %7s %7s %7s %7s\n' \
			"$m: $p, $(wc -l <"$tmp/names") files of $size MB, $RUNS rounds" \
			'seconds to its end' median min max ratio start busy reads MB
		for t in none readahead-L readahead-L-b each-readahead each-toybox; do
			[ -f "$tmp/runs/$t" ] || continue
			for c in 1 2 3 4 5; do value "$t" $c; done >"$tmp/row"
			cut -d' ' -f1 "$tmp/runs/$t" | sort -n | sed -n '1p;$p' >>"$tmp/row"
			echo "$t $(tr '\n' ' ' <"$tmp/row")"
		done | awk '{
			if (NR == 1) base = $2
			printf "%-20s %8.2f %7.2f %7.2f %7.2f %7.2f %7.2f %7d %7.1f\n", $1,
				$2 / 1e6, $7 / 1e6, (NF > 7 ? $8 : $7) / 1e6, $2 / base, $3 / 1e6,
				$6 / 1e6, $4, $5 / 1e6
		}'
		case $m in
			disk) most=0.6 ;;
			emmc) most=0.75 ;;
			*) most=1 ;;
		esac
		verdict "$m: $p: of the time without" \
			"$(quotient "$(value readahead-L 1)" "$(value none 1)")" '<=' $most
	done
	slow_stop
done
