# SPDX-License-Identifier: 0BSD
# bigfile - one 1 GiB file, cold, read_ahead_kb=128

image 1200 1000
dd if=/dev/urandom of="$fs/big" bs=1M count=1024 2>/dev/null || die "no space"
printf '%s\0' "$fs/big" >"$tmp/list"

bigfile_round() {
	one_run cold "$tmp/list" 1 cat cat "$fs/big"
	one_run cold "$tmp/list" 1 readahead-w "$warmbox" readahead -w "$fs/big"
	one_run cold "$tmp/list" 1 readahead "$warmbox" readahead "$fs/big"
	if has vmtouch; then one_run cold "$tmp/list" 1 vmtouch-t vmtouch -t "$fs/big"; fi
	if has toybox; then
		one_run cold "$tmp/list" 1 toybox-readahead toybox readahead "$fs/big"
	fi
}
rounds bigfile_round
table "One 1 GiB file, cold, read_ahead_kb=128, $RUNS rounds \
(readahead without -w and toybox only ask)" \
	seconds 1e6 2 cat readahead-w readahead vmtouch-t toybox-readahead
verdict "readahead -w: % resident" "$(resident readahead-w)" '>=' 100
verdict "readahead: % resident once the device is idle" "$(resident readahead)" '>=' 100
