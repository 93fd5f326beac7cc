# SPDX-License-Identifier: 0BSD
# metadata - cold trees of small files: what opening them costs, and loading them whole
#
# The files are created in seeded random order, as after years of upgrades.

image 1500 60000
for d in /usr/lib/python3 /usr/lib/python3.* /usr/share/perl /usr/share/zoneinfo /usr/include \
	/usr/share/vim /usr/share/doc; do
	[ -d "$d" ] && find "$d" -xdev -type f -size -64k -size +0 ! -path '*[[:cntrl:]]*'
done | sort -u | head -n 10000 >"$tmp/found"
awk 'BEGIN { srand(7) } { print rand() "\t" $0 }' "$tmp/found" | sort -n | cut -f2- |
	sed 's|^/||' >"$tmp/shuffled"
mkdir "$fs/tree"
tar -C / -cf - --no-recursion -T "$tmp/shuffled" | tar -xf - -C "$fs/tree" || die "cannot copy"
find "$fs/tree" -type f -print0 >"$tmp/list"
sort -z "$tmp/list" >"$tmp/sorted"
files=$(tr -cd '\0' <"$tmp/list" | wc -c)
dirs=$(find "$fs/tree" -type d | wc -l)
sync

with_trees=false
"$warmbox" readahead --help 2>&1 | grep -q -- '-R,' && with_trees=:

# Device reads of opening every file, cold, after a command that may load something first
opens() {	# TOOL COMMAND...
	t=$1
	shift
	i=0
	: >"$tmp/runs/$t"
	while [ $i -lt "$RUNS" ]; do
		remount
		a=$(reads)
		"$@" >/dev/null || die "$t: failed"
		b=$(reads)
		"$tools/openall" <"$tmp/sorted"
		c=$(reads)
		echo "$((b - a)) $((c - b)) $((c - a))" >>"$tmp/runs/$t"
		i=$((i + 1))
	done
	printf '%-40s %13d %13d %9d\n' "$t" "$(value "$t" 1)" "$(value "$t" 2)" "$(value "$t" 3)"
}
printf '\n%s\n%-40s %13s %13s %9s\n' \
	"$files files in $dirs directories, opened cold: device reads" \
	'loaded first' 'loading' 'opening' 'sum'
opens nothing true
if $with_trees; then
	opens metadata "$warmbox" readahead -R -M 1 "$fs/tree"
	verdict "times fewer reads with the metadata first" \
		"$(quotient "$(value nothing 3)" "$(value metadata 3)")" '>=' 4
else
	echo "  readahead has no -R in this build: the other half is left out"
fi

# Cold: times and reads of the whole load
tree_round() {
	one_run cold "$tmp/list" 1 cat xargs -0 -a "$tmp/sorted" cat
	if has vmtouch; then one_run cold "$tmp/list" 1 vmtouch-t vmtouch -t "$fs/tree"; fi
	if has toybox; then
		one_run cold "$tmp/list" 1 toybox-readahead \
			xargs -0 -a "$tmp/sorted" toybox readahead
	fi
	one_run cold "$tmp/list" 1 readahead-f "$warmbox" readahead -w -0 -f "$tmp/sorted"
	if $with_trees; then
		one_run cold "$tmp/list" 1 readahead-R "$warmbox" readahead -w -R "$fs/tree"
	fi
}
rounds tree_round
table "The same tree, loaded whole, cold, $RUNS rounds (readahead with -w)" \
	seconds 1e6 2 cat vmtouch-t toybox-readahead readahead-f readahead-R
