/* SPDX-License-Identifier: 0BSD */
/* sort.c - heapsort: no memory, no worst case, and a fifth of the size of musl's qsort. */

#include "libbb.h"

static void swap(char *a, char *b, size_t size)
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
	size_t root, child, start = n / 2;

	while (n > 1) {
		if (start)
			start--;
		else
			swap(base, base + --n * size, size);
		for (root = start; (child = root * 2 + 1) < n; root = child) {
			char *left = base + child * size;

			if (child + 1 < n && compare(left, left + size) < 0)
				child++;
			if (compare(base + root * size, base + child * size) >= 0)
				break;
			swap(base + root * size, base + child * size, size);
		}
	}
}
