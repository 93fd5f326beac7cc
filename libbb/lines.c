/* SPDX-License-Identifier: 0BSD */
/* lines.c - a file's records, one by one, in constant memory. */

#include "libbb.h"

/* Small reads keep small the memory that a short list touches. */
#define CHUNK 4096

void bb_lines_start(struct bb_lines *l, int fd, char delim)
{
	char *buf = l->buf ? l->buf : xalloc(BB_LINE_MAX + 1);

	*l = (struct bb_lines){ .buf = buf, .fd = fd, .delim = delim };
}

char *bb_lines_next(struct bb_lines *l, size_t *len)
{
	size_t seen = 0;	/* bytes of the record without its end */

	for (;;) {
		char *line = l->buf + l->start, *stop = line + seen;
		size_t have = l->end - l->start, left = have - seen;
		ssize_t n;

		/* memchr is larger, and no faster for what is so short */
		for (; left && *stop != l->delim; left--)
			stop++;
		if (!left && l->eof) {
			if (!have)
				return NULL;
			/* for the NUL one byte is always free */
			l->end++;
			left++;
		}
		if (left) {
			*stop = '\0';
			*len = (size_t)(stop - line);
			l->start += *len + 1;
			if (!l->skipping)
				return line;
			l->skipping = false;
			seen = 0;
			continue;
		}
		if (have == BB_LINE_MAX) {
			l->too_long += !l->skipping;
			l->skipping = true;
			have = 0;
		}
		/* it is the beginning of a line, most often a short one */
		memmove(l->buf, line, have);
		l->start = 0;
		do
			n = read(l->fd, l->buf + have, MIN(BB_LINE_MAX - have, CHUNK));
		while (n < 0 && errno == EINTR);
		if (n < 0) {
			l->error = errno;
			/* what an error cut off is no record */
			n = 0;
			have = 0;
		}
		l->eof = !n;
		seen = have;
		l->end = have + (size_t)n;
	}
}
