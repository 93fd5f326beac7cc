# SPDX-License-Identifier: 0BSD
# size - the box as a file

cp "$warmbox" "$tmp/box"
strip "$tmp/box"
bytes=$(wc -c <"$tmp/box")
echo
echo "Size: $bytes bytes, $(file -b "$tmp/box" | cut -d, -f1-4)"
echo "  with $("$warmbox" --list | tr '\n' ' ')"
verdict "bytes" "$bytes" '<=' 32000
