#!/bin/sh
# SPDX-License-Identifier: 0BSD
# plot-list.sh - draw how the replay of lists moves over the disk, as an SVG
#
# usage: scripts/plot-list.sh [-C ROOT] LIST... >list.svg
# One panel a list; of a single list two, as it is and as "readahead-list -s -O disk" sorts it.
# Runs where the files are, as who may read them; needs filefrag (Debian: e2fsprogs). ROOT goes
# before the names in the lists. What lies on another filesystem than most is left out.

set -u
die() { echo "plot-list.sh: $*" >&2; exit 1; }
usage() { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }

root=''
while getopts C: o; do
	[ "$o" = C ] || usage
	root=${OPTARG%/}
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
command -v filefrag >/dev/null || die "no filefrag (Debian: e2fsprogs)"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# Lines of "PATH TAB RANGES", or "@meta TAB RANGES"
entries() {
	awk -v root="$root" '
	function unescape(s,   out, i, c) {
		while ((i = index(s, "\\")) && match(substr(s, i), /^\\[0-3][0-7][0-7]/)) {
			c = substr(s, i + 1, 1) * 64 + substr(s, i + 2, 1) * 8 + substr(s, i + 3, 1)
			out = out substr(s, 1, i - 1) sprintf("%c", c)
			s = substr(s, i + 4)
		}
		return out s
	}
	/^#warmbox-list 1/ { headed = 1 }
	/^#/ || /^$/ { next }
	/^@meta / { print "@meta\t" substr($0, index($0, "\t") + 1) }
	/^@/ { next }
	{
		tab = index($0, "\t")
		name = tab ? substr($0, 1, tab - 1) : $0
		rest = tab ? substr($0, tab + 1) : ""
		sub(/\t.*/, "", rest)
		if (headed || tab)
			name = unescape(name)
		else
			sub(/^[0-9]+ \//, "/", name)
		if (name !~ /[\001-\037]/)
			print root name "\t" rest
	}' "$1"
}

# Places of files, as "NAME TAB LOGICAL TAB PHYSICAL TAB LENGTH" in bytes. filefrag says a name
# twice and a line an extent.
places() {
	tr '\n' '\0' | xargs -0 filefrag -v 2>/dev/null | awk '
	/^File size of / {
		name = substr($0, 14)
		match(name, / is [0-9]+ \([0-9]+ blocks? of [0-9]+ bytes\)$/)
		block = substr(name, RSTART)
		name = substr(name, 1, RSTART - 1)
		sub(/ bytes\)$/, "", block)
		sub(/.* /, "", block)
	}
	/^ *[0-9]+: / && !/inline|unknown_loc/ {
		gsub(/[:.]+/, " ")
		printf "%s\t%.0f\t%.0f\t%.0f\n", name, $2 * block, $4 * block, $6 * block
	}'
}

n=0
for list; do
	[ -r "$list" ] || die "$list: cannot read"
	n=$((n + 1))
	entries "$list" >"$tmp/$n"
	[ -s "$tmp/$n" ] || die "$list: no entries"
	printf '%s\n' "${list##*/}" >>"$tmp/titles"
