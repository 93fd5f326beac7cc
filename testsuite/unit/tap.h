/* SPDX-License-Identifier: 0BSD */
/* tap.h - the unit tests' few words: CHECK() what must hold, then tap() the name of it all. */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>
#include <stdlib.h>

static unsigned tap_points, tap_failed, tap_bad;

/* Says where and with which values; after ten failures of one point only counts. */
#define CHECK(cond, ...) \
	((cond) ? (void)0 : \
	 tap_bad++ < 10 ? (void)(printf("# %s:%d: %s: ", __FILE__, __LINE__, #cond), \
				 printf(__VA_ARGS__), putchar('\n')) : (void)0)
#define EQ(got, want) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		CHECK(got_ == want_, "%s is %lld, wanted %lld", #got, got_, want_); \
	} while (0)
#define STREQ(got, want) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		CHECK(got_ && !strcmp(got_, want_), "%s is \"%s\", wanted \"%s\"", \
		      #got, got_ ? got_ : "NULL", want_); \
	} while (0)

/* Ends a test point: good when nothing CHECKed since the last one failed. */
static inline void tap(const char *name)
{
	if (tap_bad > 10)
		printf("# and %u more\n", tap_bad - 10);
	printf("%s %u - %s\n", tap_bad ? "not ok" : "ok", ++tap_points, name);
	fflush(stdout);
	tap_failed += tap_bad != 0;
	tap_bad = 0;
}

static inline int tap_end(void)
{
	printf("1..%u\n", tap_points);
	return tap_failed != 0;
}

#endif
