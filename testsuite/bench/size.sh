# SPDX-License-Identifier: 0BSD
# size - the box as a file, stripped, static; built here with make's own compiler

built() {	# NAME MAXIMUM [SYMBOL... that are off]
	name=$1 max=$2
	shift 2
	configured "$tmp/$name$#" "$name" "$@"
	o=$tmp/$name$#
	file -b "$o/warmbox" | grep -q 'statically linked.*stripped' ||
		die "$name: not static, or not stripped"
	verdict "$name${1+ of two applets}, bytes" "$(wc -c <"$o/warmbox")" '<=' "$max"
}
printf '\n%s\n' "Size, static, stripped"
built full 65536
built initramfs 24576
# shellcheck disable=SC2086	# words
built full 32768 $not_two
