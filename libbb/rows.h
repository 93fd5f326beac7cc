/* SPDX-License-Identifier: 0BSD */
/* rows.h - a table of files on standard output, as util-linux prints one: aligned, raw or JSON.
 * One table at a time; it may be printed again and again. */
#ifndef ROWS_H
#define ROWS_H

#include "libbb.h"
#include "pagecache.h"

/* names.c: writes a file name to standard output. Plain: what is no character of UTF-8, or one
 * that a terminal would obey, as \xHH; raw: all that is not ASCII, blanks and backslashes too;
 * for a JSON string: a byte that is not UTF-8 as \udcHH, which no character is. */
enum bb_name_form { NAME_PLAIN, NAME_RAW, NAME_JSON };
void bb_put_name(const char *name, enum bb_name_form form);
int bb_name_width(const char *name);	/* the columns a plain one takes; a character takes one */

/* rows.c. The columns in util-linux's order, then our own: PAGES and others of an even number
 * are in pages, RES and others of an odd one in bytes. */
enum rows_column {
	COL_PAGES, COL_SIZE, COL_FILE, COL_RES,
	COL_DIRTY_PAGES, COL_RECENTLY_EVICTED = 11,
	COL_PCT, COL_CHANGE, COL_MAP,
	COL_COUNT
};
struct row {
	const char *name;
	const char *map;	/* NULL: cannot be known */
	uint64_t size;		/* bytes */
	union {			/* pages */
		struct pc_pages all;
		struct {	/* resident, dirty, writeback, evicted, recently evicted */
			uint64_t pages, count[5];
		};
	};
	int64_t change;		/* bytes, since the table was printed before */
	bool known;		/* count[0] is, */
	bool detailed;		/* the others are, */
	bool changed;		/* change is */
};

struct rows {
	bool json, raw, bytes, no_headings;	/* in: the form */
	bool repeats;		/* in: it will be printed again */
	bool fincore;		/* in: as util-linux has it, without what is ours alone */
	bool system;		/* in: the rows are no files but have SIZE and NAME */
	bool sorted;		/* by rows_sort */
	unsigned columns;
	unsigned char column[32];
	unsigned cells;		/* for MAP; 0: it is no column */
};
extern struct rows rows;

/* Takes names from a list, or from the standard one (NULL: all there are) if that is NULL or is
 * "+LIST", which adds to it. A name not known is a usage error; CHANGE is left out where nothing is
 * repeated. MAP gets what names of that width leave of the terminal's. */
void rows_columns(const char *standard, const char *list, int name_width);
/* By a column, the largest first (FILE: by name), and only so many; memory is bounded by these. */
void rows_sort(const char *column, uint64_t top);
void rows_begin(void);
void rows_add(const struct row *r);	/* copies it */
void rows_end(const struct row *total);	/* NULL: none */

#endif
