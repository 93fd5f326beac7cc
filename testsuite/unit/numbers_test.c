/* SPDX-License-Identifier: 0BSD */
#include "libbb.h"
#include "tap.h"
#include <inttypes.h>

static void size_is(const char *s, int flags, int64_t want)
{
	int64_t v = -77;
	int r = bb_parse_size(s, flags, &v);

	CHECK(r == 0 && v == want, "\"%s\": returns %d, %" PRId64 " instead of %" PRId64, s, r, v,
	      want);
}

static void size_fails(const char *s, int flags, int want)
{
	int64_t v = -77;
	int r = bb_parse_size(s, flags, &v);

	CHECK(r == want, "\"%s\": returns %d, value %" PRId64, s, r, v);
}

static void sizes(void)
{
	static const char letters[] = "KMGT";
	char s[40];

	size_is("0", 0, 0);
	size_is("000017", 0, 17);
	size_is("4096", 0, 4096);
	size_is("9223372036854775807", 0, INT64_MAX);
	size_is("8388607T", 0, INT64_C(8388607) << 40);
	for (int i = 0; i < 4; i++) {
		int64_t binary = INT64_C(3) << (10 * (i + 1)), decimal = 3;

		for (int k = 0; k <= i; k++)
			decimal *= 1000;
		snprintf(s, sizeof(s), "3%c", letters[i]);
		size_is(s, 0, binary);
		snprintf(s, sizeof(s), "3%c", letters[i] | 0x20);
		size_is(s, 0, binary);
		snprintf(s, sizeof(s), "3%ciB", letters[i]);
		size_is(s, 0, binary);
		snprintf(s, sizeof(s), "3%cB", letters[i]);
		size_is(s, 0, decimal);
	}
	tap("sizes: units");

	size_is("-1", SIZE_NEGATIVE, -1);
	size_is("-2K", SIZE_NEGATIVE, -2048);
	size_is("-0", SIZE_NEGATIVE, 0);
	size_is("-9223372036854775807", SIZE_NEGATIVE, -INT64_MAX);
	size_is("5", SIZE_NEGATIVE, 5);
	size_fails("-1", 0, -EINVAL);
	size_fails("--1", SIZE_NEGATIVE, -EINVAL);
	size_fails("-", SIZE_NEGATIVE, -EINVAL);
	tap("sizes: negative ones where allowed");

	for (const char *bad = "\0 1\0001 \0+1\0K\0kK\0001KK\0001Ki\0001KBB\0001KiBx\0001B1\0"
	     "1e3\0001.5M\0000x10\0x\0001%\0001\n\000\0\0"; *bad || bad[1]; bad += strlen(bad) + 1)
		size_fails(bad, 0, -EINVAL);
	tap("sizes: what is no number");

	size_fails("9223372036854775808", 0, -ERANGE);
	size_fails("18446744073709551615", 0, -ERANGE);
	size_fails("18446744073709551616", 0, -ERANGE);
	size_fails("99999999999999999999999999", 0, -ERANGE);
	size_fails("8388608T", 0, -ERANGE);
	size_fails("9223372036854775807K", 0, -ERANGE);
	size_fails("-9223372036854775809", SIZE_NEGATIVE, -ERANGE);
	tap("sizes: too large ones");
}

static void digits(void)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
		int left;
	} cases[] = {
		{ "0", 0, 0, 0 }, { "12+34", 0, 12, 3 }, { "007,", 0, 7, 1 },
		{ "18446744073709551615", 0, UINT64_MAX, 0 },
		{ "18446744073709551616", -ERANGE, 0, 0 },
		{ "18446744073709551620", -ERANGE, 0, 0 },
		{ "", -EINVAL, 0, 0 }, { "-1", -EINVAL, 0, 0 }, { "+1", -EINVAL, 0, 0 },
		{ " 1", -EINVAL, 0, 0 }, { "a", -EINVAL, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *p = cases[i].text;
		uint64_t v = 0;

		EQ(bb_parse_u64(&p, &v), cases[i].result);
		if (cases[i].result)
			continue;
		CHECK(v == cases[i].value, "%s: %" PRIu64, cases[i].text, v);
		EQ(strlen(p), cases[i].left);
	}
	tap("digits: up to 64 bits, and what follows");
}

