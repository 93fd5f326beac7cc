#!/bin/sh
# SPDX-License-Identifier: 0BSD
# update.sh FILE COMMAND... - the output of COMMAND into FILE, unless it is what FILE holds
file=$1
shift
mkdir -p "$(dirname "$file")" || exit
"$@" >"$file.tmp" || { rm -f "$file.tmp"; exit 1; }
if cmp -s "$file.tmp" "$file"; then
	rm -f "$file.tmp"
else
	mv -f "$file.tmp" "$file"
fi
