# SPDX-License-Identifier: 0BSD
# warm - the same file when all of it is in memory already

image 1200 1000
dd if=/dev/urandom of="$fs/big" bs=1M count=1024 2>/dev/null || die "no space"
printf '%s\0' "$fs/big" >"$tmp/list"
remount

warm_round() {
	one_run warm "$tmp/list" 5 cat cat "$fs/big"
	one_run warm "$tmp/list" 50 readahead "$warmbox" readahead "$fs/big"
	one_run warm "$tmp/list" 50 readahead-w "$warmbox" readahead -w "$fs/big"
	if has vmtouch; then one_run warm "$tmp/list" 5 vmtouch-t vmtouch -t "$fs/big"; fi
	if has toybox; then
		one_run warm "$tmp/list" 50 toybox-readahead toybox readahead "$fs/big"
	fi
}
rounds warm_round
table "One 1 GiB file, warm, $RUNS rounds of 5 or 50 runs" \
	'CPU, ms a run' 1e3 1 cat readahead readahead-w vmtouch-t toybox-readahead
verdict "times less CPU than cat" "$(quotient "$(value cat 1)" "$(value readahead 1)")" '>=' 10
