/* SPDX-License-Identifier: 0BSD */
/* pc_internal.h - what the engine's files share, and its parsers, which the fuzzers call. */
#ifndef PC_INTERNAL_H
#define PC_INTERNAL_H

#include "pagecache.h"

/* pc_open.c: /proc/self/fd, held open; -1: there is no /proc; else -errno, for now */
int pc_proc_fd(void);
/* For absolute paths of /proc, /sys or /dev, those of before pc_chroot: what they are relative to
 * (path is moved on as needed), and opening them. */
int pc_system_dir(const char **path);
int pc_system_open(const char *path, int flags);
/* Reads the beginning of such a file. Returns its length (buf is NUL-terminated), or -errno. */
ssize_t pc_system_read(const char *path, char *buf, size_t size);
/* The same for the node of a block device; false: it is none, or another's. */
bool pc_open_device(struct pc_file *f, const char *path, dev_t dev);

/* pc_query.c: the first part of [*at, *end), at being the beginning of a page, that holds data, in
 * whole pages but at *end. False: there is none. */
bool pc_next_data(const struct pc_file *f, uint64_t *at, uint64_t *end);

/* pc_fetch.c: a number from /sys/dev/block/M:N/queue, of the disk for a partition; or -errno */
int pc_queue_number(dev_t dev, const char *name);

/* pc_budget.c: the memory to be had, in bytes, from the text of /proc/meminfo */
bool pc_meminfo(const char *text, uint64_t *bytes);

/* pc_mount.c */
struct pc_mount {
	char *point, *type;
};
/* Takes a line of mountinfo apart, in place. False: it is none. */
bool pc_mount_line(char *line, struct pc_mount *m);
/* 'w': such a filesystem waits for a server or a daemon; 's': it has no medium; else '/'. */
char pc_mount_kind(const struct pc_mount *m);

/* Where a walk began, so that mounts below it can be recognized before they are touched. */
struct pc_root {
	size_t len;		/* of the root's name as given */
	char real[4096];	/* its absolute path; empty: not known */
};
void pc_root_set(struct pc_root *r, int fd, const char *name);
/* What is mounted at path, which begins with the root's name: the kind, or 0 for nothing. */
char pc_root_mount(const struct pc_root *r, const char *path);
/* Whether anything is mounted on an entry of the directory at path. */
bool pc_root_has_mounts(const struct pc_root *r, const char *path);

/* pc_extent.c: for bb_sort, by the uint64_t that each begins with */
int pc_compare(const void *a, const void *b);

/* pc_meta.c: what is needed of an ext2/3/4 superblock, checked */
struct pc_ext {
	uint64_t blocks, groups;	/* of the filesystem */
	uint32_t block_size;		/* bytes, 1024 ... 65536 */
	uint32_t inodes, inodes_per_group, inode_size;
	uint32_t desc_size;		/* bytes, of a group descriptor */
	uint32_t desc_start;		/* byte on the device */
};
/* Reads the 1024 bytes of a superblock. False: not ext, or nothing to rely on (meta_bg). */
bool pc_ext_super(const unsigned char *sb, struct pc_ext *e);
/* The first byte of a group's inode table on the device, from the group's descriptor (its first 64
 * bytes); 0: it cannot be. */
uint64_t pc_ext_table(const struct pc_ext *e, const unsigned char *desc);

#endif