/* As fincore 2.38 printed them for files of these sizes. */
static const struct {
	uint64_t bytes;
	const char *text;
} human[] = {
	{ 0, "0B" }, { 1, "1B" }, { 5, "5B" }, { 1023, "1023B" }, { 1024, "1K" }, { 1025, "1K" },
	{ 1064, "1K" }, { 1075, "1K" }, { 1076, "1.1K" }, { 1126, "1.1K" }, { 1127, "1.1K" },
	{ 1484, "1.4K" }, { 1485, "1.5K" }, { 1500, "1.5K" }, { 1535, "1.5K" }, { 1536, "1.5K" },
	{ 1537, "1.5K" }, { 1996, "1.9K" }, { 1997, "2K" }, { 2047, "2K" }, { 2048, "2K" },
	{ 9216, "9K" }, { 9256, "9K" }, { 9267, "9K" }, { 9268, "9.1K" }, { 9318, "9.1K" },
	{ 9676, "9.4K" }, { 9677, "9.5K" }, { 10188, "9.9K" }, { 10189, "10K" }, { 10239, "10K" },
	{ 10240, "10K" }, { 102400, "100K" }, { 1047552, "1023K" }, { 1047592, "1023K" },
	{ 1047603, "1023K" }, { 1047604, "1023.1K" }, { 1047654, "1023.1K" },
	{ 1048012, "1023.4K" }, { 1048013, "1023.5K" }, { 1048524, "1023.9K" },
	{ 1048525, "1024K" }, { 1048575, "1024K" }, { 1048576, "1M" }, { 1090519, "1M" },
	{ 1101004, "1M" }, { 1101005, "1.1M" }, { 1101738, "1.1M" }, { 1101843, "1.1M" },
	{ 1153433, "1.1M" }, { 1520434, "1.4M" }, { 1520435, "1.4M" }, { 1520436, "1.5M" },
	{ 2044723, "1.9M" }, { 2044724, "2M" }, { 2045037, "2M" }, { 2097150, "2M" },
	{ 3145728, "3M" }, { 9437184, "9M" }, { 9479127, "9M" }, { 9489612, "9M" },
	{ 9489613, "9.1M" }, { 9490346, "9.1M" }, { 9490451, "9.1M" }, { 9542041, "9.1M" },
	{ 9909042, "9.4M" }, { 9909043, "9.4M" }, { 9909044, "9.5M" }, { 10433331, "9.9M" },
	{ 10433332, "10M" }, { 10433645, "10M" }, { 10485758, "10M" }, { 1072693248, "1023M" },
	{ 1072735191, "1023M" }, { 1072745676, "1023M" }, { 1072745677, "1023.1M" },
	{ 1072746410, "1023.1M" }, { 1072746515, "1023.1M" }, { 1072798105, "1023.1M" },
	{ 1073165106, "1023.4M" }, { 1073165107, "1023.4M" }, { 1073165108, "1023.5M" },
	{ 1073689395, "1023.9M" }, { 1073689396, "1024M" }, { 1073689709, "1024M" },
	{ 1073741822, "1024M" }, { 1073741824, "1G" }, { 1116691496, "1G" }, { 1127428807, "1G" },
	{ 1127428915, "1G" }, { 1127428916, "1.1G" }, { 1128180534, "1.1G" },
	{ 1128287908, "1.1G" }, { 1181116006, "1.1G" }, { 1556924571, "1.4G" },
	{ 1556925644, "1.4G" }, { 1556925645, "1.5G" }, { 2093796449, "1.9G" },
	{ 2093796556, "1.9G" }, { 2093796557, "2G" }, { 2094118679, "2G" }, { 2147482574, "2G" },
	{ 9663676416, "9G" }, { 9706626088, "9G" }, { 9717363399, "9G" }, { 9717363507, "9G" },
	{ 9717363508, "9.1G" }, { 9718115126, "9.1G" }, { 9718222500, "9.1G" },
	{ 9771050598, "9.1G" }, { 10146859163, "9.4G" }, { 10146860236, "9.4G" },
	{ 10146860237, "9.5G" }, { 10683731041, "9.9G" }, { 10683731148, "9.9G" },
	{ 10683731149, "10G" }, { 10684053271, "10G" }, { 10737417166, "10G" },
	{ 1154487209164, "1T" }, { 1154487209165, "1.1T" }, { 1155256867304, "1.1T" },
	{ 2144047674163, "1.9T" }, { 2144047674164, "2T" },
};

int main(void)
{
	char buf[8], text[32];

	sizes();
	digits();
	for (size_t i = 0; i < ARRAY_SIZE(human); i++) {
		bb_human(buf, human[i].bytes);
		CHECK(!strcmp(buf, human[i].text), "%" PRIu64 ": %s instead of %s", human[i].bytes,
		      buf, human[i].text);
	}
	tap("human sizes are util-linux's");
	STREQ(bb_human(buf, UINT64_MAX), "16E");
	STREQ(bb_human(buf, UINT64_C(1) << 60), "1E");
	STREQ(bb_human(buf, UINT64_C(1023) << 50), "1023P");
	STREQ(bb_human(buf, (UINT64_C(1) << 60) - 1), "1024P");
	STREQ(bb_human(buf, (UINT64_C(3) << 50) + (UINT64_C(1) << 49)), "3.5P");
	for (unsigned i = 0; i < 64; i++)
		for (int d = -1; d <= 1; d++) {
			bb_human(buf, (UINT64_C(1) << i) + (uint64_t)d);
			CHECK(strlen(buf) < sizeof(buf), "2^%u%+d", i, d);
		}
	tap("human sizes up to 2^64");
	bb_snprintf(text, sizeof(text), "%s %s %s %s", bb_amount(1, false), bb_amount(2048, false),
		bb_amount(3, true), bb_amount(4, false));
	STREQ(text, "1B 2K ? 4B");
	tap("several amounts in a call");
	return tap_end();
}
