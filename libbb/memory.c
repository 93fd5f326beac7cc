/* SPDX-License-Identifier: 0BSD */
/* memory.c - memory that is never freed: a pointer into pages from mmap. With musl, malloc and
 * free cost 7.7 kB. */

#include <sys/mman.h>

#include "libbb.h"

#define CHUNK 65536

static void *xmap(size_t size, int flags)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		bb_error_msg_and_die("out of memory");
	return mem;
}

void *xalloc(size_t size)
{
	static char *next;
	static size_t left;
	void *mem;

	if (size > SIZE_MAX - CHUNK)
		bb_error_msg_and_die("out of memory");
	size = (size + 7) & ~(size_t)7;
	if (size > left) {
		size_t n = (size + CHUNK - 1) / CHUNK * CHUNK;

		next = xmap(n, MAP_PRIVATE);
		left = n;
	}
	mem = next;
	next += size;
	left -= size;
	return mem;
}

void *xalloc_shared(size_t size)
{
	return xmap(size, MAP_SHARED);
}

char *xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(xalloc(n), s, n);
}

void llist_append(llist_t **head, char *data)
{
	llist_t *item = xalloc(sizeof(*item));

	item->data = data;
	while (*head)
		head = &(*head)->link;
	*head = item;
}
