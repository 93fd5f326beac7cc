/* SPDX-License-Identifier: 0BSD */
/* pc_open.c - opens a file for the engine without ever opening what is not meant: a FIFO would
 * hang, a tape rewind, a watchdog start. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

#define PATH_LIMIT 4096	/* PATH_MAX: what a system call takes, with its NUL */

static int proc_fd = -2;	/* /proc/self/fd; -1: not to be had, -2: not tried yet */
static int old_root = -1;	/* held since pc_chroot */
static int root = -1;		/* whether we are; -1: not asked yet */
static struct {			/* the directory of the name opened last */
	bool known;
	bool open;		/* and safe */
	bool tried;
	int fd;
	size_t len;
	char name[PATH_LIMIT];	/* up to its last slash */
} parent;
static dev_t known_dev;		/* the filesystem asked last, and what it is */
static uint32_t known_type;

const char *pc_strerror(int err)
{
	switch (err) {
	case PC_ENOTREG: return "not a regular file";
	case PC_ECHANGED: return "replaced while it was opened";
	case PC_EEVICTED: return "evicted again";
	case PC_ESHRUNK: return "truncated while it was loaded";
	case PC_ENOTKEPT: return "dropped again when closed, for nobody else has it open";
	case PC_ENOCACHE: return "not cached by its filesystem";
#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
	case PC_ENOPROGRAM: return "not found in /proc, or a kernel thread";
	case PC_ENONAME: return "no name leads to it";
#endif
#if ENABLE_FEATURE_READAHEAD_LIBRARIES
	case PC_EELF: return "broken ELF file";
#endif
	}
	return bb_strerror(err);
}

static void forget_parent(void)
{
	if (!ENABLE_FEATURE_SAFE_DIRECTORIES)
		return;
	if (parent.open)
		sys_close(parent.fd);
	parent.known = parent.open = parent.tried = false;
}

void pc_forked(void)
{
	if (proc_fd >= 0)
		sys_close(proc_fd);
	proc_fd = -2;
	root = -1;
	forget_parent();
}

int pc_system_dir(const char **path)
{
	if (old_root < 0)
		return AT_FDCWD;
	++*path;
	return old_root;
}

int pc_system_open(const char *path, int flags)
{
	int dirfd = pc_system_dir(&path);

	return sys_open(dirfd, path, flags);
}

ssize_t pc_system_read(const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd = pc_system_open(path, O_RDONLY);

	if (fd < 0)
		return fd;
	n = sys_pread(fd, buf, size - 1, 0);
	sys_close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

int pc_chroot(const char *dir)
{
	int r = sys_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY);

	if (r < 0)
		return r;
	old_root = r;
	forget_parent();
	r = pc_proc_fd();
	return r < -1 ? r : sys_chroot(dir);
}

int pc_proc_fd(void)
{
	uint32_t type;
	int fd, r;

	if (proc_fd != -2)
		return proc_fd;
	fd = pc_system_open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		r = sys_fs_type(fd, &type);
		/* in a chroot anything may stand at that name */
		if (r || type != KABI_PROC_MAGIC)
			sys_close(fd);
		fd = r ? r : type == KABI_PROC_MAGIC ? fd : -ENOENT;
	}
	/* short of descriptors or memory: that says nothing about /proc */
	if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM)
		return fd;
	proc_fd = MAX(fd, -1);
	return proc_fd;
}

static bool is_root(void)
{
	if (root < 0)
		root = sys_euid() == 0;
	return root;
}

static bool wanted(const struct stat *st, unsigned flags)
{
	return S_ISREG(st->st_mode) || ((flags & PC_BLKDEV) && S_ISBLK(st->st_mode));
}

/* O_NONBLOCK: should the wrong thing be opened in the race that remains, it does not hang. */
static int open_reading(int dirfd, const char *name, int more)
{
	int fd = sys_open(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOATIME | more);

	if (fd == -EPERM)	/* O_NOATIME is for the owner */
		fd = sys_open(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | more);
	return fd;
}

