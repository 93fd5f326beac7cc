# SPDX-License-Identifier: 0BSD
# usage.awk - reads the tags of applets/*.c for the gen-*.awk that is named after it
#
# applet i of napplets: name[i], sym[i], summary[i], nlines[i] lines of usage, nopts[i] options,
#	nman[i] lines of manual man[i,j]
# usage line i,j: kind (synopsis, text, option, more), gate (a FEATURE or ""), text
# if an option: letter, long, arg, code (":" with an argument, "*" repeatable); k is line opt[i,k]
# alias l of naliases: alias_name, alias_of, alias_sym

function die(msg) {
	printf "%s:%d: %s\n", FILENAME, FNR, msg | "cat >&2"
	failed = 1
	exit 1
}

function upper(s) { s = toupper(s); gsub(/-/, "_", s); return s }
function lower(s) { gsub(/-/, "_", s); return s }
# -c,--long
function names(s, l, comma) {
	return (s == "" ? "" : "-" s) (s != "" && l != "" ? comma : "") (l == "" ? "" : "--" l)
}

# Words between the brackets of TAG(a, b)
function brackets(s) {
	sub(/^[^(]*\(/, "", s)
	sub(/\).*/, "", s)
	gsub(/[ \t]/, "", s)
	return split(s, part, ",")
}

FNR == 1 { file_applet = 0; man_blank = 0 }

/^\/\/applet:APPLET\(/ {
	if (brackets($0) != 2 || part[2] != upper(part[1]))
		die("want //applet:APPLET(name, NAME)")
	if (file_applet)
		die("a second APPLET in one file")
	file_applet = i = ++napplets
	name[i] = part[1]
	sym[i] = part[2]
	nlines[i] = nopts[i] = nman[i] = 0
	next
}
/^\/\/applet:ALIAS\(/ {
	if (brackets($0) != 3 || part[2] != name[i])
		die("want //applet:ALIAS(alias, name, SYMBOL) after its APPLET")
	l = ++naliases
	alias_name[l] = part[1]
	alias_of[l] = i
	alias_sym[l] = part[3]
	next
}
/^\/\/applet:/ { die("neither APPLET nor ALIAS") }
/^\/\/(usage|man):/ && !file_applet { die("//applet: must come first") }

/^\/\/usage:/ {
	line = substr($0, 9)
	j = ++nlines[i]
	kind[i, j] = j == 1 ? "synopsis" : "text"
	gate[i, j] = ""
	if (match(line, /^[{][A-Z0-9_]+[}]/)) {
		gate[i, j] = substr(line, 2, RLENGTH - 2)
		line = substr(line, RLENGTH + 1)
	}
	if (line ~ /^\t/ && j > 1 && kind[i, j - 1] ~ /option|more/) {
		kind[i, j] = "more"
		gate[i, j] = gate[i, j - 1]
		letter[i, j] = letter[i, j - 1]
		sub(/^\t+/, "", line)
	} else if (line ~ /^-.*\t/) {
		line = parse_option(line)
	}
	text[i, j] = line
	if (summary[i] == "" && j > 1 && kind[i, j] == "text")
		summary[i] = line
	next
}

function parse_option(line,   left, k, l, o) {
	k = index(line, "\t")
	left = substr(line, 1, k - 1)
	line = substr(line, k)
	sub(/^\t+/, "", line)

	kind[i, j] = "option"
	letter[i, j] = long[i, j] = arg[i, j] = ""
	if ((k = index(left, " "))) {
		arg[i, j] = substr(left, k + 1)
		left = substr(left, 1, k - 1)
	}
	if (left !~ /^(-[A-Za-z0-9])?,?(--[a-z0-9][-a-z0-9]*)?$/)
		die("want -c, -c,--long or --long, then ARG, then a TAB: " left)
	if (left ~ /^-[^-]/)
		letter[i, j] = substr(left, 2, 1)
	if ((k = index(left, "--")))
		long[i, j] = substr(left, k + 2)
	if (letter[i, j] ~ /[hV]/ || long[i, j] ~ /^(help|version)$/)
		die("-h,--help and -V,--version are every applet's: " left)
	for (k = 1; k <= nopts[i]; k++) {
		o = opt[i, k]
		if (letter[i, j] == letter[i, o] && letter[i, j] != "")
			die("a second -" letter[i, j])
		if (long[i, j] == long[i, o] && long[i, j] != "")
			die("a second --" long[i, j])
	}
	if (k > 31)
		die("more than 31 options")
	nopts[i] = k
	opt[i, k] = j
	code[i, j] = (arg[i, j] != "" ? ":" : "") (arg[i, j] ~ /\.\.\.$/ ? "*" : "")
	return line
}

/^\/\/man:/ { man[i, ++nman[i]] = substr($0, 7); next }

END {
	if (failed)
		exit 1
	for (i = 1; i <= napplets; i++)
		if (!nlines[i]) {
			printf "applets/%s.c: no //usage: lines\n", name[i] | "cat >&2"
			exit 1
		}
}
