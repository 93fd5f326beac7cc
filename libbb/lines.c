/* SPDX-License-Identifier: 0BSD */
/* lines.c - a file's records, one by one, in constant memory. */

#include "libbb.h"

/* Small reads keep small the memory that a short list touches. */
#define CHUNK 4096

void bb_lines_start(struct bb_lines *l, int fd, char delim)
{
	if (!l->buf)
		l->buf = xalloc(BB_LINE_MAX + 1);
	l->fd = fd;
	l->delim = delim;
	l->skipping = l->eof = false;
	l->error = 0;
	l->too_long = 0;
	l->start = l->end = 0;
}

char *bb_lines_next(struct bb_lines *l, size_t *len)
{
	size_t looked = 0;	/* of the bytes from start on */

	for (;;) {
		char *line = l->buf + l->start;
		size_t have = l->end - l->start;
		char *stop = memchr(line + looked, l->delim, have - looked);
		ssize_t n;

		if (!stop && l->eof && have)
			stop = line + have;
		if (stop) {
			*stop = '\0';
			*len = (size_t)(stop - line);
			l->start = MIN(l->start + *len + 1, l->end);
			looked = 0;
			if (!l->skipping)
				return line;
			l->skipping = false;
			continue;
		}
		if (l->eof)
			return NULL;
		looked = have;
		/* one byte stays free for the NUL behind a last record without delimiter */
		if (have == BB_LINE_MAX) {
			if (!l->skipping)
				l->too_long++;
			l->skipping = true;
			l->start = l->end = looked = 0;
			continue;
		}
		if (l->start && l->end > BB_LINE_MAX - CHUNK) {
			memmove(l->buf, line, have);
			l->start = 0;
			l->end = have;
		}
		do
			n = read(l->fd, l->buf + l->end, MIN(BB_LINE_MAX - l->end, CHUNK));
		while (n < 0 && errno == EINTR);
		if (n < 0)
			l->error = errno;
		if (n <= 0) {
			l->eof = true;
			/* what an error cut off is no record */
			if (n < 0 || l->skipping)
				l->start = l->end = looked = 0;
		} else {
			l->end += (size_t)n;
		}
	}
}
