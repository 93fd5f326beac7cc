/* SPDX-License-Identifier: 0BSD */
/* sys.c - the system calls of the engine, one thin function each; all return -errno. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "kabi.h"

#ifdef SYS_clock_gettime32		/* musl's name */
# define NR_clock_gettime SYS_clock_gettime32
#elif defined SYS_clock_gettime
# define NR_clock_gettime SYS_clock_gettime
#endif
#ifndef SYS_cachestat
# define SYS_cachestat KABI_NR_cachestat
#endif

/* What a call returned, or -errno. One function: errno is a call itself. */
static __attribute__((noinline)) long result(long r)
{
	return r < 0 ? -errno : r;
}

int sys_open(int dirfd, const char *name, int flags)
{
	int fd;

	do
		fd = openat(dirfd, name, flags | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return (int)result(fd);
}

void sys_close(int fd)
{
	close(fd);
}

int sys_fstat(int fd, struct stat *st)
{
	return (int)result(fstat(fd, st));
}

int sys_stat(int dirfd, const char *name, bool follow, struct stat *st)
{
	return (int)result(fstatat(dirfd, name, st, follow ? 0 : AT_SYMLINK_NOFOLLOW));
}

int sys_fs_type(int fd, uint32_t *type)
{
	struct statfs s;
	int r = fstatfs(fd, &s);

	if (!r)
		*type = (uint32_t)s.f_type;
	return (int)result(r);
}

int sys_device_size(int fd, uint64_t *bytes)
{
	return (int)result(ioctl(fd, KABI_BLKGETSIZE64, bytes));
}

static int64_t seek(int fd, uint64_t off, int from)
{
	off_t r = lseek(fd, (off_t)off, from);

	return r < 0 ? -errno : r;
}

int64_t sys_seek_data(int fd, uint64_t off)
{
	return seek(fd, off, SEEK_DATA);
}

int64_t sys_seek_hole(int fd, uint64_t off)
{
	return seek(fd, off, SEEK_HOLE);
}

/* By number: musl's getrlimit has a way for kernels before 2.6.36. */
int sys_fd_limit(void)
{
	uint64_t limit[2];

	if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, limit))
		return 0;
	return limit[0] < INT_MAX ? (int)limit[0] : INT_MAX;
}

int sys_seek(int fd, int64_t off)
{
	off = seek(fd, (uint64_t)off, SEEK_SET);
	return off < 0 ? (int)off : 0;
}

ssize_t sys_pread(int fd, void *buf, size_t len, uint64_t off)
{
	ssize_t r;

	do
		r = pread(fd, buf, len, (off_t)off);
	while (r < 0 && errno == EINTR);
	return (ssize_t)result(r);
}

int sys_readahead(int fd, uint64_t off, size_t len)
{
	return (int)result(readahead(fd, (off_t)off, len));
}

int sys_cachestat(int fd, uint64_t off, uint64_t len, struct kabi_cachestat *cs)
{
	struct kabi_cachestat_range range = { off, len };

	return (int)result(syscall(SYS_cachestat, fd, &range, cs, 0));
}

/* vec NULL: not asked but loaded */
static int mapped(int fd, uint64_t off, size_t len, unsigned char *vec)
{
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)off);
	long r = -1;

	if (p != MAP_FAILED)
		r = vec ? mincore(p, len, vec) : madvise(p, len, KABI_MADV_POPULATE_READ);
	r = result(r);
	if (p != MAP_FAILED)
		munmap(p, len);
	return (int)r;
}

int sys_mincore(int fd, uint64_t off, size_t len, unsigned char *vec)
{
	return mapped(fd, off, len, vec);
}

int sys_populate(int fd, uint64_t off, size_t len)
{
	return mapped(fd, off, len, NULL);
}

void *sys_map(void *at, int fd, uint64_t off, size_t len)
{
	void *p = mmap(at, len, PROT_NONE, MAP_SHARED, fd, (off_t)off);

	if (p == MAP_FAILED)
		return NULL;
	if (at && p != at) {
		munmap(p, len);
		return NULL;
	}
	return p;
}

void sys_unmap(void *at, size_t len)
{
	munmap(at, len);
}

int sys_willneed(void *at, size_t len)
{
	return (int)result(madvise(at, len, MADV_WILLNEED));
}

int sys_fadvise(int fd, uint64_t off, uint64_t len, int advice)
{
	return -posix_fadvise(fd, (off_t)off, (off_t)len, advice);
}

int sys_sync_range(int fd, uint64_t off, uint64_t len)
{
	return (int)result(sync_file_range(fd, (off_t)off, (off_t)len, SYNC_FILE_RANGE_WAIT_BEFORE
		| SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER));
}

int sys_fdatasync(int fd)
{
	return (int)result(fdatasync(fd));
}

