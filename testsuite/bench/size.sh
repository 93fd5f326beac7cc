# SPDX-License-Identifier: 0BSD
# size - the box as a file, stripped, static; built here with make's own compiler

built() {	# NAME MAXIMUM [SYMBOL... that are off]
	name=$1 max=$2
	shift 2
	o=$tmp/$name$#
	mkdir "$o"
	make -s -C "$here/../.." O="$o" "${name}_defconfig" >/dev/null || die "make failed"
	for symbol; do
		sed -i "s/^\(CONFIG_$symbol\)=y/# \1 is not set/" "$o/.config"
	done
	make -s -C "$here/../.." O="$o" >/dev/null || die "make failed"
	file -b "$o/warmbox" | grep -q 'statically linked.*stripped' ||
		die "$name: not static, or not stripped"
	verdict "$name${1+ without $*}, bytes" "$(wc -c <"$o/warmbox")" '<=' "$max"
}
printf '\n%s\n' "Size, static, stripped"
built full 64000
built initramfs 24000
built full 32000 FEATURE_READAHEAD_TREES FEATURE_READAHEAD_META FEATURE_PAGECACHE_STAT_TREES
