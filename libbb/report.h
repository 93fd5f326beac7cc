/* SPDX-License-Identifier: 0BSD */
/* report.h - what several applets do and say alike. */
#ifndef REPORT_H
#define REPORT_H

#include "pc_list.h"

/* A complaint: "NAME: reason", for errors as of pc_strerror. */
void bb_failed(const char *name, int err);
/* The same, and where in the file, when it is an error of reading. */
void bb_failed_at(const char *name, int err, uint64_t off);
/* Hands out the entries of a list; complains of what is wrong in it. */
void bb_each_entry(int fd, const char *name, bool null, void (*found)(struct pc_item *item));

/* Idle I/O priority, or a complaint. */
void bb_be_idle(void);

/* What was loaded: bytes. */
extern struct bb_loaded {
	uint64_t was, asked, more;
	const char *what;	/* more is; NULL: nothing to tell */
	bool was_unknown, more_unknown;
	uint64_t begin;		/* sys_now_ms */
} bb_loaded;
/* Prints "; was resident WAS, asked ASKED[, WHAT MORE]; SECONDS s[, RATE MB/s]". */
void bb_put_loaded(bool dry);

#endif
