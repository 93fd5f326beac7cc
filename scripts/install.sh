#!/bin/sh
# SPDX-License-Identifier: 0BSD
# install.sh symbolic|hard DIR FILE NAME... - FILE as warmbox, and links NAME to it, in DIR
# install.sh files DIR FILE...              - files by their own names
# install.sh remove DIR NAME...
# When one of the names in DIR is not ours, nothing is touched.
LC_ALL=C
export LC_ALL

die() {
	echo "install.sh: $*" >&2
	exit 1
}

# Free, a link to a warmbox, or a file that has the word in it, as all of ours have
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
check() {
	for name; do
		ours "$dir/$name" || die "$dir/$name: exists and is not warmbox's; nothing was done"
	done
}
# Everything is made under other names first: renaming is what does not stop half-way.
stage() {
	new=$dir/.warmbox.new
	mkdir -p "$dir" || exit
	trap 'rm -rf "$new"' EXIT
	trap 'exit 1' HUP INT TERM
	mkdir "$new" || exit
}
unstage() {
	for name; do
		mv -f "$new/$name" "$dir/$name" || exit
	done
}

how=$1
dir=$2
shift 2
case $how in
symbolic | hard)
	file=$1
	shift
	check warmbox "$@"
	stage
	cp "$file" "$new/warmbox" || exit
	for name; do
		case $how in
		symbolic) ln -s warmbox "$new/$name" ;;
		hard) ln "$new/warmbox" "$new/$name" ;;
		esac || exit
	done
	unstage warmbox "$@"
	;;
files)
	for file; do
		check "${file##*/}"
	done
	stage
	cp "$@" "$new" || exit
	for file; do
		unstage "${file##*/}"
	done
	;;
remove)
	check "$@"
	for name; do
		rm -f "$dir/$name" || exit
	done
	;;
*) die "LINKS=$how: want symbolic or hard" ;;
esac
