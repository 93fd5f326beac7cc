/* SPDX-License-Identifier: 0BSD */
#include "rows.h"
#include "tap.h"

static const char *written(const char *name, enum bb_name_form form)
{
	bb_stdout.fd = -1;
	bb_stdout.len = 0;
	bb_put_name(name, form);
	bb_stdout.buf[bb_stdout.len] = '\0';
	return bb_stdout.buf;
}

static void check(const char *name, const char *plain, const char *raw, const char *json)
{
	CHECK(!strcmp(written(name, NAME_PLAIN), plain), "plain: %s", bb_stdout.buf);
	CHECK((int)bb_stdout.len >= bb_name_width(name), "%s is wider than %zu bytes", name,
		bb_stdout.len);
	CHECK(!strcmp(written(name, NAME_RAW), raw), "raw: %s", bb_stdout.buf);
	CHECK(!strcmp(written(name, NAME_JSON), json), "JSON: %s", bb_stdout.buf);
}

static void names(void)
{
	check("", "", "", "");
	check("a b", "a b", "a\\x20b", "a b");
	check("\"\\", "\"\\", "\"\\x5c", "\\\"\\\\");
	check("\t\n\x7f", "\\x09\\x0a\\x7f", "\\x09\\x0a\\x7f", "\\u0009\\u000a\\u007f");
	check("\u00e4", "\u00e4", "\\xc3\\xa4", "\u00e4");
	check("\U0001f600", "\U0001f600", "\\xf0\\x9f\\x98\\x80", "\U0001f600");
	/* C1 */
	check("\xc2\x80", "\\xc2\\x80", "\\xc2\\x80", "\xc2\x80");
	check("\xc2\x9f", "\\xc2\\x9f", "\\xc2\\x9f", "\xc2\x9f");
	check("\u00a0", "\u00a0", "\\xc2\\xa0", "\u00a0");
	check("\xff", "\\xff", "\\xff", "\\udcff");
	EQ(bb_name_width("\u00e4\u20ac"), 2);
	EQ(bb_name_width("a\xff\x01"), 9);
	EQ(bb_name_width("a\xc2\x85"), 9);
}

/* Sequences of two to four bytes that UTF-8 has not: byte by byte, and no byte behind the end. */
static void malformed(void)
{
	static const char *const bad[] = { "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
		"\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80",
		"\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3\xc3", "\xe2\x82\x41", "\xfe\xff" };
	char want[64], copy[8];
	size_t i, k, n;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		for (n = k = 0; bad[i][k]; k++)
			n += bb_snprintf(want + n, sizeof(want) - n,
				bad[i][k] & 0x80 ? "\\udc%02x" : "%c", (unsigned char)bad[i][k]);
		memcpy(copy, bad[i], strlen(bad[i]) + 1);
		CHECK(!strcmp(written(copy, NAME_JSON), want), "%s, not %s", bb_stdout.buf, want);
	}
	check("\xed\x9f\xbf", "\xed\x9f\xbf", "\\xed\\x9f\\xbf", "\xed\x9f\xbf");
	check("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf", "\\xf4\\x8f\\xbf\\xbf", "\xf4\x8f\xbf\xbf");
}

int main(void)
{
	names();
	tap("names in all forms");
	malformed();
	tap("what is not UTF-8");
	return tap_end();
}
