#!/bin/sh
# SPDX-License-Identifier: 0BSD
# check.sh - everything that has to hold
#
# Installs what the tests need (as root on Debian, only what is missing), builds the box with
# three libcs and compilers, and runs all tests. Says as its last line "N passed, N failed, N
# skipped"; fails on a failed test, on a compiler's warning, and on more skipped tests than
# testsuite/skips.max, which is what a root shell of such a machine skips.

set -u
cd "$(dirname "$0")/.." || exit
# Not ours: settings of a make around us
unset MAKEFLAGS MAKELEVEL MFLAGS O CC CROSS_COMPILE CFLAGS LDFLAGS CONFIG WARMBOX
export DEBIAN_FRONTEND=noninteractive
PATH=$PATH:/usr/sbin:/sbin
out=$PWD/obj/check
mkdir -p "$out"
rm -f "$out/complete"

packages() {	# COMMAND PACKAGE...: those whose command is not there
	while read -r file package; do
		case $file in
			/*) [ -e "$file" ] ;;
			*) command -v "$file" >/dev/null ;;
		esac || echo "$package"
	done <<-END
		gcc gcc
		make make
		musl-gcc musl-tools
		clang clang
		/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux libclang-rt-14-dev
		kconfig-conf kconfig-frontends-nox
		file file
		strace strace
		busybox busybox-static
		fincore util-linux
		/usr/bin/jq jq
		mandoc mandoc
		mkfs.ext4 e2fsprogs
		setfattr attr
		mkfs.xfs xfsprogs
		mkfs.btrfs btrfs-progs
		mksquashfs squashfs-tools
		mkfs.erofs erofs-utils
		qemu-ppc-static qemu-user-static
		i686-linux-gnu-gcc gcc-i686-linux-gnu
		/usr/i686-linux-gnu/lib/libc.a libc6-dev-i386-cross
		arm-linux-gnueabihf-gcc gcc-arm-linux-gnueabihf
		/usr/arm-linux-gnueabihf/lib/libc.a libc6-dev-armhf-cross
		powerpc-linux-gnu-gcc gcc-powerpc-linux-gnu
		/usr/powerpc-linux-gnu/lib/libc.a libc6-dev-powerpc-cross
	END
}
missing=$(packages | tr '\n' ' ')
if [ -n "$missing" ]; then
	echo "# missing: $missing"
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		# shellcheck disable=SC2086	# words
		{ apt-get update && apt-get install -y --no-install-recommends $missing; } \
			>"$out/apt.log" 2>&1 || sed 's/^/# /' "$out/apt.log"
	fi
fi

# step NAME COMMAND...: a test of its own, which says nothing about warnings
step() {
	name=$1
	shift
	if "$@" >"$out/log" 2>&1 && ! grep -qi 'warning' "$out/log"; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		sed 's/^/# /' "$out/log"
		return 1
	fi
}

# build NAME MAKE_ARGUMENT...: the box in $out/NAME, from nothing, so that each warning is seen
build() {
	dir=$out/$1
	rm -rf "$dir"
	shift
	step "${dir##*/}: builds" make -j2 WERROR=1 O="$dir" "$@" full_defconfig all
}

is_static() {
	file -b "$1" | grep 'statically linked'
}
has_symbol() {
	nm "$1" | grep " T $2\$"
}
# libc NAME SYMBOL: static, and with the libc that has SYMBOL
libc() {
	step "$1: is static" is_static "$out/$1/warmbox"
	step "$1: has $2" has_symbol "$out/$1/warmbox_unstripped" "$2"
}

tests() {	# NAME [TEST...]
	name=$1
	shift
	PREFIX="$name: " WARMBOX=$out/$name/warmbox CONFIG=$out/$name/.config \
		sh testsuite/runtest "$@" || [ $? = 1 ] ||
			echo "not ok - $name: runtest could not run all"
}

# What the code of the box can break; the rest is about the build, the kernel and the sources.
applet_tests() {
	# shellcheck disable=SC2046	# words
	tests "$1" warmbox $(basename -s .c applets/*.c) trees sort meta hostile
}

all() {
	build musl CC=musl-gcc && libc musl __init_libc && tests musl	# all that there are
	build glibc CC=gcc && libc glibc __libc_setup_tls && applet_tests glibc
	export ASAN_OPTIONS=detect_leaks=0
	build sanitized CC=gcc SAN=address,undefined && applet_tests sanitized
	[ ! -e scripts/sweep.sh ] || O=$out/sweep sh scripts/sweep.sh --short
	: >"$out/complete"
}

all </dev/null 2>&1 | sh testsuite/tap "$(cat testsuite/skips.max)" && [ -e "$out/complete" ]
