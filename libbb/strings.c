/* SPDX-License-Identifier: 0BSD */
/* strings.c - what libc has too, but larger than its use here deserves. */

#include "libbb.h"

char *bb_strstr(const char *s, const char *what)
{
	size_t len = strlen(what);

	for (; *s; s++)
		if (!strncmp(s, what, len))
			return (char *)s;
	return NULL;
}
