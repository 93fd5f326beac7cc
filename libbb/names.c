/* SPDX-License-Identifier: 0BSD */
/* names.c - file names, whatever bytes they are of, as text for people and for programs. */

#include "rows.h"

/* The length of the UTF-8 sequence that p begins with; 0: it is none. */
static int utf8_length(const unsigned char *p)
{
	int i, n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4
		: 0;

	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* no overlong forms, no surrogates, nothing above U+10FFFF */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0)
			|| (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

void bb_put_name(const char *name, enum bb_name_form form)
{
	const unsigned char *p = (const unsigned char *)name;
	bool raw = form == NAME_RAW;

	while (*p) {
		int n = raw && *p >= 0x80 ? 0 : utf8_length(p);
		bool odd = !n || *p < 0x20 || *p == 0x7f;

		if (form == NAME_JSON && (odd || *p == '"' || *p == '\\'))
			bb_printf(!n ? "\\udc%02x" : odd ? "\\u%04x" : "\\%c", *p);
		else if (odd || (raw && (*p == ' ' || *p == '\\')))
			bb_printf("\\x%02x", *p);
		else
			bb_putmem(&bb_stdout, p, (size_t)n);
		p += n ? n : 1;
	}
}

int bb_name_width(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;
	int width = 0;

	while (*p) {
		int n = utf8_length(p);

		width += !n || *p < 0x20 || *p == 0x7f ? 4 : 1;
		p += n ? n : 1;
	}
	return width;
}
