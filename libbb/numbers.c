/* SPDX-License-Identifier: 0BSD */
/* numbers.c - sizes as people write and read them. */

#include "libbb.h"
#include "pagecache.h"

int bb_parse_u64(const char **s, uint64_t *v)
{
	const char *p = *s;
	uint64_t n = 0;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (n > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		n = n * 10 + digit;
	}
	*s = p;
	*v = n;
	return 0;
}

int bb_parse_size(const char *s, int flags, int64_t *v)
{
	static const char units[] = "kKmMgGtT";
	bool negative = (flags & SIZE_NEGATIVE) && *s == '-';
	uint64_t n;
	int r;

	s += negative;
	r = bb_parse_u64(&s, &n);
	if (r)
		return r;
	if (*s) {
		const char *unit = bb_strchrnul(units, *s);
		int power;
		uint64_t factor = 1024;

		if (!*unit)
			return -EINVAL;
		s++;
		if (s[0] == 'B' && !s[1]) {
			factor = 1000;
			s++;
		} else if (s[0] == 'i' && s[1] == 'B') {
			s += 2;
		}
		if (*s)
			return -EINVAL;
		for (power = (int)(unit - units) / 2; power >= 0; power--) {
			if (n > INT64_MAX / factor)
				return -ERANGE;
			n *= factor;
		}
	}
	if (n > INT64_MAX)
		return -ERANGE;
	*v = negative ? -(int64_t)n : (int64_t)n;
	return 0;
}

int64_t xatosize(const char *s, int flags, const char *what)
{
	int64_t v = 0;
	int r = bb_parse_size(s, flags, &v);

	if (r)
		bb_usage_error("bad %s '%s'%s", what, s, r == -ERANGE ? ": too large" : "");
	return v;
}

uint64_t xatobudget(const char *s)
{
	const char *p;
	uint64_t percent;

	if (!s)
		s = "50%";
	p = s;
	if (!bb_parse_u64(&p, &percent) && p[0] == '%' && !p[1]) {
		if (!percent || percent > 100)
			bb_usage_error("bad amount of memory '%s': not 1%% to 100%%", s);
		return pc_budget((unsigned)percent);
	}
	return (uint64_t)xatosize(s, 0, "amount of memory");
}

/* Rounds as util-linux does: cut to thousandths, then to the nearest tenth; a tenth of 0 goes. */
char *bb_human(char buf[8], uint64_t bytes)
{
	int shift = 0;
	unsigned whole, tenths;
	uint64_t rest;

	while (shift < 60 && bytes >> shift >= 1024)
		shift += 10;
	whole = (unsigned)(bytes >> shift);
	rest = bytes & ((1ULL << shift) - 1);
	if (shift > 50)		/* a thousand times the rest would not fit */
		tenths = (unsigned)((rest >> 10) * 1000 >> (shift - 10));
	else
		tenths = (unsigned)(rest * 1000 >> shift);
	tenths = whole * 10 + (tenths + 50) / 100;
	whole = tenths / 10;
	tenths %= 10;
	if (tenths)
		bb_snprintf(buf, 8, "%u.%u%c", whole, tenths, "BKMGTPE"[shift / 10]);
	else
		bb_snprintf(buf, 8, "%u%c", whole, "BKMGTPE"[shift / 10]);
	return buf;
}

const char *bb_amount(uint64_t bytes, bool unknown)
{
	static char bufs[4][8];
	static unsigned char nth;

	return unknown ? "?" : bb_human(bufs[nth++ % 4], bytes);
}
