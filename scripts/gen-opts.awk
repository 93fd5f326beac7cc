# SPDX-License-Identifier: 0BSD
# gen-opts.awk - gen/opts.h: option strings, long names and bits
# usage: awk -f usage.awk -f gen-opts.awk applets/*.c
#
# An option that is configured out keeps its place: \1 for its letter, and its codes. \2 is the
# letter of one that has none.

END {
	print "/* from the //usage: lines of applets/ */"
	print "#include \"applets.h\""
	for (i = 1; i <= napplets; i++) {
		optstr = longs = bits = ""
		for (k = 1; k <= nopts[i]; k++) {
			j = opt[i, k]
			c = letter[i, j] == "" ? "\\2" : letter[i, j]
			id = sym[i] "_OPT_" (letter[i, j] == "" ? lower(long[i, j]) : c)
			enable = gate[i, j] == "" ? "" : "ENABLE_" gate[i, j] " * "
			if (letter[i, j] == "")
				enable = enable "ENABLE_LONG_OPTS * "
			bit = enable == "" ? "1u << " k - 1 : "(1u << " k - 1 ")"
			letters = "\"" c "\""
			name_ = long[i, j] == "" ? "" : "\"" long[i, j] "\""
			if (gate[i, j] != "") {
				bit = enable == "" ? "1u << " k - 1 : "(1u << " k - 1 ")"
			letters = "IF_" gate[i, j] "(" letters ") IF_NOT_" gate[i, j] "(\"\\1\")"
				name_ = name_ == "" ? "" : "IF_" gate[i, j] "(" name_ ")"
			}
			if (code[i, j] != "")
				letters = letters " \"" code[i, j] "\""
			optstr = optstr " \\\n\t" letters
			longs = longs " \\\n\t" name_ (name_ == "" ? "" : " ") "\"\\0\""
			bits = bits "#define " id " (" enable bit ")\n"
			if (arg[i, j] != "") {
				sub(/_OPT_/, "_ARG_", id)
				bits = bits "#define " id " " k - 1 "\n"
			}
		}
		print "\n#define " sym[i] "_OPTSTR \"\"" optstr
		print "#if ENABLE_LONG_OPTS"
		print "#define " sym[i] "_LONGS \"\"" longs
		print "#else"
		print "#define " sym[i] "_LONGS ((const char *)0)"
		print "#endif"
		printf "%s", bits
	}
}
