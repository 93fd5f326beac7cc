# SPDX-License-Identifier: 0BSD
# media - a tree of small files, cold, from slow media: beside others, and beside the medium itself
#
# MEDIA='disk sd emmc fast' chooses. The list is in the order of find.

. "$here/slow.sh"
tools_slow

# Whole directories of real trees, in seeded order, until there are 4,200 files
for d in /usr/lib/python3 /usr/lib/python3.* /usr/share/perl /usr/share/perl5 /usr/share/zoneinfo \
	/usr/include /usr/share/vim /usr/share/doc /usr/share/locale /usr/lib/*-linux-gnu; do
	[ -d "$d" ] && find "$d" -xdev -type f -size -512k -size +0 ! -path '*[[:cntrl:]]*'
done | LC_ALL=C sort -u | awk 'BEGIN { srand(3) } {
		dir = $0
		sub("/[^/]*$", "", dir)
		if (!(dir in key)) key[dir] = rand()
		print key[dir] "\t" $0
	}' |
	LC_ALL=C sort | head -n 4200 | cut -f2- | sed 's|^/||' >"$tmp/found"
aged_image media 300 "$tmp/found"

mkdir -p "$fs"
$mount -o ro,loop "$image" "$fs" || die "cannot mount $image"
find "$fs/usr" -type f >"$tmp/names"
files=$(wc -l <"$tmp/names") dirs=$(find "$fs/usr" -type d | wc -l)
$umount "$fs"
tr '\n' '\0' <"$tmp/names" >"$tmp/list"
blocks_needed "$image" xargs -0 -a "$tmp/list" cat >"$tmp/blocks"

ours() {	# TOOL LIST [OPTION...]
	slow_run "$tmp/list" "$1" "$warmbox" readahead-list -m 90% "$2" ${3+"$3"}
}
media_round() {
	slow_run "$tmp/list" cat xargs -0 -a "$tmp/list" cat
	if has vmtouch; then slow_run "$tmp/list" vmtouch-t vmtouch -t -b "$tmp/names"; fi
	if has toybox; then
		slow_run "$tmp/list" toybox-readahead xargs -0 -a "$tmp/list" toybox readahead
	fi
	ours list-as-it-is "$tmp/names" -Olist
	ours list-sorted "$tmp/names"
	if $with_sort; then
		ours list-s-disk "$tmp/sorted.disk"
		ours list-s-access "$tmp/sorted.access"
	fi
	slow_run "$tmp/list" tree "$warmbox" readahead -R "$fs/usr"
}
with_sort=false
"$warmbox" readahead-list --help 2>&1 | grep -q -- '-s,' && with_sort=:
for m in $media; do
	slow_start "$m" "$image"
	best=tree
	if $with_sort; then
		for o in disk access auto; do
			"$warmbox" readahead-list -s -O $o -o "$tmp/sorted.$o" "$tmp/names" ||
				die "cannot sort"
		done
		best=list-s-$(sed -n 's/^@order //p' "$tmp/sorted.auto")
	fi
	rounds media_round
	# shellcheck disable=SC2046 # three words
	slow_table "$m: $files files in $dirs directories, cold, $RUNS rounds" \
		$("$tools/slowdisk" "$m" -floor <"$tmp/blocks") cat vmtouch-t toybox-readahead \
		list-as-it-is list-sorted list-s-disk list-s-access tree
	echo "  chosen by readahead-list -s: $best"
	ours=$(value $best 3)
	floor=$("$tools/slowdisk" "$m" -floor <"$tmp/blocks" | awk '{ print $1 * 1e6 }')
	case $m in
		disk) times=10 within=3 ;;
		fast) times=4 within='' ;;
		*) times=2 within=1.3 ;;
	esac
	if has vmtouch; then
		verdict "$m: times faster than vmtouch -t" \
			"$(quotient "$(value vmtouch-t 3)" "$ours")" '>=' $times
	fi
	if [ "$m" = disk ]; then
		verdict "$m: times faster than cat" \
			"$(quotient "$(value cat 3)" "$ours")" '>=' $times
	fi
	[ ! "$within" ] || verdict "$m: times the floor" "$(quotient "$ours" "$floor")" '<=' $within
	slow_stop
done
