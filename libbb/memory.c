/* SPDX-License-Identifier: 0BSD */
/* memory.c - memory that is never freed: a pointer into pages from mmap. With musl, malloc and
 * free cost 7.7 kB. */

#include <sys/mman.h>

#include "libbb.h"

#define CHUNK 65536

static __attribute__((noinline)) void *xmap(size_t size, int flags)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED)
		bb_error_msg_and_die("out of memory");
	return mem;
}

void *xalloc_shared(size_t size)
{
	return xmap(size, MAP_SHARED);
}

void *xalloc(size_t size)
{
	static char *chunk;
	static size_t left;	/* at its beginning */

	if (size > left) {
		left = (size + CHUNK - 1) / CHUNK * CHUNK;
		/* too large for that, it is refused */
		chunk = xmap(MAX(left, size), MAP_PRIVATE);
	}
	left = (left - size) / 8 * 8;
	return chunk + left;
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
