/* SPDX-License-Identifier: 0BSD */
/* pc_sort.h - a list in memory: where its files lie, and the best order to play it in. */
#ifndef PC_SORT_H
#define PC_SORT_H

#include "pc_list.h"

enum pc_order { PC_AUTO, PC_DISK, PC_ACCESS };

struct pc_book {		/* sums, as readahead-list -c prints them; bytes, if not said */
	uint64_t entries, missing, changed, unreadable;
	uint64_t bad;				/* lines */
	uint64_t bytes, resident;		/* of what entries ask for; UINT64_MAX: unknown */
	uint64_t runs_listed, runs_best;	/* on the device, as listed and in disk order */
	uint64_t meta, meta_runs;
};

/* Adds the entries of a list. 0 or -errno. */
int pc_book_read(struct pc_book *b, int fd, bool null);
/* Opens each file for its place (and with look for its residency), sums up. */
void pc_book_locate(struct pc_book *b, bool look);
/* Makes its entries one a file, whatever its names are, of those that are there. pc_book_find then
 * says whether a file is among them, and gives its ranges, in order and apart (NULL: all). Returns
 * whether there are some whose path is foreign: these are not looked at, nor found. */
bool pc_book_index(void);
bool pc_book_find(const struct stat *st, const char **ranges);
/* Writes the list, its entries in order; if prune without
 * those that are gone, and with the sizes of now. What is written
 * can be checked by pc_book_check. */
void pc_book_write(struct pc_book *b, struct bb_out *o, enum pc_order order, bool prune);
/* Whether the list at fd has just the entries that were written. */
bool pc_book_check(int fd);

#endif
