# SPDX-License-Identifier: 0BSD
# gen-applets.awk - gen/applets.h: prototypes, the names in C order, and the table that goes by them
# usage: LC_ALL=C awk -f usage.awk -f gen-applets.awk applets/*.c

function entry(key, i, linked,   k) {
	for (k = ++nrows; k > 1 && row_key[k - 1] > key; k--) {
		row_key[k] = row_key[k - 1]
		row[k] = row[k - 1]
		row_name[k] = row_name[k - 1]
	}
	row_key[k] = key
	row_name[k] = sprintf("IF_%s(\"%s\\0\")", sym[i], key)
	row[k] = sprintf("IF_%s({ %s_main, %s_usage, %s },)",
		sym[i], lower(name[i]), lower(name[i]), linked)
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
	printf "#define APPLET_NAMES"
	for (k = 1; k <= nrows; k++)
		printf " \\\n\t%s", row_name[k]
	printf "\n#define APPLET_TABLE"
	for (k = 1; k <= nrows; k++)
		printf " \\\n\t%s", row[k]
	print "\n#endif"
}
