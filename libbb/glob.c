/* SPDX-License-Identifier: 0BSD */
/* glob.c - shell patterns on whole paths. musl's fnmatch costs 18.6 kB. */

#include "libbb.h"

/* Matches c with the bracket expression behind "[" at p. Returns what is behind its "]", and in
 * *matched the answer; NULL: there is no "]", the "[" is an ordinary character. */
static const char *bracket(const char *p, unsigned char c, bool *matched)
{
	bool negated = *p == '!' || *p == '^', found = false;
	const char *first;

	p += negated;
	for (first = p; *p && (*p != ']' || p == first); p++) {
		unsigned char low;

		if (*p == '\\' && p[1])
			p++;
		low = (unsigned char)*p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
			p++;
		}
		found |= low <= c && c <= (unsigned char)*p;
	}
	if (!*p)
		return NULL;
	*matched = found != negated;
	return p + 1;
}

bool bb_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		const char *next = pattern + 1, *end;
		bool matched = *pattern == *s;

		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
			continue;
		}
		if (*pattern == '?') {
			matched = true;
		} else if (*pattern == '[') {
			end = bracket(next, (unsigned char)*s, &matched);
			if (end)
				next = end;
		} else if (*pattern == '\\' && *next) {
			/* a last one is itself */
			matched = *next++ == *s;
		}
		if (matched) {
			pattern = next;
			s++;
		} else if (star) {
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool bb_glob_any(const llist_t *patterns, const char *s)
{
	for (; patterns; patterns = patterns->link)
		if (bb_glob(patterns->data, s))
			return true;
	return false;
}
