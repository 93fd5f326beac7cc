/* SPDX-License-Identifier: 0BSD */
/* pc_many.h - the engine for many files: trees, the order to load them in, metadata first. */
#ifndef PC_MANY_H
#define PC_MANY_H

#include "pagecache.h"
#include "pc_list.h"

/* pc_walk.c: a tree, depth first, in memory that depth bounds. Symbolic links are followed for
 * the root only. A directory that is its own ancestor (dev, ino) is left out. */
struct pc_entry {
	const char *path;	/* from the root's name on */
	int dirfd;		/* the directory, open during the call; */
	const char *name;	/* and the name in it */
	dev_t dev;		/* the directory's */
	uint64_t ino;		/* from getdents, 0: not known */
	unsigned flags;		/* for pc_openat */
};
struct pc_walk {
	bool one_fs;		/* in: do not enter directories on other filesystems */
	bool named;		/* in, pc_process: what its path does not lead to is an error */
	const struct llist *exclude;	/* in: globs on the path; what matches is not entered */
	void (*file)(struct pc_walk *w, const struct pc_entry *e);	/* in: each regular file */
	void (*error)(const char *path, int err);	/* in: a directory could not be read */
};
void pc_walk(struct pc_walk *w, const char *root);
/* Whether this file was given before; remembers it. For files with several links. Past
 * PC_SEEN_MAX files it forgets (counted in pc_seen_forgotten) and says false. */
#define PC_SEEN_MAX 49152
bool pc_seen(dev_t dev, uint64_t ino);
extern uint64_t pc_seen_forgotten;
void pc_seen_clear(void);

/* pc_process.c: the files that a process maps or holds open, and block devices, each once
 * (pc_seen); not those of network, FUSE and kernel filesystems, and no memory (tmpfs, memfd,
 * shared). An entry's path is what the kernel shows, "/name (deleted)" or one of another root; its
 * dirfd and name lead to the file. pid: a number, or self. Returns 0, or why not all was seen:
 * -PC_ENOPROGRAM (ended meanwhile, too), -errno. */
int pc_process(struct pc_walk *w, const char *pid);

/* pc_plan.c: many files in batches of bounded memory: looked at by (dev, ino), loaded by place on
 * the device, then waited for; or all in the order they came. Without FEATURE_DEVICE_ORDER always
 * one by one. */
struct pc_task {
	const char *path;
	const char *ranges;	/* of a list: each is a task of its own; NULL: see fetch */
	int64_t recorded;	/* size in a list, bytes; -1: none, or told with another range */
	bool once;		/* for look: not again, if another path led to the same file */
	bool more;		/* not the first of its ranges */
	uint64_t size;		/* of the file, once opened */
	struct pc_fetch fetch;	/* look fills in what is wanted, the rest is the result */
	int result;		/* of pc_fetch */
	bool done;		/* nothing to load: set by look */
};
struct pc_plan {		/* all in */
	unsigned batch;		/* files, at most and by default 4096 */
	bool one_by_one;	/* no batch: each file as it comes */
	bool in_order;
	bool wait;
	/* says what of an opened file to load; false: nothing, and no word about it */
	bool (*look)(struct pc_file *f, struct pc_task *t);
	void (*finish)(const struct pc_task *t);	/* it is loaded, or done */
	void (*error)(const char *path, int err);	/* it could not be opened */
};
/* Copies t with its path. ino 0: not known. flags as for pc_open. */
void pc_plan_add(const struct pc_plan *p, const struct pc_task *t, dev_t dev, uint64_t ino,
	unsigned flags);
void pc_plan_run(const struct pc_plan *p);	/* what is left */
extern const struct pc_task *pc_plan_now;	/* being loaded: for fetch.tick */

/* pc_meta.c: ext2/3/4, as root: asks for the inode tables and directory blocks of a tree, level
 * by level, so that opening its files then costs no I/O. Says nothing where it cannot (another
 * filesystem, meta_bg, no device node). Goes no level deeper when most bytes
 * have been asked for. Returns the bytes asked for. */
uint64_t pc_meta_tree(const char *root, const struct llist *exclude, uint64_t most);
/* Asks for ranges (as in a list) of the device under a mount, while that has the uuid (text);
 * about most bytes at most. Returns the bytes asked for. */
uint64_t pc_meta_ranges(const char *mount, const char *uuid, const char *ranges, uint64_t most);
/* To write such ranges: begin with a directory (which tells the words of @fs; false: not ext
 * or erofs, not root, no device), add inodes with their attributes, and the blocks of open
 * directories (or -1), then take the ranges. Of erofs they are what the device has in memory,
 * once the files have been opened. */
bool pc_meta_begin(int dirfd, char words[56]);
void pc_meta_add(int dirfd, uint64_t ino);
void pc_meta_end(void (*found)(const struct pc_range *r));

/* pc_elf.c: a program, its interpreter and, transitively, its libraries, as the dynamic linker of
 * glibc or musl finds them; of a script its interpreter's too. */
struct pc_loader {		/* all in */
	const char *path;	/* PATH, to look up names without a slash; NULL: as they are */
	const char *library_path;	/* LD_LIBRARY_PATH, or NULL */
	const char *platform;	/* $PLATFORM, or "" */
	bool all;		/* all of each file, not what a start reads, on flash too */
	/* each file as it is found, the program first; ranges as in a list, NULL: all of it */
	void (*found)(const char *path, const char *ranges);
	/* of a program only the first failure: what the file at path needs is nowhere; */
	void (*missing)(const char *path, const char *name);
	void (*error)(const char *path, int err);	/* it cannot be read, or is broken */
};
void pc_libraries(const struct pc_loader *l, const char *name);

#endif