done
if [ $# = 1 ]; then
	warmbox=${WARMBOX:-$(dirname "$0")/../warmbox}
	[ -x "$warmbox" ] || warmbox=warmbox
	"$warmbox" readahead-list ${root:+-C "$root"} -s -O disk "$1" >"$tmp/sorted" ||
		die "cannot sort $1"
	entries "$tmp/sorted" >"$tmp/2"
	echo "${1##*/}, sorted" >>"$tmp/titles"
	n=2
fi

cut -f1 "$tmp"/[0-9]* | grep -v '^@' | sort -u >"$tmp/names"
[ -s "$tmp/names" ] || die "no names of files"
tr '\n' '\0' <"$tmp/names" | xargs -0 stat -c '%d	%n' 2>/dev/null >"$tmp/devices"
most=$(cut -f1 "$tmp/devices" | sort | uniq -c | sort -n | awk 'END { print $2 }')
awk -F '\t' -v most="$most" '$1 == most { print $2 }' "$tmp/devices" | places >"$tmp/places"
[ -s "$tmp/places" ] || die "no file's place on the disk is known"

i=0
while [ $i -lt $n ]; do
	i=$((i + 1))
	echo "$tmp/$i"
done >"$tmp/panels"

awk -F '\t' -v titles="$tmp/titles" -v places="$tmp/places" -v list="$tmp/panels" '
function human(bytes) {
	if (bytes >= 1e9)
		return sprintf(bytes >= 1e10 ? "%.0f GB" : "%.1f GB", bytes / 1e9)
	return sprintf(bytes >= 1e7 ? "%.0f MB" : "%.1f MB", bytes / 1e6)
}
function thousands(n) {
	return n < 1000 ? n + 0 : int(n / 1000) sprintf(",%03d", n % 1000)
}
function quoted(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	return s
}
# Bytes [at, at + len) of the disk come next in panel p.
function piece(p, at, len, meta,   k) {
	if (len <= 0)
		return
	if (!count[p] || at != next_at[p]) {
		k = ++count[p]
		from[p, k] = at
		order[p, k] = total[p]
		kind[p, k] = meta
		length_of[p, k] = 0
		if (k > 1) {
			seeks[p]++
			travel[p] += at > next_at[p] ? at - next_at[p] : next_at[p] - at
		}
	}
	length_of[p, count[p]] += len
	next_at[p] = at + len
	total[p] += len
	if (meta)
		metadata[p] += len
	if (at + len > top)
		top = at + len
}
function entry(p, name, ranges,   r, k, e, i, off, end, a, b) {
	e = ranges == "" ? 1 : split(ranges, r, ",")
	for (k = 1; k <= e; k++) {
		off = ranges == "" ? 0 : r[k] + 0
		end = ranges == "" ? 1e18 : off + substr(r[k], index(r[k], "+") + 1)
		if (name == "@meta") {
			piece(p, off, end - off, 1)
			continue
		}
		for (i = 1; i <= extents[name]; i++) {
			a = off > logical[name, i] ? off : logical[name, i]
			b = logical[name, i] + len_of[name, i]
			b = end < b ? end : b
			piece(p, physical[name, i] + a - logical[name, i], b - a, 0)
		}
	}
}
function box(x, y, w, h, more) {
	printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" %s/>\n", x, y, w, h, more
}
function text(x, y, more, what) {
	printf "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, more, what
}
# One path of all pieces of a kind. A dot where another is adds nothing.
function draw(p, meta, left, colour,   k, x, y, w, h, d, seen) {
	d = ""
	for (k = 1; k <= count[p]; k++) {
		if (kind[p, k] != meta)
			continue
		x = sprintf("%.0f", left + order[p, k] / widest * W)
		y = sprintf("%.0f", T + H - from[p, k] / top * H)
		w = sprintf("%.0f", length_of[p, k] / widest * W)
		h = sprintf("%.0f", length_of[p, k] / top * H)
		if (w < 2)
			w = 2
		if ((x, y) in seen && w <= seen[x, y])
			continue
		seen[x, y] = w
		d = d "M" x " " y "l" w "-" h
	}
	if (d != "")
		printf "<path d=\"%s\" stroke=\"%s\"/>\n", d, colour
}
BEGIN {
	W = 420; H = 360; T = 74; L = 64; G = 44
	files = "#2868a8"; meta = "#e07b00"
	while ((getline <titles) > 0)
		title[++panels] = $0
	while ((getline <places) > 0) {
		i = ++extents[$1]
		logical[$1, i] = $2; physical[$1, i] = $3; len_of[$1, i] = $4
	}
	while ((getline file <list) > 0) {
		p++
		while ((getline <file) > 0)
			entry(p, $1, $2)
		if (total[p] > widest)
			widest = total[p]
	}
	if (!widest)
		exit 1
	width = L + panels * (W + G)
	height = T + H + 84
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\"", width, height
	printf " width=\"%d\" height=\"%d\"", width, height
	print " font-family=\"sans-serif\" font-size=\"13\" fill=\"#333\">"
	box(0, 0, width, height, "fill=\"#fff\"")
	for (p = 1; p <= panels; p++) {
		left = L + (p - 1) * (W + G)
		text(left, 28, "font-size=\"16\" font-weight=\"bold\"", quoted(title[p]))
		note = thousands(seeks[p]) (seeks[p] == 1 ? " seek" : " seeks")
		note = note " over " human(travel[p]) ", to read " human(total[p])
		if (metadata[p])
			note = note ", " human(metadata[p]) " of it metadata"
		text(left, 50, "", note)
		box(left, T, W, H, "fill=\"#f7f7f7\" stroke=\"#ccc\"")
		print "<g fill=\"none\" stroke-width=\"2\">"
		draw(p, 0, left, files)
		draw(p, 1, left, meta)
		print "</g>"
		text(left, T + H + 18, "", "0")
		text(left + W / 2, T + H + 18, "text-anchor=\"middle\"", "read so far")
		text(left + W, T + H + 18, "text-anchor=\"end\"", human(widest))
	}
	text(L - 6, T + 12, "text-anchor=\"end\"", human(top))
	text(L - 6, T + H, "text-anchor=\"end\"", "0")
	turn = "transform=\"rotate(-90 " (L - 22) " " (T + H / 2) ")\" text-anchor=\"middle\""
	text(L - 22, T + H / 2, turn, "place on the disk")
	box(L, T + H + 52, 12, 12, "fill=\"" files "\"")
	text(L + 20, T + H + 63, "", "files")
	box(L + 80, T + H + 52, 12, 12, "fill=\"" meta "\"")
	text(L + 100, T + H + 63, "",
		"metadata, if the list names it (else it is read as files are opened)")
	print "</svg>"
}'
