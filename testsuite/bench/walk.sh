# SPDX-License-Identifier: 0BSD
# walk - how much of a tree of 25,000 files is cached, asked while all of it is

"$warmbox" pagecache-stat --help 2>&1 | grep -q -- '-R,' || {
	echo; echo "walk: pagecache-stat has no -R in this build: left out"; return 0; }

image 500 60000
plant() {	# DIRECTORY DIRS: 100 small files in each
	awk -v top="$1" -v dirs="$2" 'BEGIN {
		for (d = 0; d < dirs; d++) {
			system("mkdir -p " top "/d" d)
			for (f = 0; f < 100; f++) {
				name = top "/d" d "/f" f
				print "some bytes" >name
				close(name)
			}
		}
	}'
}
plant "$fs/tree" 250
plant "$fs/few" 10
find "$fs/tree" -type f -print0 >"$tmp/list"
tr '\0' '\n' <"$tmp/list" >"$tmp/names"
remount

walk_round() {
	one_run warm "$tmp/list" 3 pagecache-stat "$warmbox" pagecache-stat -R "$fs/tree"
	if has vmtouch; then one_run warm "$tmp/list" 3 vmtouch vmtouch "$fs/tree"; fi
	if has fincore; then one_run warm "$tmp/list" 3 fincore xargs -a "$tmp/names" fincore; fi
}
rounds walk_round
table "25,000 files in 250 directories of root, warm, $RUNS rounds of 3 runs" \
	'CPU, us a file' 25000 1 pagecache-stat vmtouch fincore
if has vmtouch; then
	verdict "times less CPU than vmtouch" \
		"$(quotient "$(value vmtouch 1)" "$(value pagecache-stat 1)")" '>=' 1.5
fi
if has fincore; then
	verdict "times less CPU than fincore" \
		"$(quotient "$(value fincore 1)" "$(value pagecache-stat 1)")" '>=' 1.8
fi
few=$("$tools/peakmem" "$warmbox" pagecache-stat -R "$fs/few")
many=$("$tools/peakmem" "$warmbox" pagecache-stat -R "$fs/tree")
echo "Peak resident KiB: ${few% *} with 1,000 files, ${many% *} with 25,000"
verdict "KiB more for 25 times the files" "$((${many% *} - ${few% *}))" '<=' 64
