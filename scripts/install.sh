#!/bin/sh
# SPDX-License-Identifier: 0BSD
# install.sh symbolic|hard|remove BINARY DIR NAME... - the binary, as warmbox, and the applets' links in DIR
# When one of the names there is not ours, nothing is touched.
LC_ALL=C
export LC_ALL

die() {
	echo "install.sh: $*" >&2
	exit 1
}

# Free, a link to a warmbox, or a warmbox itself
ours() {
	if [ -L "$1" ]; then
		case $(readlink "$1") in
		warmbox | */warmbox) ;;
		*) return 1 ;;
		esac
	elif [ -e "$1" ]; then
		[ -f "$1" ] && grep -q warmbox "$1"
	fi
}

how=$1
binary=$2
dir=$3
shift 3

case $how in
symbolic | hard | remove) ;;
*) die "LINKS=$how: want symbolic or hard" ;;
esac
for name in warmbox "$@"; do
	ours "$dir/$name" || die "$dir/$name: exists and is not warmbox's; nothing was done"
done

if [ "$how" = remove ]; then
	for name in "$@" warmbox; do
		rm -f "$dir/$name" || exit
	done
	exit
fi

# Everything is made under other names first: renaming is what cannot stop half-way.
mkdir -p "$dir" || exit
new=$dir/.warmbox.new
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$new" && cp "$binary" "$new/warmbox" && chmod 755 "$new/warmbox" || exit
for name; do
	if [ "$how" = hard ]; then
		ln "$new/warmbox" "$new/$name" || exit
	else
		ln -s warmbox "$new/$name" || exit
	fi
done
for name in warmbox "$@"; do
	mv -f "$new/$name" "$dir/$name" || exit
done