#if ENABLE_FEATURE_LONG_PATHS
/* Goes down a path that is too long for one system call. Returns 0, and in *base the directory
 * that what is left in *path is relative to: dirfd, or a descriptor to be closed; or -errno. */
static __attribute__((noinline)) int step_down_long(int dirfd, const char **path, int *base)
{
	char part[PATH_LIMIT];
	int fd = dirfd;

	do {
		const char *cut = memrchr(*path, '/', PATH_LIMIT);
		int next = -ENAMETOOLONG;

		if (cut && cut > *path) {
			memcpy(part, *path, (size_t)(cut - *path));
			part[cut - *path] = '\0';
			next = sys_open(fd, part, O_PATH | O_DIRECTORY);
			*path = cut + 1;
		}
		if (fd != dirfd)
			sys_close(fd);
		if (next < 0)
			return next;
		fd = next;
	} while (strlen(*path) >= PATH_LIMIT);
	*base = fd;
	return 0;
}

#endif

/* Keeps that function's stack out of the usual way. */
static int step_down(int dirfd, const char **path, int *base)
{
	*base = dirfd;
#if ENABLE_FEATURE_LONG_PATHS
	if (strlen(*path) >= PATH_LIMIT)
		return step_down_long(dirfd, path, base);
#else
	(void)path;
#endif
	return 0;
}

int pc_opendir(int dirfd, const char *path, int more)
{
	int base, fd = step_down(dirfd, &path, &base);

	if (fd)
		return fd;
	fd = sys_open(base, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOATIME | more);
	if (fd == -EPERM)
		fd = sys_open(base, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | more);
	if (base != dirfd)
		sys_close(base);
	return fd;
}

/* Look through a descriptor that opens nothing, then open the very same inode through it. */
static int open_by_path_fd(struct pc_file *f, int dirfd, const char *name, unsigned flags)
{
	char number[12];
	int fd, r;

	fd = sys_open(dirfd, name, O_PATH | ((flags & PC_NOFOLLOW) ? O_NOFOLLOW : 0));
	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &f->st);
	if (!r && !wanted(&f->st, flags))
		r = -PC_ENOTREG;
	if (!r) {
		bb_snprintf(number, sizeof(number), "%d", fd);
		r = open_reading(proc_fd, number, 0);
	}
	sys_close(fd);
	return r;
}

/* Names in this directory do not change under us. */
static int open_plainly(struct pc_file *f, int dirfd, const char *name)
{
	int r, fd = open_reading(dirfd, name, O_NOFOLLOW);

	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &f->st);
	if (!r && !S_ISREG(f->st.st_mode))
		r = -PC_ENOTREG;
	if (!r)
		return fd;
	sys_close(fd);
	return r;
}

/* Many names in a row are often of one directory. When names in it are root's alone to change, a
 * stat tells what will be opened. Returns that directory's descriptor, or -1. It is opened for the
 * second name in a row, and held. */
static int safe_parent(const char *name, size_t len)
{
	struct stat st;

	if (len >= sizeof(parent.name))
		return -1;
	if (parent.known && len == parent.len && !memcmp(name, parent.name, len)) {
		if (!parent.tried) {
			parent.tried = true;
			parent.fd = sys_open(AT_FDCWD, len ? parent.name : ".",
				O_PATH | O_DIRECTORY);
			parent.open = parent.fd >= 0 && !sys_fstat(parent.fd, &st) && !st.st_uid
				&& !(st.st_mode & (S_IWGRP | S_IWOTH));
			if (parent.fd >= 0 && !parent.open)
				sys_close(parent.fd);
		}
		return parent.open ? parent.fd : -1;
	}
	forget_parent();
	memcpy(parent.name, name, len);
	parent.name[len] = '\0';
	parent.len = len;
	parent.known = true;
	return -1;
}

