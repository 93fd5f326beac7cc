/* SPDX-License-Identifier: 0BSD */
#include "libbb.h"
#include "tap.h"
#include <stdlib.h>

static int compare_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* Elements of an odd size, by their first byte. */
struct odd {
	unsigned char key, rest[4];
};

static int compare_odd(const void *a, const void *b)
{
	return ((const struct odd *)a)->key - ((const struct odd *)b)->key;
}

static void sorts(void)
{
	static int a[2000], b[2000];
	static struct odd c[256];

	srand(1);
	for (int round = 0; round < 2000; round++) {
		size_t n = (size_t)(round < 100 ? round : rand() % 2000);
		int range = round % 3 ? 1000000 : 5;

		for (size_t i = 0; i < n; i++)
			a[i] = b[i] = round % 7 == 0 ? (int)i : round % 7 == 1 ? -(int)i
				: rand() % range;
		bb_sort(a, n, sizeof(a[0]), compare_int);
		qsort(b, n, sizeof(b[0]), compare_int);
		CHECK(!memcmp(a, b, n * sizeof(a[0])), "round %d, %zu elements", round, n);
	}
	for (unsigned i = 0; i < 256; i++)
		memset(&c[i * 7 % 256], (int)i, sizeof(c[0]));
	bb_sort(c, 256, sizeof(c[0]), compare_odd);
	for (unsigned i = 0; i < 256; i++)
		CHECK(c[i].key == i && c[i].rest[3] == i, "element %u", i);
}

int main(void)
{
	static const char *const texts[] = { "", "a", "ab", "aab", "aaab", "abcabd", "xabx", "b" };

	sorts();
	tap("bb_sort sorts as qsort does");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (size_t j = 1; j < ARRAY_SIZE(texts); j++)
			CHECK(bb_strstr(texts[i], texts[j]) == strstr(texts[i], texts[j]),
			      "%s in %s", texts[j], texts[i]);
	tap("bb_strstr finds what strstr finds");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (const char *c = "abx"; *c; c++)
			CHECK(bb_strchrnul(texts[i], *c) == texts[i]
			      + strcspn(texts[i], (char[]){ *c, '\0' }), "%c in %s", *c, texts[i]);
	tap("bb_strchrnul finds the first, or the end");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		for (size_t j = 0; j < ARRAY_SIZE(texts); j++) {
			size_t n = strlen(texts[j]);

			CHECK(is_prefixed_with(texts[i], texts[j])
			      == (strncmp(texts[i], texts[j], n) ? NULL : texts[i] + n),
			      "%s before %s", texts[j], texts[i]);
		}
	tap("is_prefixed_with says what is behind");
	return tap_end();
}
