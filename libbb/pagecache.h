/* SPDX-License-Identifier: 0BSD */
/* pagecache.h - the engine: open files safely, ask what is cached, load what is not.
 * It never prints and never exits: functions return counts, or -errno, or -PC_E*.
 * Offsets and lengths are bytes, 64 bits on every machine; what touches a page takes it whole. */
#ifndef PAGECACHE_H
#define PAGECACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* Errors beyond errno, returned negated like them. */
enum {
	PC_ENOTREG = 5001,	/* not a regular file (nor a block device, where that is allowed) */
	PC_ECHANGED,		/* another file stood there when it was opened */
	PC_EEVICTED,		/* loaded, but not resident any more at the end */
	PC_ESHRUNK,		/* truncated while it was loaded */
	PC_ENOTKEPT,		/* a block device whose cache went as it was closed */
	PC_ENOCACHE,		/* its filesystem keeps nothing of it in the cache (DAX, sysfs) */
	PC_ENOPROGRAM,		/* a process that has none: a kernel thread, or it has ended */
	PC_ENONAME,		/* its name leads to another file, or to none */
	PC_EELF,		/* a broken ELF file, or one that needs too much */
};
/* The text for an error of either kind; err is positive. */
const char *pc_strerror(int err);

/* pc_open.c */
enum {
	PC_NOFOLLOW = 1,	/* a symbolic link is not followed but refused (PC_ENOTREG) */
	PC_BLKDEV = 2,		/* block devices too */
	PC_SAFE_DIR = 4,	/* only root can change names in the directory: one open does */
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
/* Opens a directory by a path of any length; more: O_NOFOLLOW or 0. Descriptor or -errno. */
int pc_opendir(int dirfd, const char *path, int more);
/* The same for what is open already, whatever it is. 0 or -errno. */
int pc_adopt(struct pc_file *f, int fd);
void pc_close(struct pc_file *f);
/* After fork(2): the held /proc/self/fd belonged to the parent. */
void pc_forked(void);
/* Makes DIR the root for all paths to come, but not for /proc, /sys and /dev. 0 or -errno. */
int pc_chroot(const char *dir);

struct pc_range {
	uint64_t off, len;	/* bytes; of a list: off + len fits int64_t */
};

/* pc_query.c */
enum pc_source {
	PC_UNKNOWN,		/* cannot be known here; the counts are 0 */
	PC_CACHESTAT,		/* all counts valid; pages in flight count (Linux 6.5) */
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
/* The same up to the end of the file, for pages that hold data: holes are not missing. */
int pc_missing_data(struct pc_file *f, uint64_t *off, uint64_t *len);
/* The same for the first run that is resident. */
int pc_resident(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len);

/* pc_fetch.c */
enum {
	PC_WAIT = 1,		/* return when everything is resident, or known not to become so */
	PC_DRY = 2,		/* ask for nothing, only count */
	PC_GENTLE = 4,		/* at most 4 MiB in flight, for others who read meanwhile */
	PC_ASKED = 8,		/* the range was asked for; was says how it was before that */
};
struct pc_fetch {
	union {			/* in; it is clipped to the file */
		struct pc_range range;
		struct {
			uint64_t off, len;
		};
	};
	unsigned flags;		/* in */
	void (*tick)(uint64_t done);	/* in: called with the bytes gone through; or NULL */
	uint64_t data;		/* bytes of pages that hold data; holes do not count */
	uint64_t was;		/* of these, resident before; valid if was_known (PC_ASKED: in) */
	uint64_t asked;		/* bytes asked for (PC_DRY: that would be) */
	uint64_t now;		/* bytes resident at the end, PC_WAIT only; valid if now_known */
	bool was_known, now_known;
	uint64_t error_off;	/* where the error returned was met, bytes */
};
/* Loads the range. Without PC_WAIT everything has been asked for when it returns 0, with it
 * everything is resident (or, where residency cannot be known, has been read). Goes on after an
 * error; returns the first one: -EIO and other errors of reading, -PC_ESHRUNK, -PC_EEVICTED. */
int pc_fetch(struct pc_file *f, struct pc_fetch *t);
/* Fewer blocks than bytes: holes, or compression. */
bool pc_lacks_blocks(const struct pc_file *f);
/* The bytes that it would ask for, p being what pc_query said of the range. */
uint64_t pc_would_ask(struct pc_file *f, uint64_t off, uint64_t len, const struct pc_pages *p);

/* Whether a device seeks, as its queue's rotational says; if nothing says so, it does. */
bool pc_seeks(dev_t dev);

/* pc_extent.c: the byte on the device where the file's data from off on begins; UINT64_MAX: has
 * none, or the filesystem does not say (squashfs, tmpfs). */
uint64_t pc_physical(int fd, uint64_t off);

/* pc_mount.c: filesystems that wait for others (network, FUSE), or hold nothing on a medium (proc,
 * tmpfs): told from the path by mountinfo before anything is looked up, and from f_type. */
bool pc_path_is_foreign(const char *path);
bool pc_type_is_foreign(uint32_t type);

/* pc_budget.c: percent % of the memory to be had, in bytes: of MemAvailable (before Linux 3.14: of
 * MemFree and half of Cached; without /proc: of sysinfo(2)), and at most of the limit of the memory
 * cgroup, whatever of that is in use. */
uint64_t pc_budget(unsigned percent);
/* Tells the bytes that the system has in its caches, by their names in /proc/meminfo, then those
 * of our own memory cgroup, and its limit. What the kernel does not say is left out. 0, -errno */
int pc_system(void (*found)(const char *name, uint64_t bytes));

#endif
