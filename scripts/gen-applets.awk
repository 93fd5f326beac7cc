# SPDX-License-Identifier: 0BSD
# gen-applets.awk - gen/applets.h: prototypes, and the table of names in C order for a binary search
# usage: LC_ALL=C awk -f usage.awk -f gen-applets.awk applets/*.c

function entry(key, i, linked,   k) {
	for (k = ++nrows; k > 1 && row_key[k - 1] > key; k--) {
		row_key[k] = row_key[k - 1]
		row[k] = row[k - 1]
	}
	row_key[k] = key
	row[k] = sprintf("IF_%s({ \"%s\", %s_main, %s_usage, %s },)",
		sym[i], key, lower(name[i]), lower(name[i]), linked)
}

END {
	print "/* from the //applet: lines of applets/ */"
	print "#ifndef APPLETS_H\n#define APPLETS_H"
	for (i = 1; i <= napplets; i++) {
		printf "int %s_main(int argc, char **argv);\n", lower(name[i])
		entry(name[i] "", i, 1)
	}
	for (l = 1; l <= naliases; l++)
		entry(alias_name[l] "", alias_of[l], "ENABLE_" alias_sym[l])
	printf "#define APPLET_TABLE"
	for (k = 1; k <= nrows; k++)
		printf " \\\n\t%s", row[k]
	print "\n#endif"
}
