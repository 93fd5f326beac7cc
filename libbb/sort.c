/* SPDX-License-Identifier: 0BSD */
/* sort.c - heapsort: no memory, no worst case, and a fifth of the size of musl's qsort. */

#include "libbb.h"

/* Not inline: it is called twice. */
static __attribute__((noinline)) void swap(char *a, char *b, size_t size)
{
	while (size--) {
		char c = *a;

		*a++ = *b;
		*b++ = c;
	}
}

void bb_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *base = array;
	/* offsets of elements */
	size_t root, child, start = n / 2 * size, end = n * size;

	while (end > size) {
		if (start)
			start -= size;
		else
			swap(base, base + (end -= size), size);
		for (root = start; (child = root * 2 + size) < end; root = child) {
			if (child + size < end && compare(base + child, base + child + size) < 0)
				child += size;
			if (compare(base + root, base + child) >= 0)
				break;
			swap(base + root, base + child, size);
		}
	}
}
