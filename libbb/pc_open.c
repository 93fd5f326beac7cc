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
enum { UNTRIED = -2, UNSAFE = -1 };
static struct {			/* the directory of the name opened last */
	int fd;			/* held, if only root can change names in it; or one of these */
	size_t size;		/* of name with its NUL; 0: there is none */
	char name[PATH_LIMIT];	/* up to its last slash */
} parent;
static dev_t known_dev;		/* the filesystem asked last, and what it is */
static uint32_t known_type;

const char *pc_strerror(int err)
{
	const char *text = "not a regular file\0" "replaced while it was opened\0"
		"evicted again\0" "truncated while it was loaded\0"
		"dropped again when closed, for nobody else has it open\0"
		"not cached by its filesystem"
#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS || ENABLE_FEATURE_READAHEAD_LIBRARIES
		"\0" "not found in /proc, or a kernel thread\0" "no name leads to it\0"
		"broken ELF file"
#endif
		;

	if (err < PC_ENOTREG)
		return bb_strerror(err);
	for (; err > PC_ENOTREG; err--)
		text += strlen(text) + 1;
	return text;
}

static void forget_parent(void)
{
	if (ENABLE_FEATURE_SAFE_DIRECTORIES && parent.size && parent.fd >= 0)
		sys_close(parent.fd);
	parent.size = 0;
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
	static uint32_t type;
	int fd, r;

	if (proc_fd != -2)
		return proc_fd;
	fd = pc_system_open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		r = sys_fs_type(fd, &type);
		/* in a chroot anything may stand at that name */
		if (!r && type != KABI_PROC_MAGIC)
			r = -ENOENT;
		if (r) {
			sys_close(fd);
			fd = r;
		}
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
		root = !sys_euid();
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

/* Goes down a path that is too long for one system call. Returns 0, and in *dirfd the directory
 * that what is left in *path is relative to: as it was, or a descriptor to be closed; or -errno. */
static int step_down(int *dirfd, const char **path)
{
	static char part[PATH_LIMIT];
	const int first = *dirfd;

	while (ENABLE_FEATURE_LONG_PATHS && strlen(*path) >= PATH_LIMIT) {
		const char *cut = memrchr(*path, '/', PATH_LIMIT);
		int next = -ENAMETOOLONG;

		if (cut && cut > *path) {
			memcpy(part, *path, (size_t)(cut - *path));
			part[cut - *path] = '\0';
			next = sys_open(*dirfd, part, O_PATH | O_DIRECTORY);
			*path = cut + 1;
		}
		if (*dirfd != first)
			sys_close(*dirfd);
		if (next < 0)
			return next;
		*dirfd = next;
	}
	return 0;
}

int pc_opendir(int dirfd, const char *path, int more)
{
	int base = dirfd, fd = step_down(&base, &path);

	if (fd)
		return fd;
	fd = open_reading(base, path, O_DIRECTORY | more);
	if (base != dirfd)
		sys_close(base);
	return fd;
}

/* Many names in a row are often of one directory. When names in it are root's alone to change, a
 * stat tells what will be opened. Returns that directory's descriptor, or what is negative, and
 * moves *name to what is behind its last slash. The directory is opened for the second name in a
 * row, and held. */
static int safe_parent(const char **name)
{
	const char *slash = strrchr(*name, '/');
	size_t len = slash ? (size_t)(slash + 1 - *name) : 0;
	const char *dir = *name;
	static struct stat st;

	*name += len;
	if (!**name || len >= sizeof(parent.name))
		return UNSAFE;
	if (parent.size != len + 1 || memcmp(dir, parent.name, len)) {
		forget_parent();
		memcpy(parent.name, dir, len);
		parent.name[len] = '\0';
		parent.size = len + 1;
		parent.fd = UNTRIED;
	} else if (parent.fd == UNTRIED) {
		parent.fd = sys_open(AT_FDCWD, len ? parent.name : ".", O_PATH | O_DIRECTORY);
		if (parent.fd < 0 || sys_fstat(parent.fd, &st) || st.st_uid
				|| (st.st_mode & (S_IWGRP | S_IWOTH))) {
			if (parent.fd >= 0)
				sys_close(parent.fd);
			parent.fd = UNSAFE;
		}
	}
	return parent.fd;
}

/* Looks at what stands at a name, and opens that. Returns a descriptor and f->st, or an error. */
static int look_and_open(struct pc_file *f, int dirfd, const char *name, unsigned flags)
{
	const bool once = flags & PC_SAFE_DIR;
	int more = (flags & PC_NOFOLLOW) ? O_NOFOLLOW : 0;
	bool sure = false;	/* what is opened is what was looked at */
	const char *base = name;
	char number[12];
	int fd, r = 0, held = -1;
	dev_t dev;
	ino_t ino;

	if (!once && is_root()) {
		fd = ENABLE_FEATURE_SAFE_DIRECTORIES && dirfd == AT_FDCWD ? safe_parent(&base)
			: UNSAFE;
		if (fd >= 0 && !sys_stat(fd, base, false, &f->st) && !S_ISLNK(f->st.st_mode)) {
			sure = true;
			dirfd = fd;
			name = base;
			more = O_NOFOLLOW;
		} else if ((fd = pc_proc_fd()) != -1) {
			/* a descriptor that opens nothing; then the very same inode through it */
			r = held = fd < 0 ? fd : sys_open(dirfd, name, O_PATH | more);
			if (held < 0)
				return held;
			r = sys_fstat(held, &f->st);
			sure = true;
			bb_snprintf(number, sizeof(number), "%d", held);
			dirfd = fd;
			name = number;
			more = 0;
		}
	}
	if (!once && !sure)
		r = sys_stat(dirfd, name, !more, &f->st);
	if (!r && !once && !wanted(&f->st, flags))
		r = -PC_ENOTREG;
	fd = r ? r : open_reading(dirfd, name, more);
	if (held >= 0)
		sys_close(held);
	if (fd < 0 || sure)
		return fd;
	dev = f->st.st_dev;
	ino = f->st.st_ino;
	r = sys_fstat(fd, &f->st);
	if (!r && (!wanted(&f->st, flags)
			|| (!once && (f->st.st_dev != dev || f->st.st_ino != ino))))
		r = once ? -PC_ENOTREG : -PC_ECHANGED;
	if (!r)
		return fd;
	sys_close(fd);
	return r;
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
	int base = dirfd, r = step_down(&base, &name);

	f->fd = -1;
	if (r)
		return r;
	r = look_and_open(f, base, name, flags);
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
