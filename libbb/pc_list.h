/* SPDX-License-Identifier: 0BSD */
/* pc_list.h - lists of files and ranges, as docs/list-format.md describes them: the one reader and
 * the one writer. */
#ifndef PC_LIST_H
#define PC_LIST_H

#include "libbb.h"
#include "pagecache.h"

struct pc_item {
	enum {
		PC_ENTRY,	/* path, ranges (NULL: the whole file), size */
		PC_AT,		/* number: milliseconds */
		PC_FS,		/* path: the mount; words */
		PC_META,	/* path: the mount; ranges */
		PC_OTHER,	/* another directive, to be passed over; words: the whole line */
		PC_BAD,		/* words: what is wrong */
	} kind;
	char *path;
	const char *ranges;	/* for pc_range_next; all of them are good */
	const char *words;
	uint64_t number;
	int64_t size;		/* of the file when it was recorded; -1: not said */
};

struct pc_list {
	struct bb_lines lines;
	bool headed;		/* a header was seen */
	bool null;		/* names end in NUL: all verbatim */
	bool plain;		/* the last entry came from a plain list */
	uint64_t line;		/* number of the line, from 1 */
	uint64_t bad;		/* lines, those too long among them */
};

void pc_list_start(struct pc_list *l, int fd, bool null);
/* The next item; what it points to holds until the next call. False: the end, or an error of
 * reading (l->lines.error). */
bool pc_list_next(struct pc_list *l, struct pc_item *item);
/* Takes the next range from *text, moving it on. Returns 1, 0 at the end, -EINVAL. */
int pc_range_next(const char **text, struct pc_range *r);
/* The value of key in words ("size" in "size=5 x=y"), its length in *len; NULL: none. */
const char *pc_word(const char *words, const char *key, size_t *len);

/* The writer. An entry: path, then ranges, then the size, in pieces. */
void pc_list_header(struct bb_out *o);
void pc_list_path(struct bb_out *o, const char *path);	/* escaped, without its TAB */
void pc_list_range(struct bb_out *o, bool first, const struct pc_range *r);

#endif
