/* SPDX-License-Identifier: 0BSD */
/* text.h - what libbb does with text: strings, globs, numbers, lines of a file. */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct llist llist_t;

/* strings.c: what libc has too, but larger: in musl strchr and strcspn have 0.5 kB, strstr 1.2. */
char *bb_strchrnul(const char *s, char c);	/* the first c, or the end */
/* What is behind key where s begins with it; else NULL. */
char *is_prefixed_with(const char *s, const char *key);
char *bb_strstr(const char *s, const char *what);
/* \ooo (octal, not 0) to the byte it stands for, in place; false: a backslash of another use. */
bool bb_unescape(char *s);
/* The place of key among strings that end with NUL, after the last one two; -1: it is none. */
int index_in_strings(const char *strings, const char *key);

/* glob.c: * ? [a-z] [!a-z] and backslash; * and ? match a slash too. The whole of s must match. */
bool bb_glob(const char *pattern, const char *s);
bool bb_glob_any(const llist_t *patterns, const char *s);

/* numbers.c. Sizes take K, M, G, T (1024), KiB and so on too; KB is 1000. */
enum { SIZE_NEGATIVE = 1 };
/* Parses s into *v. Returns 0, -EINVAL (not a number) or -ERANGE (does not fit int64_t).
 * flags: SIZE_NEGATIVE allows a leading "-". */
int bb_parse_size(const char *s, int flags, int64_t *v);
/* The same for an option's argument: a bad one is a usage error. */
int64_t xatosize(const char *s, int flags, const char *what);
/* An amount of memory: a size, or N% (1 to 100) of what is free; a bad one is a usage error.
 * NULL: 50%. */
uint64_t xatobudget(const char *s);
/* Reads decimal digits at *s, moves *s behind them. Returns 0, -EINVAL or -ERANGE. */
int bb_parse_u64(const char **s, uint64_t *v);
/* "4K", "1.5M", "0B": at most 7 bytes and NUL, as util-linux prints them. Returns buf. */
char *bb_human(char buf[8], uint64_t bytes);
/* The same in one of four buffers, for as many in a call; "?" if it is unknown. */
const char *bb_amount(uint64_t bytes, bool unknown);

/* lines.c: records of a file, one after the other, in a fixed buffer */
#define BB_LINE_MAX 65536	/* longest record with its delimiter, bytes */
struct bb_lines {
	int fd;
	char delim;
	bool skipping;
	bool eof;
	int error;		/* errno of a failed read */
	unsigned too_long;	/* records that did not fit, left out */
	size_t start, end;
	char *buf;		/* allocated by the first bb_lines_start */
};
void bb_lines_start(struct bb_lines *l, int fd, char delim);
/* The next record, NUL-terminated in place of its delimiter (the last one needs none); *len is
 * its length without. NULL at the end or on an error (l->error). */
char *bb_lines_next(struct bb_lines *l, size_t *len);

#endif
