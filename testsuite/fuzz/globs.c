/* SPDX-License-Identifier: 0BSD */
/* bb_glob against fnmatch(3), for patterns that mean the same to both. Input: PATTERN NUL STRING */
#include "fuzz.h"
#include <fnmatch.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), *copy;
	size_t len = strlen(text);
	const char *s = len < size ? text + len + 1 : "";
	bool matches, comparable = !strchr(text, '[');

	for (const char *p = text; *p; p++)
		if (*p == '\\' && !*++p) {
			comparable = false;	/* a lone backslash at the end */
			break;
		}
	/* a copy, so that a step too far is seen */
	copy = fuzz_string((const uint8_t *)text, len);
	matches = bb_glob(copy, s);
	/* fnmatch may take exponential time */
	if (comparable && size < 60)
		HOLDS(matches == !fnmatch(copy, s, 0));
	free(copy);
	free(text);
	return 0;
}
