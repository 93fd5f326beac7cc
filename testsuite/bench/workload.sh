# SPDX-License-Identifier: 0BSD
# workload - a dozen programs start from a slow medium, and beside them a tool loads what they use
#
# MEDIA='disk sd emmc fast' chooses. The programs run in a chroot, on copies of this machine's
# files; what they open was recorded once, by strace.

. "$here/slow.sh"
tools_slow
has strace || die "no strace"

# Runs with the image's files alone, and has to do the same thing each time.
cat >"$tmp/script" <<'END'
cd /tmp
try() { [ ! -x "$1" ] || "$@" >/dev/null 2>&1 </dev/null; }
for py in /usr/bin/python3.[0-9]*[0-9]; do try $py -c '
import sys, pkgutil, encodings
leave = ("antigravity", "this", "idlelib", "turtledemo", "tkinter", "turtle", "test")
for m in sorted(sys.stdlib_module_names):
	if m not in leave:
		try: __import__(m)
		except Exception: pass
for m in sorted(x.name for x in pkgutil.iter_modules(encodings.__path__)):
	if "mbcs" not in m and "oem" not in m: __import__("encodings." + m)
'; done
try /usr/bin/perl -e '
for (qw(strict warnings POSIX Encode Storable Socket IO::Socket IO::Select File::Temp File::Find
	File::Copy File::Spec Pod::Usage Pod::Man Data::Dumper Time::Local Time::HiRes Text::Wrap
	Text::Balanced Unicode::UCD Unicode::Normalize Unicode::Collate charnames List::Util
	Hash::Util Digest::SHA Digest::MD5 MIME::Base64 Getopt::Long Term::ANSIColor Tie::File
	HTTP::Tiny JSON::PP Archive::Tar Compress::Zlib IO::Zlib Math::BigInt Math::BigFloat
	Math::Complex Benchmark CPAN::Meta Module::Load Params::Check Locale::Maketext Memoize
	Test::More Thread::Queue Sys::Hostname Sys::Syslog User::pwent B::Deparse DB_File
	ExtUtils::MakeMaker Filter::Simple I18N::LangTags IPC::Open3 Perl::OSType autodie bigint)) {
	eval "require $_"
}'
try /usr/bin/git init -q repo
try /usr/bin/git -C repo -c user.name=n -c user.email=e commit -q --allow-empty -m one
try /usr/bin/git -C repo log --stat
try /usr/bin/openssl list -digest-algorithms
try /usr/bin/openssl req -new -x509 -nodes -newkey rsa:1024 -subj /CN=n -keyout k -out c
try /usr/bin/gdb -batch -ex 'info line main' /usr/bin/openssl
try /usr/bin/curl --version
try /usr/bin/ssh -V
try /usr/bin/sqlite3 :memory: 'select 1'
try /usr/bin/vim -es -c 'syntax on' -c 'quit!'
try /usr/bin/file /usr/bin/openssl
try /usr/bin/gpg --version
try /usr/bin/cmake --version
try /usr/bin/dpkg --version
try /usr/bin/as --version
find /usr/share/zoneinfo -type f | xargs cat >/dev/null
find /usr/share/doc/lib* -name copyright -type f | xargs cat >/dev/null
find /usr/share/vim -name '[a-c]*.vim' | xargs grep -c such >/dev/null
END
# With /dev, /proc and a /tmp
enter() {
	$mount -t tmpfs none "$fs/tmp" && $mount --bind /dev "$fs/dev" &&
		$mount -t proc none "$fs/proc" || die "cannot mount below $fs"
}
leave() {
	for d in proc dev tmp; do
		! grep -q " $fs/$d " /proc/mounts || $umount "$fs/$d"
	done
}
cat >"$tmp/run" <<END
exec chroot $fs /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/tmp \
	/bin/sh -c "\$(cat $tmp/script)"
END
programs() {	# COMMAND... that runs a command
	enter
	"$@" sh "$tmp/run" || die "the programs failed"
	leave
}

# What they use, and several times as much that they do not
{
	for p in /usr/bin/python3.[0-9]*[0-9]; do [ -x "$p" ] && echo "${p##*/}"; done
	printf '%s\n' perl git openssl gdb curl ssh sqlite3 vim file gpg cmake dpkg as sh env \
		find grep xargs cat dash
} | while read -r p; do
	p=$(readlink -f "/usr/bin/$p")
	[ -f "$p" ] || continue
	echo "$p"
	ldd "$p" 2>/dev/null | sed -n 's|.*[[:space:]]\(/[^ ]*\) (0x.*|\1|p' | xargs -r readlink -f
