#!/bin/sh
# SPDX-License-Identifier: 0BSD
# sweep.sh [--no-tests | --short] - every configuration with every compiler
# Builds under -Werror, proves which libc is in the binary, runs its tests.
# --no-tests: builds only, and looks at the binaries
# --short: besides, the first compiler builds a part of the configurations, the others two
#
# SEED=N     the first of the random configurations (else the time; --short: 1)
# O=DIR      where to build (obj/sweep)
# MAKE=make  with what
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.." || exit
O=${O:-obj/sweep}
MAKE=${MAKE:-make}
compilers="musl-gcc scripts/musl-clang gcc clang"
random=20
short=
tests=y
case $1 in
'') ;;
--no-tests) tests= ;;
--short) short=y tests='' random=2 SEED=${SEED:-1} ;;
*) echo "usage: sh scripts/sweep.sh [--no-tests | --short]" >&2; exit 2 ;;
esac
SEED=${SEED:-$(date +%s)}

for tool in $compilers kconfig-conf file nm; do
	command -v "$tool" >/dev/null || { echo "sweep.sh: needs $tool" >&2; exit 1; }
done
applets=$(for file in applets/*.c; do basename "$file" .c; done)
symbol() { echo "$1" | tr a-z- A-Z_; }

configurations() {
	echo allnoconfig
	echo allyesconfig
	[ "$1" = extremes ] && return
	for config in configs/*_defconfig; do
		basename "$config"
	done
	for applet in $applets; do
		echo "only:$applet"
		echo "single:$applet"
	done
	i=0
	while [ $i -lt $random ]; do
		echo "random:$((SEED + i))"
		i=$((i + 1))
	done
	[ "$short" ] || sed -n 's|^\(//config:\)*config |without:|p' Config.in applets/*.c
}

# Each step says on stdout what is wrong, and fails then.
build() {
	if log=$($MAKE -j2 WERROR=1 "CC=$cc" "O=$dir" "$@" 2>&1); then
		case $log in
		*warning*) ;;
		*) return 0 ;;
		esac
	fi
	printf '%s\n' "$log"
	return 1
}
# with SETTINGS CONFIG - CONFIG in full, but for the settings
with() {
	awk -f scripts/kconfig.awk -v out=config -v set="$1" \
		Config.in "$dir/gen/Config.applets" "$2"
}
full_with() {
	build full_defconfig && with "$1" configs/full_defconfig >"$dir/.config"
}
configure() {
	case $1 in
	*config) build "$1" ;;
	random:*) build randconfig "KCONFIG_SEED=${1#*:}" ;;
	without:*) full_with "${1#*:}=n" ;;
	only:*)
		full_with "$(for applet in $applets; do
			[ "$applet" = "${1#*:}" ] || echo "$(symbol "$applet")=n"
		done | tr '\n' ' ')"
		;;
	single:*) build full_defconfig ;;
	esac
}
# What the build makes of .config must be what Kconfig makes of it.
agrees() {
	cp "$dir/.config" "$dir/kconfig"
	log=$(cd "$dir" && srctree=$top KCONFIG_CONFIG=kconfig \
		kconfig-conf -s --olddefconfig Config.in 2>&1)
	[ -z "$log" ] || { printf '%s\n' "$log"; return 1; }
	with '' "$dir/.config" | grep CONFIG_ | sort >"$dir/ours"
	grep CONFIG_ "$dir/kconfig" | sort | diff "$dir/ours" -
}
has_libc() {
	case $cc in
	*musl*) mark=__init_libc not='for GNU/Linux' ;;
	*) mark=__libc_setup_tls not=musl ;;
	esac
	what=$(file -b "$1_unstripped")
	case $what in
	*"$not"*) ;;
	*"statically linked"*) nm "$1_unstripped" | grep -q " T $mark$" && return ;;
	esac
	echo "not static, or another libc than that of $cc: $what"
	return 1
}
tests() {
	"$dir/warmbox" --list >"$dir/list" || { echo "warmbox --list: $?"; return 1; }
	[ "$tests" ] || return 0
	# shellcheck disable=SC2046	# a word for each applet; the link fincore has no tests
	log=$(WARMBOX=$dir/warmbox CONFIG=$dir/.config \
		sh testsuite/runtest warmbox $(grep -vx fincore "$dir/list") 2>&1) ||
		{ printf '%s\n' "$log" | grep -v '^ok'; return 1; }
}
single() {
	build "$1" && has_libc "$dir/obj/$1/$1" && for option in -h -V; do
		"$dir/$1" $option >"$dir/list" || { echo "$1 $option: $?"; return 1; }
	done
}

try() {
	configure "$1" && agrees || return
	case $1 in
	single:*) single "${1#*:}" ;;
	*) build all && has_libc "$dir/warmbox" && tests ;;
	esac
}

top=$PWD
mkdir -p "$O" && O=$(cd "$O" && pwd) || exit
# each CC WHICH: its configurations, one after the other, built in a directory of its own
each() {
	cc=$1
	dir=$O/$(basename "$cc")
	mkdir -p "$dir" && : >"$dir/results"
	for config in $(configurations "$2"); do
		ok=ok
		problem=$(try "$config") || ok="not ok"
		{
			echo "$ok - $cc $config"
			[ "$ok" = ok ] || printf '%s\n' "$problem" | sed 's/^/# /'
		} | tee -a "$dir/results"
	done
}

# All compilers at the same time: the tests wait more than they compute.
which=all
rm -f "$O"/*/results
for cc in $compilers; do
	each "$cc" $which &
	[ "$short" ] && which=extremes
done
wait
cat "$O"/*/results | awk '
	/^(not )?ok/ { n++ }
	/^not ok/ { bad++ }
	END { print "1.." n; exit bad > 0 }'
