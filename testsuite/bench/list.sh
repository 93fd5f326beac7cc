# SPDX-License-Identifier: 0BSD
# list - 20,000 small files named by a list, all in memory already; sizes as in real trees:
# 256 bytes to 96 KiB, evenly on a logarithmic scale, 16 KiB in the mean

image 700 22000
awk 'BEGIN {
	srand(1)
	for (d = 0; d < 200; d++)
		for (f = 0; f < 100; f++)
			printf "%s/d%d/f%d %d\n", ARGV[1], d, f, 256 * exp(rand() * log(384))
}' "$fs" >"$tmp/sizes"
cut -d' ' -f1 "$tmp/sizes" >"$tmp/names"
tr '\n' '\0' <"$tmp/names" >"$tmp/list"
d=0
while [ $d -lt 200 ]; do mkdir "$fs/d$d"; d=$((d + 1)); done
awk '{ s = sprintf("%" $2 "s", "x"); print s >$1; close($1) }' "$tmp/sizes"
remount

list_round() {
	one_run warm "$tmp/list" 5 readahead "$warmbox" readahead -f "$tmp/names"
	one_run warm "$tmp/list" 5 readahead-w "$warmbox" readahead -w -f "$tmp/names"
	if has vmtouch; then one_run warm "$tmp/list" 5 vmtouch-t vmtouch -t -b "$tmp/names"; fi
	if has toybox; then
		one_run warm "$tmp/list" 5 toybox-readahead xargs -a "$tmp/names" toybox readahead
	fi
	one_run warm "$tmp/list" 5 cat xargs -a "$tmp/names" cat
}
rounds list_round
table "20,000 small files (16 KiB in the mean) by a list, warm, $RUNS rounds of 5 runs" \
	'CPU, us a file' 20000 1 readahead readahead-w vmtouch-t toybox-readahead cat
if has vmtouch; then
	verdict "CPU beside vmtouch -t" \
		"$(quotient "$(value readahead 1)" "$(value vmtouch-t 1)")" '<=' 0.33
fi
if has toybox; then
	verdict "CPU beside toybox, which checks nothing" \
		"$(quotient "$(value readahead 1)" "$(value toybox-readahead 1)")" '<=' 2
fi