done >"$tmp/found"
find /usr/bin /usr/lib /usr/lib/*-linux-gnu /usr/lib64 /etc/alternatives -maxdepth 1 -type l \
	>>"$tmp/found" 2>/dev/null
for d in /bin /lib /lib64 /sbin; do
	[ ! -h $d ] || echo $d
done >>"$tmp/found"
lib=$(dirname "$(ldd /usr/bin/env | sed -n 's|.*[[:space:]]\(/[^ ]*libc\.[^ ]*\) (0x.*|\1|p' |
	xargs readlink -f)")
for d in /usr/lib/python3 /usr/lib/python3.[0-9]* /usr/share/perl /usr/share/perl5 "$lib/perl" \
	"$lib/perl5" "$lib/perl-base" "$lib/ossl-modules" "$lib/engines-3" "$lib/gconv" \
	/usr/lib/git-core /usr/share/git-core /usr/lib/ssl /etc/ssl /usr/share/gdb /usr/share/vim \
	/usr/share/zoneinfo /usr/share/doc/[bcl]* /usr/share/misc /usr/share/file /usr/lib/file \
	/etc/vim /usr/lib/locale /etc/ld.so.cache /etc/passwd /etc/group /etc/nsswitch.conf \
	/etc/localtime; do
	[ ! -e "$d" ] ||
		find "$d" -xdev ! -type d ! -size +8192k ! -path '*[[:cntrl:]\\]*' ! -name '*.a'
done >>"$tmp/found"
LC_ALL=C sort -u "$tmp/found" | sed 's|^/||' >"$tmp/all"
aged_image workload 1200 "$tmp/all"

# strace -y names what each open gave, whole. As one run does not open in the same order as
# another, the list is made once and kept.
if [ ! -s "$image.opens" ]; then
	slow_start fast "$image"
	programs strace -f -y -qq -ttt -e trace=openat,execve -o "$tmp/strace"
	sed -n "s|^[0-9]* *\([0-9.]*\) .* = [0-9]*<$fs\(/[^>\\\\]*\)>\$|\1 \2|p
		s|^[0-9]* *\([0-9.]*\) execve(\"\(/[^\"\\\\]*\)\".* = 0\$|\1 \2|p" "$tmp/strace" |
		while read -r at name; do
			[ ! -f "$fs$name" ] || [ -h "$fs$name" ] || echo "$at $name"
		done | awk '{ at = $1; sub(/^[^ ]* /, "") }
			NR == 1 { begin = at }
			!seen[$0]++ { printf "%d %s\n", (at - begin) * 1000, $0 }
		' >"$image.opens"
	slow_stop
fi
sed "s|^[0-9]* |$fs|" "$image.opens" >"$tmp/names"
tr '\n' '\0' <"$tmp/names" >"$tmp/list"

# The parts that were used, in the order of their opening: what is resident after a run
slow_start fast "$image"
slow_remount ''
programs env
"$warmbox" pagecache-stat -l -f "$tmp/names" >"$tmp/resident" || die "pagecache-stat -l failed"
awk -F '\t' -v fs="$fs" -v opens="$image.opens" '
	BEGIN {
		while ((getline <opens) > 0) {
			at = $0 + 0
			sub(/^[0-9]* /, "")
			time[fs $0] = at
		}
	}
	/^\// && time[$1] != last { last = time[$1]; print "@at " last }
	{ print }' "$tmp/resident" >"$tmp/ranges"
slow_stop
blocks_needed "$image" "$warmbox" readahead-list -O list -w -m 90% "$tmp/ranges" >"$tmp/blocks"
# The same with as many files again that nobody uses, one behind each
awk -v fs="$fs/" 'BEGIN { srand(5) }
	NR == FNR { used[$0]; next }
	!((fs $0) in used) { print rand() "\t" fs $0 "\t" }' "$tmp/names" "$tmp/all" |
	sort -n | cut -f2- >"$tmp/unused"
awk -v unused="$tmp/unused" '{ print } /^\// && (getline <unused) > 0 { print }' "$tmp/ranges" \
	>"$tmp/half"

# Adds a line to $tmp/runs/TOOL: WALL READS BYTES BUSY of the programs, COMMAND running beside them
beside() {	# TOOL [COMMAND...]
	tool=$1 again=20
	shift
	while :; do
		slow_remount ''
		enter
		seen=$(drops) before=$(cat "$medium/stats") loader=''
		[ $# = 0 ] || { "$@" >/dev/null 2>"$tmp/stderr" & loader=$!; }
		wall=$("$tools/cputime" 1 sh "$tmp/run") || die "the programs failed beside $tool"
		after=$(cat "$medium/stats")
		[ ! "$loader" ] || { kill "$loader" 2>/dev/null; wait "$loader" 2>/dev/null; }
		reads >/dev/null
		leave
		[ "$(drops)" = "$seen" ] && break
		echo "$tool" >>"$tmp/repeated"
		again=$((again - 1))
		[ $again -gt 0 ] || die "$tool: the cache was dropped in each of 20 runs"
	done
	echo "${wall#* } $before $after" |
		awk '{ print $1, $7 - $2, $8 - $3, $9 - $4 }' >>"$tmp/runs/$tool"
}
workload_round() {
	beside none
	beside cat xargs -0 -a "$tmp/list" cat
	if has vmtouch; then beside vmtouch-t vmtouch -t -b "$tmp/names"; fi
	if has toybox; then beside toybox-readahead xargs -0 -a "$tmp/list" toybox readahead; fi
	beside list-of-names "$warmbox" readahead-list -m 90% "$tmp/names"
	beside list-s-disk "$warmbox" readahead-list -m 90% "$tmp/sorted.disk"
	beside list-s-access "$warmbox" readahead-list -m 90% "$tmp/sorted.access"
	beside half-unused "$warmbox" readahead-list -m 90% "$tmp/sorted.half"
}
workload_table() {	# TOOL...
	printf '%-20s %8s %7s %7s %7s %7s %7s %7s\n' 'seconds to their end' median min max ratio \
		busy reads MB
	for t; do
		[ -f "$tmp/runs/$t" ] || continue
		echo "$t $(for c in 1 2 3 4; do value "$t" $c; done | tr '\n' ' ')" \
			"$(cut -d' ' -f1 "$tmp/runs/$t" | sort -n | sed -n '1p;$p' | tr '\n' ' ')"
	done | awk '{
		if (NR == 1) base = $2
		printf "%-20s %8.2f %7.2f %7.2f %7.2f %7.2f %7d %7.1f\n", $1, $2 / 1e6, $6 / 1e6,
			(NF > 6 ? $7 : $6) / 1e6, $2 / base, $5 / 1e6, $3, $4 / 1e6
	}'
	[ ! -s "$tmp/repeated" ] ||
		echo "$(wc -l <"$tmp/repeated") runs were repeated: the cache was dropped meanwhile"
}
for m in $media; do
	slow_start "$m" "$image"
	for o in disk access auto; do
		"$warmbox" readahead-list -s -O $o "$tmp/ranges" >"$tmp/sorted.$o" ||
			die "cannot sort"
	done
	"$warmbox" readahead-list -s "$tmp/half" >"$tmp/sorted.half" || die "cannot sort"
	best=list-s-$(sed -n 's/^@order //p' "$tmp/sorted.auto")
	# warm: what the programs take without any medium
	slow_remount ''
	programs env
	cpu=$(programs "$tools/cputime" 1) || exit 1
	rounds workload_round
	files=$(wc -l <"$tmp/names")
	printf '\n%s\n' "$m: programs that use $files files, a loader beside them, $RUNS rounds"
	echo "$("$tools/slowdisk" "$m" -floor <"$tmp/blocks") ${cpu#* }" | awk '{
		printf "the medium: %.2f s at least (%d reads, %.1f MB); warm: %.2f s\n",
			$1, $2, $3, $4 / 1e6 }'
	workload_table none cat vmtouch-t toybox-readahead list-of-names list-s-disk list-s-access \
		half-unused
	echo "  chosen by readahead-list -s: $best"
	case $m in
		disk) times=5 ;;
		sd) times=1.4 ;;
		emmc) times=1.8 ;;
		*) times=1 ;;
	esac
	none=$(value none 1)
	verdict "$m: times faster than without" \
		"$(quotient "$none" "$(value "$best" 1)")" '>=' $times
	verdict "$m: with a list half of which is unused, of the time without" \
		"$(quotient "$(value half-unused 1)" "$none")" '<=' 1.1
	slow_stop
done
