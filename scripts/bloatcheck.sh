#!/bin/sh
# SPDX-License-Identifier: 0BSD
# bloatcheck.sh OLD NEW - what grew and shrank between two unstripped binaries
symbols() {
	${NM:-nm} -S "$1" | awk 'NF == 4 { print $4, "0x" $2 }'
}
sections() {
	${SIZE:-size} -A "$1" | awk '/^\.[a-z]/ && $3 != 0 || /^Total/ { print $1, $2 }'
}
# Hexadecimal through the shell: mawk has no strtonum.
compare() {
	{
		$1 "$2" | while read -r name size; do echo "$name $((size)) 0"; done
		$1 "$3" | while read -r name size; do echo "$name 0 $((size))"; done
	} | awk '
		{ old[$1] += $2; new[$1] += $3 }
		END {
			for (name in new)
				if (new[name] != old[name])
					printf "%7d %7d %7d  %s\n", old[name], new[name],
						new[name] - old[name], name
		}' | LC_ALL=C sort -k3,3nr -k4
}

echo "    old     new  change  symbol"
compare symbols "$1" "$2"
echo "    old     new  change  section"
compare sections "$1" "$2"
