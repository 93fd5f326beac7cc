/* SPDX-License-Identifier: 0BSD */
/* pc_open.c - opens a file for the engine without ever opening what is not meant: a FIFO would
 * hang, a tape rewind, a watchdog start. */

#include "kabi.h"
#include "libbb.h"
#include "pagecache.h"

static int proc_fd = -2;	/* /proc/self/fd; -1: not to be had, -2: not tried yet */
static dev_t known_dev;		/* the filesystem asked last, and what it is */
static uint32_t known_type;

const char *pc_strerror(int err)
{
	switch (err) {
	case PC_ENOTREG: return "not a regular file";
	case PC_ECHANGED: return "replaced while it was opened";
	case PC_EEVICTED: return "evicted again";
	case PC_ESHRUNK: return "truncated while it was loaded";
	case PC_ENOCACHE: return "not cached by its filesystem";
	}
	return strerror(err);
}

void pc_forked(void)
{
	if (proc_fd >= 0)
		sys_close(proc_fd);
	proc_fd = -2;
}

int pc_proc_fd(void)
{
	uint32_t type;

	if (proc_fd != -2)
		return proc_fd;
	proc_fd = sys_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY);
	/* in a chroot anything may stand at that name */
	if (proc_fd >= 0 && (sys_fs_type(proc_fd, &type) || type != KABI_PROC_MAGIC)) {
		sys_close(proc_fd);
		proc_fd = -1;
	}
	if (proc_fd < 0)
		proc_fd = -1;
	return proc_fd;
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

/* Look through a descriptor that opens nothing, then open the very same inode through it. */
static int open_by_path_fd(struct pc_file *f, const char *name, unsigned flags)
{
	char number[12];
	int fd, r;

	fd = sys_open(AT_FDCWD, name, O_PATH | ((flags & PC_NOFOLLOW) ? O_NOFOLLOW : 0));
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

static int open_by_name(struct pc_file *f, const char *name, unsigned flags)
{
	struct stat before;
	int fd, r;

	r = sys_stat(AT_FDCWD, name, !(flags & PC_NOFOLLOW), &before);
	if (r)
		return r;
	if (!wanted(&before, flags))
		return -PC_ENOTREG;
	fd = open_reading(AT_FDCWD, name, (flags & PC_NOFOLLOW) ? O_NOFOLLOW : 0);
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

int pc_open(struct pc_file *f, const char *name, unsigned flags)
{
	int r;

	f->fd = -1;
	r = sys_euid() == 0 && pc_proc_fd() >= 0 ? open_by_path_fd(f, name, flags)
		: open_by_name(f, name, flags);
	if (r < 0)
		return r;
	f->fd = r;
	f->size = f->st.st_size > 0 ? (uint64_t)f->st.st_size : 0;
	if (S_ISBLK(f->st.st_mode)) {
		r = sys_device_size(f->fd, &f->size);
		if (r) {
			pc_close(f);
			return r;
		}
	}
	if (!known_type || f->st.st_dev != known_dev) {
		known_dev = f->st.st_dev;
		if (sys_fs_type(f->fd, &known_type))
			known_type = 0;
	}
	f->fs_type = known_type;
	/* cachestat(2) on overlayfs looks at the overlay's own mapping, which is always empty; of
	 * an unknown filesystem the same must be feared. */
	f->no_cachestat = !f->fs_type || f->fs_type == KABI_OVERLAYFS_MAGIC;
	return 0;
}

void pc_close(struct pc_file *f)
{
	if (f->fd >= 0)
		sys_close(f->fd);
	f->fd = -1;
}
