# SPDX-License-Identifier: 0BSD
# evict - a tree just written, dropped from memory again: how long, and what of it stays

for o in -s -R; do
	"$warmbox" fadvise --help 2>&1 | grep -q -e "$o," || {
		echo; echo "evict: fadvise has no $o in this build: left out"; return 0; }
done
has cachedel || echo "bench: no cachedel (package nocache): its rows are left out" >&2

# 3,000 small files and a large one: 50 MB and 100 MB
image 600 8000
mkdir "$tmp/source"
awk 'BEGIN {
	srand(3)
	for (d = 0; d < 30; d++) {
		system("mkdir " ARGV[1] "/d" d)
		for (f = 0; f < 100; f++)
			printf "%s/d%d/f%d %d\n", ARGV[1], d, f, 256 * exp(rand() * log(384))
	}
}' "$tmp/source" | while read -r name size; do
	head -c "$size" /dev/zero >"$name"
done
dd if=/dev/urandom of="$tmp/source/large" bs=1M count=100 2>/dev/null || die "no space"
(cd "$tmp/source" && find . -type f -print0) | sed -z "s|^\.|$fs/tree|" >"$tmp/list"

# A line for each run: CPU_us WALL_us STAYS TOTAL, in pages. Repeated when somebody dropped the
# cache meanwhile, or reclaim took pages away.
evict() {	# TOOL COMMAND...
	t=$1
	shift
	again=10
	while :; do
		rm -rf "$fs/tree"
		remount
		cat "$tmp/source"/large "$tmp/source"/*/* >/dev/null
		seen=$(drops)
		cp -r "$tmp/source" "$fs/tree"
		cost=$("$tools/cputime" 1 "$@" 2>"$tmp/stderr") ||
			{ cat "$tmp/stderr" >&2; die "$t: failed: $*"; }
		in=$("$tools/incore" <"$tmp/list") || die "residency unknown"
		[ "$(drops)" = "$seen" ] && [ "${in##* }" = 0 ] && break
		again=$((again - 1))
		[ $again -gt 0 ] || die "$t: pages were taken away in each of 10 runs"
	done
	echo "$cost ${in% *}" >>"$tmp/runs/$t"
}
evict_round() {
	evict fadvise "$warmbox" fadvise -R "$fs/tree"
	evict fadvise-s "$warmbox" fadvise -s -R "$fs/tree"
	evict sync+fadvise-s sh -c "sync -f $fs; $warmbox fadvise -s -R $fs/tree"
	if has vmtouch; then
		evict vmtouch-e vmtouch -e "$fs/tree"
		evict sync+vmtouch-e sh -c "sync -f $fs; vmtouch -e $fs/tree"
	fi
	if has cachedel; then
		evict cachedel xargs -0 -n 1 -a "$tmp/list" cachedel
		evict sync+cachedel sh -c "sync -f $fs; xargs -0 -n 1 -a $tmp/list cachedel"
	fi
}
rounds evict_round

printf '\n%s\n%-24s %9s %9s %9s %9s %9s %9s\n' "3,001 files of 150 MB just written, $RUNS rounds" \
	'' 'CPU, ms' 'seconds' min max 'stays, %' 'at most'
for t in fadvise fadvise-s sync+fadvise-s vmtouch-e sync+vmtouch-e cachedel sync+cachedel; do
	[ -f "$tmp/runs/$t" ] || { printf '%-24s %9s\n' "$t" '-'; continue; }
	total=$(value "$t" 4)
	sort -n -k 2,2 "$tmp/runs/$t" | awk -v t="$t" -v cpu="$(value "$t" 1)" -v total="$total" \
		-v stays="$(value "$t" 3)" '
		{ v[NR] = $2 / 1e6; if ($3 > most) most = $3 }
		END {
			printf "%-24s %9.1f %9.2f %9.2f %9.2f %9.1f %9.1f\n", t, cpu / 1e3,
				v[int((NR + 1) / 2)], v[1], v[NR], stays / total * 100,
				most / total * 100
		}'
done
most=$(cut -d' ' -f3 "$tmp/runs/fadvise-s" | sort -n | tail -n 1)
verdict "fadvise -s: pages that stay" "$most" '<=' 0
if has vmtouch; then
	verdict "fadvise -s: of the time of sync and vmtouch -e" \
		"$(quotient "$(value fadvise-s 2)" "$(value sync+vmtouch-e 2)")" '<=' 2
fi
rm -rf "$tmp/source"
