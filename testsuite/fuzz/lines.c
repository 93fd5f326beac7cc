/* SPDX-License-Identifier: 0BSD */
/* bb_lines_next against memchr. Input: a byte that chooses the delimiter and the size of reads;
 * in the rest 0x01 N stands for 500 * N times x, for records around the largest. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[400000];
	static const size_t steps[] = { 1, 2, 3, 7, 100, 4095, 4096, 100000 };
	static struct bb_lines lines;
	unsigned choice = fuzz_byte(&data, &size), too_long = 0;
	char delim = choice & 8 ? '\0' : '\n', *record;
	size_t len = 0, n;

	while (size && len < 200000) {
		unsigned c = fuzz_byte(&data, &size);

		if (c == 1) {
			n = 500 * fuzz_byte(&data, &size);
			memset(text + len, 'x', n);
			len += n;
		} else {
			text[len++] = (char)c;
		}
	}
	n = steps[choice & 7];
	fuzz_input(text, len, len > 5000 ? MAX(n, 100u) : n);
	bb_lines_start(&lines, FUZZ_FD, delim);
	for (char *p = text; p < text + len; p += n + 1) {
		char *end = memchr(p, delim, (size_t)(text + len - p));
		size_t got;

		n = (size_t)((end ? end : text + len) - p);
		if (n + 1 > BB_LINE_MAX) {
			too_long++;
			continue;
		}
		record = bb_lines_next(&lines, &got);
		HOLDS(record && got == n && !memcmp(record, p, n) && !record[n]);
	}
	HOLDS(!bb_lines_next(&lines, &n) && !bb_lines_next(&lines, &n));
	HOLDS(!lines.error && lines.too_long == too_long);
	return 0;
}
