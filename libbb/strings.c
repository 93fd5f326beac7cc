/* SPDX-License-Identifier: 0BSD */
/* strings.c - what libc has too, but larger than its use here deserves. */

#include "libbb.h"

char *bb_strchrnul(const char *s, char c)
{
	while (*s && *s != c)
		s++;
	return (char *)s;
}

char *is_prefixed_with(const char *s, const char *key)
{
	while (*key)
		if (*s++ != *key++)
			return NULL;
	return (char *)s;
}

char *bb_strstr(const char *s, const char *what)
{
	for (; *s; s++)
		if (is_prefixed_with(s, what))
			return (char *)s;
	return NULL;
}

bool bb_unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (*s == '\\') {
			unsigned v = 0;
			int i;

			for (i = 1; i <= 3; i++) {
				if (s[i] < '0' || s[i] > '7')
					return false;
				v = v * 8 + (unsigned)(s[i] - '0');
			}
			if (!v || v > 255)
				return false;
			*out++ = (char)v;
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
	return true;
}

int index_in_strings(const char *strings, const char *key)
{
	int i;

	for (i = 0; *strings; i++, strings += strlen(strings) + 1)
		if (!strcmp(strings, key))
			return i;
	return -1;
}
