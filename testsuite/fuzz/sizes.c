/* SPDX-License-Identifier: 0BSD */
/* bb_parse_size against the same in 128 bits, and bb_human */
#include "fuzz.h"

static int parse(const char *s, bool may_be_negative, __int128 *v)
{
	const char *units = "kKmMgGtT", *unit;
	bool negative = may_be_negative && *s == '-';
	int factor = 1024;
	__int128 limit = INT64_MAX;

	s += negative;
	if (*s < '0' || *s > '9')
		return -EINVAL;
	for (*v = 0; *s >= '0' && *s <= '9'; s++)
		*v = MIN(*v * 10 + (*s - '0'), (__int128)1 << 70);
	/* digits that fit nowhere are not looked behind */
	if (*v > UINT64_MAX)
		return -ERANGE;
	if (*s) {
		unit = strchr(units, *s++);
		if (!unit)
			return -EINVAL;
		if (*s == 'B') {
			factor = 1000;
			s++;
		} else if (*s == 'i' && s[1] == 'B') {
			s += 2;
		}
		if (*s)
			return -EINVAL;
		for (unit -= (unit - units) % 2; unit >= units; unit -= 2)
			*v = MIN(*v * factor, limit + 1);
	}
	if (*v > limit)
		return -ERANGE;
	if (negative)
		*v = -*v;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = fuzz_string(data, size), human[8];
	const char *p = s;
	uint64_t u;

	for (int flags = 0; flags <= SIZE_NEGATIVE; flags += SIZE_NEGATIVE) {
		int64_t v = 0;
		__int128 want = 0;
		int r = bb_parse_size(s, flags, &v);

		HOLDS(r == parse(s, flags, &want));
		HOLDS(r || v == want);
		bb_human(human, (uint64_t)v);
		HOLDS(strlen(human) < sizeof(human));
	}
	HOLDS(bb_parse_u64(&p, &u) || (p > s && p <= s + size));
	free(s);
	return 0;
}
