/* SPDX-License-Identifier: 0BSD */
/* names.c - file names, whatever bytes they are of, as text for people and for programs. */

#include "rows.h"

/* The length of the character that p begins with; 0: it is none of UTF-8, or one of control. Those
 * above ASCII, U+0080 ... U+009F, may stand in JSON. */
static int length_at(const unsigned char *p, bool json)
{
	int i, n = 2 + (*p >= 0xe0) + (*p >= 0xf0);

	if (*p < 0x80)
		return *p >= 0x20 && *p != 0x7f;
	if (*p < 0xc2 || *p >= 0xf5 || (*p == 0xc2 && p[1] < 0xa0 && !json))
		return 0;

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

	while (*p) {
		int n = form == NAME_RAW && (*p >= 0x80 || *p == ' ' || *p == '\\') ? 0
			: length_at(p, form == NAME_JSON);

		if (form != NAME_JSON && !n)
			bb_printf("\\x%02x", *p);
		else if (!n)
			bb_printf(*p < 0x80 ? "\\u%04x" : "\\udc%02x", *p);
		else if (form == NAME_JSON && (*p == '"' || *p == '\\'))
			bb_printf("\\%c", *p);
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
		int n = length_at(p, false);

		width += n ? 1 : 4;
		p += n ? n : 1;
	}
	return width;
}
