# SPDX-License-Identifier: 0BSD
# pack-usage.awk - gen/usage.h: the texts, where each begins, and what usage_texts() unpacks
# usage: awk -f pack-usage.awk gen/usage.txt
#
# Texts are bits, 7 a character. How often 0 and 1 have followed so far, where the bits before in
# this character, and up to 7 characters before it, were the same, says how likely each is. The
# more likely a bit, the less it adds to the code: 2.8 bits a character, where pairs of bytes take
# 4.5, and LZ with Huffman codes 3.1. The code is range ANS: a number that grows with each bit by
# 1 / likelihood, and gives bytes away when it gets too large. It is made from the last bit to the
# first, so that it is read from the first to the last.

BEGIN {
	low = 16777216	# the number of the code is from this up to 2^32; "^" not every awk has
	all = names = ""
}

/^\f/ {
	all = all (all == "" ? "" : "\f")
	names = names "#define " substr($0, 2) "_usage " length(all) "\n"
	next
}
{ all = all $0 "\n" }

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
	s = swap(swap(s, "??", "?\\?"), "\n", "\\n")	# no trigraphs
	return "\"" swap(s, "\f", "\\0\" \\\n\t\"") "\\0\""
}

# Notes the place and share of this bit, and counts it: count[] is that of 1, and 65536 times of 0.
# What followed last counts most: where the other bit comes, the count of this is halved.
function add(bit,   h, k, weight, ones, sum) {
	sum[0] = sum[1] = weight = 1
	h = 0
	for (k = 0; k < 8; k++) {
		h = (h + past[at - k]) * factor % 4294967296
		context[k] = h - 2147483648	# in the range of any awk's integers
		if ((value[k] = count[context[k]])) {
			ones = value[k] % 65536
			sum[0] += (value[k] - ones) / 65536 * weight
			sum[1] += ones * weight
		} else {
			ncontexts++
		}
		weight *= 2
	}
	for (k = 0; k < 8; k++) {
		ones = value[k] % 65536
		count[context[k]] = value[k] + (bit ? 1 - int((value[k] - ones) / 131072) * 65536 \
			: 65536 - int(ones / 2))
	}
	place[++nbits] = bit ? sum[0] : 0
	share[nbits] = sum[bit]
	total[nbits] = sum[0] + sum[1]
}

function learn(   n, c, half) {
	split("", count)
	nbits = ncontexts = 0
	for (at = -7; at < 0; at++)
		past[at] = 0
	n = length(all)
	for (at = 0; at <= n; at++) {
		c = at < n ? code[substr(all, at + 1, 1)] : 0
		past[at] = 1
		for (half = 64; half >= 1; half /= 2) {
			add(c >= half)
			past[at] = past[at] * 2 + (c >= half)
			if (c >= half)
				c -= half
		}
		past[at] -= 128
	}
}

function give() {
	byte[++nbytes] = number % 256
	number = int(number / 256)
}
# Seldom a number comes below its range; then another start has to be tried.
function encode(start,   i, next_number) {
	number = start
	nbytes = 0
	for (i = nbits; i > 0; i--) {
		while ((next_number = int(number / share[i]) * total[i] + place[i] + \
				number % share[i]) >= 256 * low)
			give()
		if (next_number < low)
			return 0
		number = next_number
	}
	for (i = 0; i < 4; i++)
		give()
	return 1
}

END {
	if (all ~ /[^\f\t\n -~]/ || length(all) > 65000) {
		print "applets/*.c: the //usage: is not ASCII, or more than 65000 bytes" | "cat >&2"
		exit 1
	}
	for (i = 1; i < 127; i++)
		code[sprintf("%c", i)] = i
	code["\f"] = 0
	factor = 738375
	do {
		factor += 2
		learn()
	} while (-2147483648 in count)	# where the hash is 0, no context is, for usage_texts()
	for (start = low; !encode(start); start++)
		;
	bits = 10
	for (slots = 1024; slots < ncontexts * 1.5; slots *= 2)
		bits++
	printf "%s", names
	print "#define USAGE_TEXTS \\\n\t" quoted(all)
	print "#define USAGE_LENGTH " length(all) + 1
	print "#define USAGE_FACTOR " factor
	print "#define USAGE_BITS " bits
	printf "#define USAGE_PACKED "
	for (; nbytes > 0; nbytes--)
		printf "%d,", byte[nbytes]
	print ""
}
