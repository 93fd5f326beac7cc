# SPDX-License-Identifier: 0BSD
# memory - what is resident of the tool itself while it loads one file

# shellcheck disable=SC2086	# words
configured "$tmp/two" full $not_two
two=$tmp/two/warmbox
image 300 1000
dd if=/dev/urandom of="$fs/big" bs=1M count=256 2>/dev/null || die "no space"

peak() {	# TOOL COMMAND...
	t=$1
	shift
	remount
	"$tools/peakmem" "$@" >"$tmp/runs/$t" || die "$t: failed"
	printf '%-24s %9d\n' "$t" "$(cut -d' ' -f1 "$tmp/runs/$t")"
}
printf '\n%s\n%-24s %9s\n' "One 256 MiB file, cold" "peak resident, KiB" VmHWM
peak readahead "$two" readahead "$fs/big"
peak readahead-w "$two" readahead -w "$fs/big"
peak full-readahead-w "$warmbox" readahead -w "$fs/big"
peak cat cat "$fs/big"
if has toybox; then peak toybox-readahead toybox readahead "$fs/big"; fi
if has vmtouch; then peak vmtouch-t vmtouch -t "$fs/big"; fi
verdict "readahead: KiB resident" "$(value readahead 1)" '<=' 64
verdict "readahead -w: KiB resident" "$(value readahead-w 1)" '<=' 64
