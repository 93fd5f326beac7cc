/* SPDX-License-Identifier: 0BSD */
/* bb_vformat against vsnprintf. Input: bytes that choose flags, width, precision, size and
 * conversion, then the value. */
#include "fuzz.h"
#include <stdio.h>

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void PRINTF_LIKE(2, 3) same(size_t size, const char *fmt, ...)
{
	char want[600], *got = malloc(size);
	struct bb_out o = { .fd = -1, .size = size - 1, .buf = got };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(want, size, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	bb_vformat(&o, fmt, ap);
	va_end(ap);
	got[o.len] = '\0';
	HOLDS(!strcmp(got, want));
	free(got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sizes[] = { "", "l", "ll", "z", "j" };
	unsigned what = fuzz_byte(&data, &size), width = fuzz_byte(&data, &size);
	unsigned precision = fuzz_byte(&data, &size);
	size_t room = 1 + fuzz_byte(&data, &size) * 2;
	char fmt[80], *p = fmt, *s;
	uint64_t v = 0;

	p += sprintf(p, "%s%%", what & 1 ? "<" : "");
	if (what & 2)
		*p++ = '-';
	else if (what & 4 && what & 8)
		*p++ = '0';
	if (width)
		p += sprintf(p, "%u", width);
	if (!(what & 8)) {
		s = fuzz_string(data, size);
		if (what & 16)
			p += sprintf(p, ".%u", precision);
		strcpy(p, "s>");
		same(room, fmt, s);
		free(s);
		return 0;
	}
	for (int i = 0; i < 8; i++)
		v = v << 8 | fuzz_byte(&data, &size);
	sprintf(p, "%s%c|%%%%", sizes[what >> 5 < 5 ? what >> 5 : 0], "dux"[precision % 3]);
	switch (what >> 5) {
	case 1: same(room, fmt, (unsigned long)v); break;
	case 2: same(room, fmt, (unsigned long long)v); break;
	case 3: same(room, fmt, (size_t)v); break;
	case 4: same(room, fmt, (uintmax_t)v); break;
	default: same(room, fmt, (unsigned)v);
	}
	return 0;
}
