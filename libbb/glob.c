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
		unsigned char low, high;

		if (*p == '\\' && p[1])
			p++;
		low = high = (unsigned char)*p;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			p += 2;
			if (*p == '\\' && p[1])
				p++;
			high = (unsigned char)*p;
		}
		found |= low <= c && c <= high;
	}
	*matched = found != negated;
	return *p ? p + 1 : NULL;
}

bool bb_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		const char *next = pattern + 1;
		bool matched = false;

		switch (*pattern) {
		case '*':
			star = ++pattern;
			retry = s;
			continue;
		case '?':
			matched = true;
			break;
		case '[': {
			const char *end = bracket(next, (unsigned char)*s, &matched);

			if (end)
				next = end;
			else
				matched = *s == '[';
			break;
		}
		default:
			/* a last backslash is itself */
			if (*pattern == '\\' && *next)
				matched = *next++ == *s;
			else
				matched = *pattern == *s;
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
