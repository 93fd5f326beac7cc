# SPDX-License-Identifier: 0BSD
# kconfig.awk - the part of Kconfig that Config.in uses, so that a build needs no kconfig-frontends
# usage: awk -f kconfig.awk -v out=config|header|make [-v set="A=y B=n"] \
#	Config.in gen/Config.applets [.config]
# config: a complete .config; header: gen/autoconf.h; make: gen/config.mk.

function fail(msg) {
	print msg | "cat >&2"
	failed = 1
	exit 1
}
function die(msg) { fail(FILENAME ":" FNR ": " msg) }

FNR == 1 { sym = ""; help = 0 }

/^(# )?CONFIG_[A-Za-z0-9_]+(=| is not set)/ {
	s = $0
	sub(/^(# )?CONFIG_/, "", s)
	match(s, /^[A-Za-z0-9_]+/)
	given = substr(s, 1, RLENGTH)
	user[given] = s ~ /=/ ? substr(s, RLENGTH + 2) : "n"
	if (!(given in type) && out != "make")
		printf "%s:%d: no such symbol: %s\n", FILENAME, FNR, given | "cat >&2"
	next
}

/^[ \t]*(#|$)/ { next }
help && /^[ \t]/ { next }
{
	help = 0
	word = $1
	rest = $0
	sub(/^[ \t]*[^ \t]+[ \t]*/, "", rest)
}
word == "config" {
	sym = $2
	if (sym in type)
		die("symbol defined twice: " sym)
	symbol[++nsyms] = sym
	type[sym] = ""
	for (i = 1; i <= nifs; i++)
		dep[sym, ++ndeps[sym]] = cond[i]
	next
}
word == "bool" || word == "int" || word == "string" { type[sym] = word; next }
word == "default" {
	n = ++ndefs[sym]
	i = index(rest, " if ")
	def[sym, n] = i ? substr(rest, 1, i - 1) : rest
	defcond[sym, n] = i ? substr(rest, i + 4) : "y"
	next
}
word == "depends" { sub(/^on[ \t]+/, "", rest); dep[sym, ++ndeps[sym]] = rest; next }
word == "help" { help = 1; next }
word == "if" { cond[++nifs] = rest; next }
word == "endif" { nifs--; next }
word ~ /^(mainmenu|menu|endmenu|comment|source|range)$/ { next }
{ die("not understood: " $0) }

# A recursive descent over X: or > and > not
function tok(t) {
	sub(/^[ \t]+/, "", X)
	if (index(X, t) != 1)
		return 0
	X = substr(X, length(t) + 1)
	return 1
}
function or_(   v) { v = and_(); while (tok("||")) v = and_() || v; return v }
function and_(   v) { v = not_(); while (tok("&&")) v = not_() && v; return v }
function not_(   v) {
	if (tok("!"))
		return !not_()
	if (tok("(")) {
		v = or_()
		if (!tok(")"))
			fail("Config.in: no ) in an expression")
		return v
	}
	if (!match(X, /^[A-Za-z0-9_]+/))
		fail("Config.in: bad expression near: " X)
	v = substr(X, 1, RLENGTH)
	X = substr(X, RLENGTH + 1)
	return (v == "n" || v == "y" ? v : value(v)) == "y"
}
function true(expr,   saved, v) {
	saved = X
	X = expr
	v = or_()
	if (X !~ /^[ \t]*$/)
		fail("Config.in: bad expression: " expr)
	X = saved
	return v
}

# "y" or "n", or the quoted string or number; "" where a string or number is out of reach
function value(s,   i) {
	if (s in val)
		return val[s]
	if (!(s in type))
		fail("Config.in: an expression names a symbol that is not there: " s)
	val[s] = type[s] == "bool" ? "n" : ""
	visible[s] = 1
	for (i = 1; i <= ndeps[s]; i++)
		if (!true(dep[s, i])) {
			visible[s] = 0
			return val[s]
		}
	if (s in user)
		return val[s] = user[s]
	for (i = 1; i <= ndefs[s]; i++)
		if (true(defcond[s, i]))
			return val[s] = def[s, i]
	return val[s]
}

END {
	if (failed)
		exit 1
	n = split(set, word_of, " ")
	for (i = 1; i <= n; i++) {
		sub(/=/, " ", word_of[i])
		split(word_of[i], pair, " ")
		user[pair[1]] = pair[2]
	}
	if (out == "config")
		print "# written by warmbox's make; every symbol that can be chosen is here"
	if (out == "header")
		print "/* from .config: every symbol, on or off; -Wundef finds the misspelled */"
	for (i = 1; i <= nsyms; i++) {
		s = symbol[i]
		v = value(s)
		bool = type[s] == "bool"
		on = bool && v == "y"
		if (out == "config" && visible[s])
			print bool && !on ? "# CONFIG_" s " is not set" : "CONFIG_" s "=" v
		if (out == "make")
			print "CONFIG_" s " := " (v == "n" ? "" : v)
		if (out != "header")
			continue
		if (bool) {
			if (on)
				print "#define CONFIG_" s " 1"
			print "#define ENABLE_" s " " on
			print "#define IF_" s "(...) " (on ? "__VA_ARGS__" : "")
			print "#define IF_NOT_" s "(...) " (on ? "" : "__VA_ARGS__")
		} else {
			if (v == "")
				v = type[s] == "int" ? 0 : "\"\""
			print "#define CONFIG_" s " " v
		}
	}
}
