/* SPDX-License-Identifier: 0BSD */
/* replace.h - atomic replacement of files. Symbolic links are followed, what is no regular file
 * is written to straight. */
#ifndef REPLACE_H
#define REPLACE_H

#include <signal.h>

#include "libbb.h"

struct bb_replace {
	int fd;
	sigset_t mask;
	struct stat old;
	char target[4096], temp[4096 + 32];
};
/* Returns a descriptor for writing (and reading back, where it is a new file), or -errno. */
int bb_replace_open(struct bb_replace *r, const char *name);
/* One of these ends it; until then signals wait, lest the new file be left behind. 0 or -errno;
 * then the old file stands. */
int bb_replace_commit(struct bb_replace *r);
void bb_replace_abort(struct bb_replace *r);

#endif