bool sys_has_cap(unsigned cap)
{
	struct kabi_cap_header head = { KABI_CAP_VERSION_3, 0 };
	struct kabi_cap_data data[2];

	return syscall(SYS_capget, &head, data) == 0
		&& (data[cap / 32].effective >> (cap % 32)) & 1;
}

/* By number: musl's faccessat brings a clone and a pipe for a flag that is not wanted here. */
bool sys_may_write(int dirfd, const char *name)
{
	return syscall(SYS_faccessat, dirfd, name, W_OK) == 0;
}

uid_t sys_euid(void)
{
	return geteuid();
}

/* By number: musl's fork brings 2 kB of locks for threads that are not there. Everything is 0 but
 * the flags, so that only s390, where those come second, differs. */
pid_t sys_fork(void)
{
#if defined __sparc__ || defined __ia64__	/* where the child is told in another way */
	pid_t pid = fork();
#elif defined __s390__
	pid_t pid = (pid_t)syscall(SYS_clone, 0, SIGCHLD, 0, 0, 0);
#else
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif

	return (pid_t)result(pid);
}

pid_t sys_getpid(void)
{
	return getpid();
}

/* By number: musl's prctl takes five arguments from a va_list first. */
int sys_die_with_parent(void)
{
	return (int)result(syscall(SYS_prctl, PR_SET_PDEATHSIG, (long)SIGKILL));
}

void sys_default_signal(int sig)
{
	/* SIG_DFL is 0, and so all of it, whatever the order of its fields is */
	unsigned long action[8] = { 0 };

	/* the set's size; on sparc it comes behind one argument more */
	syscall(SYS_rt_sigaction, sig, action, NULL, _NSIG / 8, _NSIG / 8);
}

int sys_chroot(const char *dir)
{
	return (int)result(chroot(dir) ? -1 : chdir("/"));
}

int sys_mknod_block(int dirfd, const char *name, dev_t dev)
{
	return (int)result(mknodat(dirfd, name, S_IFBLK | 0600, dev));
}

/* musl's fchmod has a way by /proc, too. */
int sys_fchmod(int fd, mode_t mode)
{
	return syscall(SYS_fchmod, fd, mode) ? -errno : 0;
}

int sys_unlink(int dirfd, const char *name)
{
	return (int)result(unlinkat(dirfd, name, 0));
}

uint64_t sys_pagesize(void)
{
	return (uint64_t)getpagesize();
}

int sys_ioprio_idle(void)
{
	return (int)result(syscall(SYS_ioprio_set, KABI_IOPRIO_WHO_PROCESS, 0,
		KABI_IOPRIO_CLASS_IDLE));
}

/* By number: musl's clock_gettime brings 1 kB for looking up the vdso. On 32-bit machines there is
 * one call with 64-bit times, since Linux 5.1, and one without. */
uint64_t sys_now_ms(void)
{
#ifdef SYS_clock_gettime64
	int64_t now[2];

	if (!syscall(SYS_clock_gettime64, CLOCK_MONOTONIC, now))
		return (uint64_t)(now[0] * 1000 + now[1] / 1000000);
#endif
#ifdef NR_clock_gettime
# if defined __x86_64__ && defined __ILP32__
	int64_t t[2];
# else
	long t[2];
# endif

	if (!syscall(NR_clock_gettime, CLOCK_MONOTONIC, t))
		return (uint64_t)t[0] * 1000 + (uint64_t)t[1] / 1000000;
#endif
	return 0;
}

ssize_t sys_getdents(int fd, void *buf, size_t len)
{
	return (ssize_t)result(syscall(SYS_getdents64, fd, buf, len));
}

int sys_fiemap(int fd, uint64_t off, struct kabi_extent *extents, unsigned n)
{
	struct {
		struct kabi_fiemap head;
		struct kabi_extent extents[64];
	} m;

	m.head = (struct kabi_fiemap){ .start = off, .length = UINT64_MAX - off, .count = n };
	if (ioctl(fd, KABI_FS_IOC_FIEMAP, &m))
		return (int)result(-1);
	if (m.head.mapped > n)
		return -EINVAL;
	memcpy(extents, m.extents, m.head.mapped * sizeof(*extents));
	return (int)m.head.mapped;
}

int sys_memory(uint64_t *free, uint64_t *buffers)
{
	struct sysinfo s;

	if (sysinfo(&s))
		return -errno;
	*free = (uint64_t)s.freeram * s.mem_unit;
	*buffers = (uint64_t)s.bufferram * s.mem_unit;
	return 0;
}

ssize_t sys_readlink(int dirfd, const char *name, char *buf, size_t len)
{
	return (ssize_t)result(readlinkat(dirfd, name, buf, len));
}

/* By number: musl's getcwd brings malloc, for a use of it that is not ours. */
int sys_getcwd(char *buf, size_t size)
{
	long r = result(syscall(SYS_getcwd, buf, size));

	return r < 0 ? (int)r : 0;
}
