/* SPDX-License-Identifier: 0BSD */
/* fakesys.h - a kernel in RAM behind kabi.h's calls: one directory of files, a page cache and
 * the ways in which real kernels, filesystems and other processes surprise the engine. */
#ifndef FAKESYS_H
#define FAKESYS_H

#include "kabi.h"
#include <stddef.h>

#define FAKE_BLOCK 4096u	/* holes are of blocks, whatever the page size */

enum fake_state { ABSENT, PENDING, RESIDENT };

struct fake_page {
	enum fake_state state;
	unsigned born;		/* number of the call that made it PENDING */
	bool dirty, writing;
	bool held;		/* mapped, or locked: not to be dropped */
	bool bad;		/* cannot be read: EIO */
	bool partial;		/* PENDING until a page fault or drop: blocks below page size */
	unsigned asked;		/* readahead calls that covered it */
	unsigned read;		/* preads that touched it */
};

struct fake_file {
	struct fake_file *next;
	char *name;		/* NULL: removed; who has it open keeps it */
	mode_t mode;
	uid_t uid;
	dev_t dev, rdev;
	ino_t ino;
	uint32_t fs_type;
	uint64_t size, capacity;
	const char *text;	/* contents, or of a symlink its target; NULL: zeros */
	const void *data;	/* contents, of size bytes; NULL: zeros */
	struct fake_page *page;
	bool *hole;		/* one a block */
	bool unreadable;	/* EACCES */
	bool writable;		/* by others than the owner */
	bool never_cached;	/* inline data; DAX */
	struct fake_file *to;	/* of a symlink in /proc: where it leads, whatever its text is */
	bool locked;		/* such a one may only be read: EPERM */
	bool hangs;		/* may not even be looked at */
};

struct fake {
	/* the machine: set by the test after fake_start() */
	uint64_t pagesize;
	uint64_t cap;		/* bytes one readahead call loads at most */
	unsigned io_delay;	/* calls until PENDING pages are RESIDENT; -1u: when waited for */
	bool in_order;		/* who waits for a page waits for all PENDING ones before it */
	int cachestat_error;	/* positive errno, as for all below */
	bool cachestat_strict;	/* 6.13: refused to strangers */
	bool mincore_honest;	/* before 5.2: tells strangers the truth */
	int mincore_error;
	int readahead_error;
	int populate_error;
	bool map_error;
	bool readahead_noop;
	bool seek_unsupported;	/* EINVAL */
	int fs_type_error;
	size_t pread_max;	/* short reads; 0: none */
	uid_t euid;
	bool cap_fowner;
	bool user_namespace;	/* where only some ids have a mapping */
	bool no_proc;
	bool no_sysfs;
	bool partition;		/* the queue belongs to the parent of the device */
	unsigned read_ahead_kb, max_sectors_kb, rotational;
	unsigned fd_limit;
	/* called before every call, with its number from 1 on: what others do meanwhile */
	void (*meanwhile)(unsigned call);
	unsigned fail_at;	/* the number of the call that fails; 0: none */
	int fail_error;

	/* what was seen */
	unsigned calls;		/* that can fail */
	const char *failed;	/* name of the call that was made to fail; NULL: not reached */
	unsigned opens;		/* descriptors open now */
	unsigned most_opens;
	unsigned leaked;	/* of those open, all but directories: these may be held */
	unsigned readaheads, preads, cachestats, mincores, willneeds;
	size_t mapped;		/* bytes now */
	unsigned hole_asks;	/* readaheads of nothing but holes */
	unsigned vain_asks;	/* readaheads of nothing but cached pages */
	unsigned drops;		/* pages */
	uint64_t largest_ask;
	uint64_t largest_window; /* of mincore */
	unsigned wrong_opens;	/* not O_PATH, and neither regular nor allowed_dev */
	const char *broken;	/* a call that no kernel would take well; NULL: none */
	dev_t allowed_dev;
};
extern struct fake fake;

/* A new machine: 4K pages, root, cap 128 KiB, all calls work; no file. */
void fake_start(void);
/* A regular file, wholly absent from the cache, on a device of its own, owned by root. */
struct fake_file *fake_add(const char *name, uint64_t size);
/* Anything else. A directory's name ends in a slash, and begins the names of what is in it. */
struct fake_file *fake_add_mode(const char *name, mode_t mode);
void fake_hole(struct fake_file *f, uint64_t off, uint64_t len);
void fake_cache(struct fake_file *f, uint64_t off, uint64_t len, enum fake_state state);
void fake_truncate(struct fake_file *f, uint64_t size);
void fake_remove(struct fake_file *f);
void fake_remove_all(const char *begin);	/* whose names begin so */
/* read(2), for a test that links with -Wl,--wrap=read */
ssize_t fake_read(int fd, void *buf, size_t len);
/* new stands where old stood. */
void fake_replace(struct fake_file *old, struct fake_file *new_);
uint64_t fake_pages(const struct fake_file *f);
uint64_t fake_count(const struct fake_file *f, enum fake_state state);
/* Does page i hold any data? */
bool fake_has_data(const struct fake_file *f, uint64_t i);
/* Pages holding data that are neither PENDING nor RESIDENT / not RESIDENT. */
uint64_t fake_not_asked(const struct fake_file *f);
uint64_t fake_not_resident(const struct fake_file *f);

#endif
