# SPDX-License-Identifier: 0BSD
# gen-usage.awk - gen/usage.txt: the help texts of this configuration, each below a form feed and
#	its applet's name
# usage: awk -f usage.awk -f gen-usage.awk gen/config.mk applets/*.c

/^CONFIG_.* := y$/ { on[substr($1, 8)] = 1 }

# Texts start at fixed columns, where libbb puts those of -h and -V, too.
function tabs(len, width,   s) {
	for (s = ""; len < width || s == ""; len += 8 - len % 8)
		s = s "\t"
	return s
}
function column(j, with_long,   s) {
	if (kind[i, j] != "more") {
		s = names(letter[i, j], with_long ? long[i, j] : "", ",")
		s = s (arg[i, j] == "" ? "" : " " arg[i, j])
	}
	return "\t" s tabs(length(s), with_long ? 24 : 16)
}
function entry(j) {
	if (kind[i, j] == "text" || kind[i, j] == "synopsis")
		return text[i, j] "\n"
	if (letter[i, j] == "" && !("LONG_OPTS" in on))
		return ""
	return column(j, "LONG_OPTS" in on) text[i, j] "\n"
}

END {
	for (i = 1; i <= napplets; i++) {
		if (!(sym[i] in on))
			continue
		printf "\f%s\n", lower(name[i])
		for (j = 1; j <= nlines[i]; j++)
			if (j == 1 || "FEATURE_VERBOSE_USAGE" in on)
				if (gate[i, j] == "" || gate[i, j] in on)
					printf "%s", entry(j)
	}
}