/* Returns 0 where this way is not open. */
static int open_in_safe_parent(struct pc_file *f, const char *name, unsigned flags)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	int fd = *base ? safe_parent(name, (size_t)(base - name)) : -1;

	if (fd < 0 || sys_stat(fd, base, false, &f->st) || S_ISLNK(f->st.st_mode))
		return 0;
	return wanted(&f->st, flags) ? open_reading(fd, base, O_NOFOLLOW) : -PC_ENOTREG;
}

static int open_by_name(struct pc_file *f, int dirfd, const char *name, unsigned flags)
{
	struct stat before;
	int fd, r;

	r = sys_stat(dirfd, name, !(flags & PC_NOFOLLOW), &before);
	if (r)
		return r;
	if (!wanted(&before, flags))
		return -PC_ENOTREG;
	fd = open_reading(dirfd, name, (flags & PC_NOFOLLOW) ? O_NOFOLLOW : 0);
	if (fd < 0)
		return fd;
	r = sys_fstat(fd, &f->st);
	if (!r && (f->st.st_dev != before.st_dev || f->st.st_ino != before.st_ino
			|| !wanted(&f->st, flags)))
		r = -PC_ECHANGED;
	if (r) {
		sys_close(fd);
		return r;
	}
	return fd;
}

/* What is to be known of a file that is open, beside f->st. */
static int describe(struct pc_file *f)
{
	int r;

	f->size = f->st.st_size > 0 ? (uint64_t)f->st.st_size : 0;
	if (S_ISBLK(f->st.st_mode)) {
		r = sys_device_size(f->fd, &f->size);
		if (r)
			return r;
	}
	if (!known_type || f->st.st_dev != known_dev) {
		known_dev = f->st.st_dev;
		if (sys_fs_type(f->fd, &known_type))
			known_type = 0;
	}
	f->fs_type = known_type;
	/* cachestat(2) on overlayfs looks at the overlay's own mapping, which is always empty; of
	 * an unknown filesystem the same must be feared. */
	f->no_cachestat = S_ISREG(f->st.st_mode)
		&& (!f->fs_type || f->fs_type == KABI_OVERLAYFS_MAGIC);
	return 0;
}

int pc_open(struct pc_file *f, const char *name, unsigned flags)
{
	return pc_openat(f, AT_FDCWD, name, flags);
}

int pc_openat(struct pc_file *f, int dirfd, const char *name, unsigned flags)
{
	int base, r = step_down(dirfd, &name, &base);

	f->fd = -1;
	if (r)
		return r;
	if (flags & PC_SAFE_DIR)
		r = open_plainly(f, base, name);
	else if (ENABLE_FEATURE_SAFE_DIRECTORIES && is_root() && base == AT_FDCWD
			&& (r = open_in_safe_parent(f, name, flags)) != 0)
		;
	else if (is_root() && (r = pc_proc_fd()) != -1)
		r = r < 0 ? r : open_by_path_fd(f, base, name, flags);
	else
		r = open_by_name(f, base, name, flags);
	if (base != dirfd)
		sys_close(base);
	if (r < 0)
		return r;
	f->fd = r;
	r = describe(f);
	if (r)
		pc_close(f);
	return r;
}

int pc_adopt(struct pc_file *f, int fd)
{
	int r;

	f->fd = fd;
	r = sys_fstat(fd, &f->st);
	return r ? r : describe(f);
}

bool pc_open_device(struct pc_file *f, const char *path, dev_t dev)
{
	int dirfd = pc_system_dir(&path);

	if (pc_openat(f, dirfd, path, PC_BLKDEV))
		return false;
	if (S_ISBLK(f->st.st_mode) && f->st.st_rdev == dev)
		return true;
	pc_close(f);
	return false;
}

void pc_close(struct pc_file *f)
{
	if (f->fd >= 0)
		sys_close(f->fd);
	f->fd = -1;
}
