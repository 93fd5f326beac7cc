# SPDX-License-Identifier: 0BSD
# gen-usage.awk - gen/usage.h: a help text for each applet
# usage: awk -f usage.awk -f gen-usage.awk applets/*.c

# Not gsub: the awks differ in what a backslash in its replacement means.
function swap(s, from, to,   k, done) {
	while ((k = index(s, from))) {
		done = done substr(s, 1, k - 1) to
		s = substr(s, k + length(from))
	}
	return done s
}
function quoted(s) {
	s = swap(swap(swap(s, "\\", "\\\\"), "\"", "\\\""), "\t", "\\t")
	return "\"" swap(s, "??", "?\\?") "\""	# no trigraphs
}
function gated(g, s) { return g == "" ? s : "IF_" g "(" s ")" }
# Texts start at fixed columns, where libbb puts those of -h and -V, too.
function tabs(len, width,   s) {
	for (s = ""; len < width || s == ""; len += 8 - len % 8)
		s = s "\t"
	return s
}
function spelling(j, with_long,   s) {
	s = names(letter[i, j], with_long ? long[i, j] : "", ",")
	return s (arg[i, j] == "" ? "" : " " arg[i, j])
}
function column(j, with_long,   s) {
	s = kind[i, j] == "more" ? "" : spelling(j, with_long)
	if (s == "" && kind[i, j] == "option")
		return "\"\""
	return quoted("\t" s tabs(length(s), with_long ? 24 : 16))
}

function entry(j,   out) {
	if (kind[i, j] == "text" || kind[i, j] == "synopsis")
		return gated(gate[i, j], quoted(text[i, j]) " \"\\n\"")
	out = quoted(text[i, j]) " \"\\n\""
	if (column(j, 0) == column(j, 1))
		out = column(j, 0) " " out
	else
		out = gated("LONG_OPTS", column(j, 1)) " " \
			gated("NOT_LONG_OPTS", column(j, 0)) " " out
	if (letter[i, j] == "")
		out = gated("LONG_OPTS", out)
	return gated(gate[i, j], out)
}

END {
	print "/* from the //usage: lines of applets/ */"
	for (i = 1; i <= napplets; i++) {
		printf "#define %s_usage \"\"", lower(name[i])
		for (j = 1; j <= nlines[i]; j++)
			printf " \\\n\t%s", gated(j == 1 ? "" : "FEATURE_VERBOSE_USAGE", entry(j))
		print ""
	}
}
