/* SPDX-License-Identifier: 0BSD */
/* kabi.h - the kernel's interface as the engine uses it: structures and numbers that libc
 * headers lack (musl-gcc on Debian sees no <linux/...>), and the calls themselves. Every call
 * returns -errno on failure; they are in sys.c, and in testsuite/unit/fakesys.c for the tests. */
#ifndef KABI_H
#define KABI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* cachestat(2), Linux 6.5. Since pidfd_send_signal all architectures count alike, each from its own
 * beginning: 451, on alpha 561, on mips 4451 and so on. */
#ifdef SYS_pidfd_send_signal
# define KABI_NR_cachestat (SYS_pidfd_send_signal + 27)
#else
# define KABI_NR_cachestat 451
#endif
struct kabi_cachestat_range {
	uint64_t off, len;	/* len 0: to the end of the mapping, which may lie behind EOF */
};
struct kabi_cachestat {		/* pages */
	uint64_t cache, dirty, writeback, evicted, recently_evicted;
};

/* f_type of statfs(2), include/uapi/linux/magic.h and the filesystems' own headers */
#define KABI_PROC_MAGIC		0x00009fa0u
#define KABI_EXT_MAGIC		0x0000ef53u
#define KABI_EROFS_MAGIC	0xe0f5e1e2u
#define KABI_OVERLAYFS_MAGIC	0x794c7630u
#define KABI_JFFS2_MAGIC	0x000072b6u
#define KABI_UBIFS_MAGIC	0x24051905u
#define KABI_FUSE_MAGIC		0x65735546u
#define KABI_TMPFS_MAGIC	0x01021994u
#define KABI_RAMFS_MAGIC	0x858458f6u
#define KABI_HUGETLBFS_MAGIC	0x958458f6u

/* ioctl(2) on a block device: its size in bytes */
#define KABI_BLKGETSIZE64	_IOR(0x12, 114, size_t)

/* getdents64(2) */
struct kabi_dirent {
	uint64_t ino;
	int64_t off;		/* where the next one is, for sys_seek */
	uint16_t reclen;
	uint8_t type;
	char name[];
};
enum { KABI_DT_UNKNOWN = 0, KABI_DT_DIR = 4, KABI_DT_REG = 8 };

/* FIEMAP, Documentation/filesystems/fiemap.rst */
struct kabi_extent {
	uint64_t logical, physical, length;	/* bytes */
	uint64_t reserved64[2];
	uint32_t flags;
	uint32_t reserved[3];
};
struct kabi_fiemap {
	uint64_t start, length;
	uint32_t flags, mapped, count, reserved;
};
#define KABI_FS_IOC_FIEMAP	_IOWR('f', 11, struct kabi_fiemap)
enum {
	KABI_EXTENT_LAST = 0x1,
	KABI_EXTENT_UNKNOWN = 0x2,	/* no place on the device yet */
	KABI_EXTENT_INLINE = 0x200,
};

#define KABI_MADV_POPULATE_READ 22

/* ioprio_set(2) */
enum { KABI_IOPRIO_WHO_PROCESS = 1, KABI_IOPRIO_CLASS_IDLE = 3 << 13 };

#define KABI_AT_PLATFORM 15	/* of the auxiliary vector */

/* capget(2), version 3 */
struct kabi_cap_header {
	uint32_t version;
	int32_t pid;
};
struct kabi_cap_data {
	uint32_t effective, permitted, inheritable;
};
enum { KABI_CAP_VERSION_3 = 0x20080522, KABI_CAP_FOWNER = 3 };

/* sys.c. Names without a descriptor argument are looked up from the working directory. */
int sys_open(int dirfd, const char *name, int flags);	/* over EINTR; O_CLOEXEC added */
void sys_close(int fd);
int sys_fstat(int fd, struct stat *st);
int sys_stat(int dirfd, const char *name, bool follow, struct stat *st);
int sys_fs_type(int fd, uint32_t *type);
int sys_device_size(int fd, uint64_t *bytes);		/* BLKGETSIZE64 */
int64_t sys_seek_data(int fd, uint64_t off);		/* offset; -ENXIO: no data from off on */
int64_t sys_seek_hole(int fd, uint64_t off);
ssize_t sys_pread(int fd, void *buf, size_t len, uint64_t off);	/* over EINTR */
int sys_readahead(int fd, uint64_t off, size_t len);
int sys_cachestat(int fd, uint64_t off, uint64_t len, struct kabi_cachestat *cs);
/* mincore(2) of a mapping made for the purpose: one byte a page to vec, bit 0 counts.
 * off is a multiple of the page size. */
int sys_mincore(int fd, uint64_t off, size_t len, unsigned char *vec);
/* madvise(2) MADV_POPULATE_READ, 5.14; -EINVAL before. off is a multiple of the page size. */
int sys_populate(int fd, uint64_t off, size_t len);
/* mmap(2) without access of a range of a file, there or, for NULL, anywhere. off is a multiple of
 * the page size. NULL: it cannot be mapped, or not there. */
void *sys_map(void *at, int fd, uint64_t off, size_t len);
void sys_unmap(void *at, size_t len);
/* prlimit(2) RLIMIT_NOFILE, 2.6.36; 0: not known */
int sys_fd_limit(void);
/* madvise(2) MADV_WILLNEED of what is mapped in a range, of several files too. 0, -errno */
int sys_willneed(void *at, size_t len);
int sys_fadvise(int fd, uint64_t off, uint64_t len, int advice);	/* len 0: to the end */
int sys_sync_range(int fd, uint64_t off, uint64_t len);	/* the same; waits for what is written */
int sys_fdatasync(int fd);
bool sys_has_cap(unsigned cap);				/* effective, in our user namespace */
bool sys_may_write(int dirfd, const char *name);	/* access(2) W_OK */
uid_t sys_euid(void);
uint64_t sys_pagesize(void);
pid_t sys_fork(void);
pid_t sys_getpid(void);
int sys_die_with_parent(void);				/* prctl(2) PR_SET_PDEATHSIG, SIGKILL */
/* SIG_DFL, by number: musl's signal, which can do more, brings 1.1 kB. */
void sys_default_signal(int sig);
int sys_chroot(const char *dir);			/* and chdir(2) to it */
int sys_mknod_block(int dirfd, const char *name, dev_t dev);	/* mode 0600 */
int sys_unlink(int dirfd, const char *name);
int sys_fchmod(int fd, mode_t mode);
int sys_ioprio_idle(void);
int sys_seek(int fd, int64_t off);			/* SEEK_SET */
ssize_t sys_getdents(int fd, void *buf, size_t len);
/* Fills up to n extents from byte off on; returns how many, or -errno. n <= 64. */
int sys_fiemap(int fd, uint64_t off, struct kabi_extent *extents, unsigned n);
int sys_memory(uint64_t *free, uint64_t *buffers);	/* sysinfo(2), bytes */
ssize_t sys_readlink(int dirfd, const char *name, char *buf, size_t len);
uint64_t sys_now_ms(void);				/* CLOCK_MONOTONIC, milliseconds */
int sys_getcwd(char *buf, size_t size);			/* NUL-terminated */

#endif
