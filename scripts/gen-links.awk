# SPDX-License-Identifier: 0BSD
# gen-links.awk - the names under which this configuration is installed
# usage: awk -f usage.awk -f gen-links.awk gen/config.mk applets/*.c

/^CONFIG_.* := y$/ { on[substr($1, 8)] = 1 }

END {
	for (i = 1; i <= napplets; i++)
		if (sym[i] in on)
			print name[i]
	for (l = 1; l <= naliases; l++)
		if (sym[alias_of[l]] in on && alias_sym[l] in on)
			print alias_name[l]
}
