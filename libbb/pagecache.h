/* SPDX-License-Identifier: 0BSD */
/* pagecache.h - the engine: open files safely, ask what is cached, load what is not.
 * It never prints and never exits: functions return counts, or -errno, or -PC_E*.
 * Offsets and lengths are bytes, 64 bits on every machine; what touches a page takes it whole. */
#ifndef PAGECACHE_H
#define PAGECACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Errors beyond errno, returned negated like them. */
enum {
	PC_ENOTREG = 5001,	/* not a regular file (nor a block device, where those are allowed) */
	PC_ECHANGED,		/* another file stood there when it was opened */
	PC_EEVICTED,		/* loaded, but not resident any more at the end */
	PC_ESHRUNK,		/* truncated while it was loaded */
	PC_ENOCACHE,		/* its filesystem keeps nothing of it in the page cache (DAX, sysfs) */
};
/* The text for an error of either kind; err is positive. */
const char *pc_strerror(int err);

/* pc_open.c */
enum {
	PC_NOFOLLOW = 1,	/* a symbolic link is not followed but refused (PC_ENOTREG) */
	PC_BLKDEV = 2,		/* block devices too */
	PC_SAFE_DIR = 4,	/* only root can change names in the directory: opened in one step */
};
struct pc_file {
	int fd;			/* -1: not open */
	uint64_t size;		/* bytes; of a block device its capacity */
	struct stat st;
	uint32_t fs_type;	/* f_type of statfs(2); 0: not known */
	bool no_cachestat;	/* cachestat does not answer, or not truly, for this file */
};
/* Opens name for reading without ever opening anything but what flags allow: as root with /proc
 * by O_PATH and a reopen, so that nothing can be swapped in between; else by stat, open, fstat
 * and comparison (a race remains). Never blocks on a FIFO or device, never updates atime where
 * the caller may ask for that. Returns 0, -errno, -PC_ENOTREG or -PC_ECHANGED. */
int pc_open(struct pc_file *f, const char *name, unsigned flags);
/* The same for a name relative to a directory. Paths longer than PATH_MAX are no problem. */
int pc_openat(struct pc_file *f, int dirfd, const char *name, unsigned flags);
/* Opens a directory by a path of any length; O_NOFOLLOW where more says so. Descriptor or -errno. */
int pc_opendir(int dirfd, const char *path, int more);
void pc_close(struct pc_file *f);
/* After fork(2): the held /proc/self/fd belonged to the parent. */
void pc_forked(void);

/* pc_query.c */
enum pc_source {
	PC_UNKNOWN,		/* cannot be known here; the counts are not valid */
	PC_CACHESTAT,		/* all counts valid; pages in flight count as resident (Linux 6.5) */
	PC_MINCORE,		/* resident only; pages in flight do not count */
};
struct pc_pages {		/* pages */
	uint64_t total;		/* always valid */
	uint64_t resident;
	uint64_t dirty, writeback, evicted, recently_evicted;	/* PC_CACHESTAT only */
};
uint64_t pc_pagesize(void);	/* bytes */
/* Counts what is resident of [off, off+len), clipped to the file. Returns an enum pc_source.
 * cachestat is wrong on overlayfs (0 for everything) and refused to those who neither own nor
 * may write the file (6.13); mincore(2) then (since 5.2) calls every page resident: PC_UNKNOWN. */
enum pc_source pc_query(struct pc_file *f, uint64_t off, uint64_t len, struct pc_pages *p);
/* Finds the first run of pages in [*off, end) that are not up to date in memory, by mincore.
 * Returns 1 and the run in *off and *len, 0 when there is none, -EPERM when it cannot be
 * known, else -errno. */
int pc_missing(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len);

/* pc_fetch.c */
enum {
	PC_WAIT = 1,		/* return when everything is resident, or known not to become so */
	PC_DRY = 2,		/* ask for nothing, only count */
};
struct pc_fetch {
	uint64_t off, len;	/* in: the range; it is clipped to the file */
	unsigned flags;		/* in */
	void (*tick)(uint64_t done);	/* in: called now and then with the bytes gone through; or NULL */
	uint64_t data;		/* bytes of pages that hold data; holes do not count */
	uint64_t was;		/* of these, bytes resident before; valid if was_known */
	uint64_t asked;		/* bytes asked for (PC_DRY: that would be) */
	uint64_t now;		/* bytes resident at the end, PC_WAIT only; valid if now_known */
	bool was_known, now_known;
	uint64_t error_off;	/* where the error returned was met, bytes */
};
/* Loads the range. Without PC_WAIT everything has been asked for when it returns 0, with it
 * everything is resident (or, where residency cannot be known, has been read). Goes on after an
 * error; returns the first one: -EIO and other errors of reading, -PC_ESHRUNK, -PC_EEVICTED. */
int pc_fetch(struct pc_file *f, struct pc_fetch *t);

/* pc_extent.c: the byte on the device where the file's data from off on begins; UINT64_MAX: has
 * none, or the filesystem does not say (squashfs, tmpfs). */
uint64_t pc_physical(int fd, uint64_t off);

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

/* pc_mount.c: whether a filesystem of this type holds no files on a medium (proc, sysfs, cgroup...). */
bool pc_fs_is_special(uint32_t type);

/* pc_budget.c: bytes that may be filled now: half of MemAvailable (before Linux 3.14: of MemFree
 * and half of Cached; without /proc: of sysinfo(2)) and of the memory cgroup's limit. percent:
 * another share than 50. */
uint64_t pc_budget(unsigned percent);

/* pc_plan.c: many files in batches of bounded memory: looked at by (dev, ino), loaded by place on
 * the device, then waited for; or all in the order they came. */
struct pc_task {
	const char *path;
	uint64_t size;		/* of the file */
	struct pc_fetch fetch;	/* look fills in what is wanted, the rest is the result */
	int result;		/* of pc_fetch */
	bool done;		/* nothing to load: set by look */
};
struct pc_plan {		/* all in */
	bool in_order;
	bool wait;
	/* says what of an opened file to load; false: nothing, and no word about it */
	bool (*look)(struct pc_file *f, struct pc_task *t);
	void (*finish)(const struct pc_task *t);	/* it is loaded, or done */
	void (*error)(const char *path, int err);	/* it could not be opened */
};
/* ino 0: not known. flags as for pc_open. */
void pc_plan_add(const struct pc_plan *p, const char *path, dev_t dev, uint64_t ino, unsigned flags);
void pc_plan_run(const struct pc_plan *p);	/* what is left */
extern const struct pc_task *pc_plan_now;	/* being loaded: for fetch.tick */

/* pc_meta.c: ext2/3/4, as root: asks for the inode tables and directory blocks of a tree, level
 * by level, so that opening its files then costs no I/O. Says nothing where it cannot (another
 * filesystem, meta_bg, no device node). Returns the bytes asked for. */
uint64_t pc_meta_tree(const char *root, const struct llist *exclude);

#endif
