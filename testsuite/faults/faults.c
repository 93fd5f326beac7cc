/* SPDX-License-Identifier: 0BSD */
/* faults [-s STATUS] [-u UID] [-i STDIN] [-c FILE]... [-d FILE]... [-og] NAME COMMAND...
 *
 * Runs COMMAND again and again. In each run one system call fails: the k-th openat(2), say, with
 * EMFILE, for k = 1, 2, 3... until a run has no k-th, with every error in the table below. Prints
 * a TAP line for each call. What must hold of every run:
 *
 *  - it ends by itself within ten seconds, and not by a signal;
 *  - with status STATUS (default 0), or 1; and one line on stderr if that is not 0, else none;
 *  - when the status is 0, the files -c are wholly in the page cache (they were evicted before),
 *    the files -d are there (they were removed before), and with -o the output is the same as
 *    without a failure (-g: files may also have gone, when a call says so; -gg: or be forbidden);
 *  - no more than MAX_FDS descriptors are open at once.
 *
 * strace(1) could inject all of these but cachestat(2), which its releases do not know yet. */

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ptrace.h>

#define MAX_FDS 40	/* of which 32 hold small files */
#define MAX_FILES 64
#define CALLS 512

#ifndef SYS_cachestat
# define SYS_cachestat 451
#endif

/* What the manual pages name, where it can happen to a program that makes no mistakes. */
static const struct {
	int nr;
	const char *name;
	int errors[10];
} table[] = {
#define CALL(name, ...) { SYS_##name, #name, { __VA_ARGS__ } }
#ifdef SYS_open
	CALL(open, EACCES, EMFILE, ENFILE, ENOENT, ENOMEM, EINTR, EPERM, ELOOP),
	CALL(stat, EACCES, ENOENT, ENOMEM, ELOOP, EIO),
	CALL(lstat, EACCES, ENOENT, ENOMEM, ELOOP, EIO),
	CALL(access, EACCES, EROFS, ENOMEM, EIO),
	CALL(readlink, EACCES, ENOENT, EINVAL, EIO, ENOMEM),
	CALL(symlink, EACCES, EEXIST, ENOSPC, EROFS, EDQUOT, EIO),
	CALL(link, EACCES, EEXIST, EXDEV, EMLINK, EPERM, EROFS, EIO),
	CALL(unlink, EACCES, EBUSY, EIO, EROFS),
	CALL(mknod, EACCES, EPERM, EEXIST, ENOSPC, EROFS),
	CALL(rename, EACCES, EIO, ENOSPC, EROFS),
	CALL(chmod, EPERM, EIO, EROFS),
	CALL(mkdir, EACCES, EEXIST, ENOSPC, EROFS),
	CALL(alarm),
	CALL(fork, EAGAIN, ENOMEM, ENOSYS),
	CALL(vfork, EAGAIN, ENOMEM),
	CALL(getpgrp),
	CALL(poll, EINTR, ENOMEM),
	CALL(arch_prctl),
#endif
	CALL(openat, EACCES, EMFILE, ENFILE, ENOENT, ENOMEM, EINTR, EPERM, ELOOP, ENXIO, EIO),
	CALL(fstat, EACCES, ENOMEM, EIO),
	CALL(newfstatat, EACCES, ENOENT, ENOMEM, ELOOP, EIO),
	CALL(statx, EACCES, ENOENT, ENOMEM, ENOSYS, EIO),
	CALL(fstatfs, EIO, ENOSYS, ENOMEM, EINTR, EOVERFLOW),
	CALL(statfs, EIO, ENOSYS, ENOMEM, EINTR, EACCES),
	CALL(faccessat, EACCES, EROFS, ENOMEM, EIO),
	CALL(faccessat2, EACCES, EROFS, ENOMEM, ENOSYS),
	CALL(read, EIO, EINTR, EAGAIN, EISDIR),
	CALL(readv, EIO, EINTR, EAGAIN),
	CALL(pread64, EIO, EINTR, EAGAIN, ENXIO),
	CALL(getdents64, EIO, ENOENT, EINVAL),
	CALL(write, EIO, ENOSPC, EPIPE, EINTR, EAGAIN),
	CALL(writev, EIO, ENOSPC, EPIPE, EINTR, EAGAIN),
	CALL(lseek, EINVAL),	/* ENXIO is an answer: nothing but a hole from here on */
	CALL(close, EIO, EINTR, ENOSPC),
	CALL(mmap, ENOMEM, EAGAIN, ENODEV, EPERM),
	CALL(munmap, ENOMEM),
	CALL(mincore, EAGAIN, EFAULT, ENOMEM),
	CALL(madvise, EAGAIN, EINVAL, EIO, ENOMEM, EFAULT, EHWPOISON),
	CALL(readahead, EBADF, EINVAL),
	CALL(fadvise64, EBADF, EINVAL, ESPIPE),
	CALL(cachestat, ENOSYS, EPERM, EOPNOTSUPP, EBADF),
	CALL(ioctl, ENOTTY, EOPNOTSUPP, EINVAL, EIO, ENOMEM),
	CALL(fcntl, EACCES, EAGAIN, EMFILE),
	CALL(readlinkat, EACCES, ENOENT, EINVAL, EIO, ENOMEM),
	CALL(symlinkat, EACCES, EEXIST, ENOSPC, EROFS, EDQUOT, EIO),
	CALL(linkat, EACCES, EEXIST, EXDEV, EMLINK, EPERM, EROFS, EIO),
	CALL(unlinkat, EACCES, EBUSY, EIO, EROFS),
	CALL(mknodat, EACCES, EPERM, EEXIST, ENOSPC, EROFS),
	CALL(mkdirat, EACCES, EEXIST, ENOSPC, EROFS),
	CALL(renameat, EACCES, EIO, ENOSPC, EROFS),
	CALL(renameat2, EACCES, EIO, ENOSPC, EROFS, ENOSYS),
	CALL(fchmod, EPERM, EIO, EROFS),
	CALL(fsync, EIO, ENOSPC, EINTR),
	CALL(fdatasync, EIO, ENOSPC, EINTR),
	CALL(sync_file_range, EIO, ENOSPC, ENOMEM),
	CALL(ftruncate, EIO, EINTR),
	CALL(chroot, EPERM, EACCES),
	CALL(chdir, EACCES, EIO, ENOENT),
	CALL(fchdir, EACCES),
	CALL(dup3, EMFILE),
	CALL(prlimit64, ENOSYS, EPERM),
	CALL(setitimer, EINVAL),
	CALL(ioprio_set, EPERM, EINVAL, ENOSYS),
	CALL(capget, EINVAL, EPERM, EFAULT),
	CALL(clone, EAGAIN, ENOMEM, ENOSYS),
	CALL(setsid, EPERM),
	CALL(sysinfo, EFAULT),
	CALL(ppoll, EINTR, ENOMEM),
	CALL(clock_gettime, EINVAL),
	CALL(rt_sigtimedwait, EAGAIN, EINTR),
	/* cannot fail, or is of libc's start or end */
	CALL(brk), CALL(mprotect), CALL(set_tid_address), CALL(set_robust_list), CALL(rseq),
	CALL(getrandom), CALL(getuid), CALL(geteuid), CALL(getgid), CALL(getegid),
	CALL(getpid), CALL(gettid), CALL(getppid), CALL(getpgid), CALL(rt_sigaction),
	CALL(rt_sigprocmask), CALL(prctl), CALL(wait4), CALL(exit), CALL(exit_group), CALL(execve),
	CALL(uname),
#undef CALL
};
enum { TABLE = sizeof(table) / sizeof(table[0]) };

static int want_status;
static unsigned uid;
static const char *input = "/dev/null", *cached[MAX_FILES], *made[MAX_FILES];
static unsigned cached_count, made_count;
static bool same_output;
static unsigned may_be_gone;
static char **command;

/* of the last run */
static unsigned seen[CALLS];	/* how often each call was made */
static bool injected, timed_out;
static int status, open_fds, most_fds;
static char out[65536], err[4096];
static char first_out[sizeof(out)];

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* ---- tracing ---- */

static void change(pid_t pid, bool entry, long value)
{
#if defined __x86_64__
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov))
		return;
	*(entry ? &regs.orig_rax : &regs.rax) = (unsigned long long)value;
	ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov);
#elif defined __aarch64__
	struct user_regs_struct regs;
	struct iovec iov = { &regs, sizeof(regs) };
	int nr = (int)value;

	if (entry) {
		iov = (struct iovec){ &nr, sizeof(nr) };
		ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &iov);
		return;
	}
	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &iov))
		return;
	regs.regs[0] = (unsigned long long)value;
	ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &iov);
#else
# error "not for this architecture yet"
#endif
}

/* Which call each stopped process is in, and whether it shall fail. */
static struct {
	pid_t pid;
	int nr, error;
} tracees[8];

static int slot(pid_t pid)
{
	int i;

	for (i = 0; i < 7 && tracees[i].pid && tracees[i].pid != pid; i++)
		;
	tracees[i].pid = pid;
	return i;
}

static void at_call(pid_t pid, int nr, unsigned k, int error)
{
	struct ptrace_syscall_info info = { 0 };
	int i = slot(pid);

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		tracees[i].nr = (int)info.entry.nr;
		tracees[i].error = 0;
		if (info.entry.nr < CALLS)
			seen[info.entry.nr]++;
		if ((int)info.entry.nr == nr && seen[nr] == k) {
			injected = true;
			tracees[i].error = error;
			/* a close(2) that fails has closed all the same; no file stays behind */
			if (nr != SYS_close && nr != SYS_unlinkat)
				change(pid, true, -1);
		}
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		long r = info.exit.rval;

		if (tracees[i].error)
			change(pid, false, -tracees[i].error);
		else if (tracees[i].nr == SYS_openat && r >= 0)
			open_fds++;
		if (tracees[i].nr == SYS_close && r == 0)
			open_fds--;
		if (open_fds > most_fds)
			most_fds = open_fds;
	}
}

static void on_alarm(int sig)
{
	(void)sig;
	timed_out = true;
}

static void trace(pid_t pid, int nr, unsigned k, int error)
{
	int s, running = 1, worst = 0, first = 0;

	memset(tracees, 0, sizeof(tracees));
	ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL |
	       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE);
	kill(pid, SIGCONT);
	alarm(10);
	while (running) {
		pid_t p = waitpid(-1, &s, __WALL);
		int sig = 0;

		if (p < 0 && timed_out) {
			for (size_t i = 0; i < sizeof(tracees) / sizeof(tracees[0]); i++)
				if (tracees[i].pid)
					kill(tracees[i].pid, SIGKILL);
			alarm(10);
			continue;
		}
		if (p < 0)
			break;
		if (WIFEXITED(s) || WIFSIGNALED(s)) {
			running--;
			if (p == pid)
				first = s;
			if (s > worst)
				worst = s;
			if (WIFSIGNALED(s))
				worst = s;
			continue;
		}
		if (WSTOPSIG(s) == (SIGTRAP | 0x80)) {
			at_call(p, nr, k, error);
		} else if (s >> 16 == PTRACE_EVENT_FORK || s >> 16 == PTRACE_EVENT_VFORK ||
			   s >> 16 == PTRACE_EVENT_CLONE) {
			running++;
		} else if (s >> 16 == 0) {
			sig = WSTOPSIG(s) == SIGTRAP || WSTOPSIG(s) == SIGCONT ? 0 : WSTOPSIG(s);
		}
		ptrace(PTRACE_SYSCALL, p, 0, sig);
	}
	alarm(0);
	/* a child that the failing parent told to end has nothing to add */
	status = WIFEXITED(first) && WEXITSTATUS(first) && WIFEXITED(worst) ? first : worst;
}

/* ---- one run ---- */

static void evict(const char *name)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0)
		fail(name);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

/* Holes do not count. */
static bool is_cached(const char *name)
{
	static unsigned char vec[65536];
	long page = sysconf(_SC_PAGESIZE);
	off_t data = 0, hole;
	struct stat st;
	int fd = open(name, O_RDONLY);
	bool all = true;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		fail(name);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || st.st_size / page >= (off_t)sizeof(vec) ||
	    mincore(p, (size_t)st.st_size, vec))
		fail(name);
	while ((data = lseek(fd, data, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		for (off_t i = data / page; i * page < hole; i++)
			all &= vec[i] & 1;
		data = hole;
	}
	munmap(p, (size_t)st.st_size);
	close(fd);
	return all;
}

static void take(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
}

static void run(int nr, unsigned k, int error)
{
	static int out_fd = -1, err_fd;
	pid_t pid;
	int s;

	if (out_fd < 0) {
		out_fd = memfd_create("out", MFD_CLOEXEC);
		err_fd = memfd_create("err", MFD_CLOEXEC);
	}
	for (unsigned i = 0; i < cached_count; i++)
		evict(cached[i]);
	for (unsigned i = 0; i < made_count; i++)
		unlink(made[i]);
	if (ftruncate(out_fd, 0) || ftruncate(err_fd, 0))
		fail("memfd");
	lseek(out_fd, 0, SEEK_SET);
	lseek(err_fd, 0, SEEK_SET);
	memset(seen, 0, sizeof(seen));
	injected = timed_out = false;
	open_fds = most_fds = 0;

	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		int fd = open(input, O_RDONLY);

		dup2(fd, 0);
		dup2(out_fd, 1);
		dup2(err_fd, 2);
		close(fd);
		if (uid && (setgid(uid) || setuid(uid)))
			_exit(126);
		raise(SIGSTOP);
		execvp(command[0], command);
		_exit(126);
	}
	waitpid(pid, &s, WUNTRACED);
	trace(pid, nr, k, error);
	take(out_fd, out, sizeof(out));
	take(err_fd, err, sizeof(err));
}

/* What is wrong with the last run, in which a call failed with error; NULL: nothing. */
static const char *judge(int error, bool said_nothing_is_right)
{
	const char *newline = strchr(err, '\n');

	if (timed_out)
		return "does not end";
	if (!WIFEXITED(status))
		return "is ended by a signal";
	if (most_fds > MAX_FDS)
		return "has too many descriptors open";
	if (WEXITSTATUS(status) == 0) {
		if (want_status)
			return "ends with status 0";
		if (may_be_gone && (error == ENOENT || error == ELOOP))
			return NULL;
		if (may_be_gone > 1 && (error == EACCES || error == EPERM || error == ENXIO))
			return NULL;
		if (*err)
			return "ends with status 0 and a message";
		for (unsigned i = 0; i < cached_count; i++)
			if (!is_cached(cached[i]))
				return "ends with status 0, but not all is in the cache";
		for (unsigned i = 0; i < made_count; i++)
			if (access(made[i], F_OK))
				return "ends with status 0, but something is missing";
		if (same_output && strcmp(out, first_out))
			return "ends with status 0 and other output";
		return NULL;
	}
	if (WEXITSTATUS(status) != 1 && WEXITSTATUS(status) != want_status)
		return "ends with a status that is neither right nor 1";
	if (!*err)
		return said_nothing_is_right ? NULL : "ends with status 1 in silence";
	if ((strncmp(err, command[1], strlen(command[1])) || err[strlen(command[1])] != ':') &&
	    strncmp(err, "warmbox: ", 9))
		return "says something that does not begin with its name";
	if (!newline || (newline[1] && cached_count < 2))
		return "says other than one line";
	return NULL;
}

static const char *error_name(int error)
{
	static char text[20];
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(text, sizeof(text), "errno %d", error);
	return text;
}

/* Lets the k-th call fail. Returns what was wrong, three times: others may evict, drop all caches
 * or read our files meanwhile. */
static const char *fails(int t, unsigned k, int error)
{
	const char *wrong = NULL;

	for (int tries = 0; tries < 3; tries++) {
		if (tries && same_output) {
			run(-1, 0, 0);
			strcpy(first_out, out);
		}
		run(table[t].nr, k, error);
		/* an error message that cannot be written is none */
		wrong = injected ? judge(error, table[t].nr == SYS_write && want_status) : NULL;
		if (!wrong)
			break;
	}
	return wrong;
}

/* All failures of one call. Returns whether they went well. */
static bool call_fails(const char *name, int t)
{
	unsigned bad = 0, runs = 0;

	for (const int *error = table[t].errors; error < table[t].errors + 10 && *error; error++)
		for (unsigned k = 1;; k++, runs++) {
			const char *wrong = fails(t, k, *error);

			if (!injected)
				break;
			if (wrong && bad++ < 5)
				printf("# %s %u fails with %s: %s; status %d, says: %s%s",
				       table[t].name, k, error_name(*error), wrong,
				       WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
				       *err ? err : "nothing", *err ? "" : "\n");
		}
	printf("%s - %s: %s fails (%u runs)\n", bad ? "not ok" : "ok", name, table[t].name, runs);
	fflush(stdout);
	return !bad;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	unsigned made_calls[CALLS];
	const char *name, *wrong;
	bool good = true;
	int c;

	while ((c = getopt(argc, argv, "+s:u:i:c:d:og")) >= 0)
		switch (c) {
		case 's': want_status = atoi(optarg); break;
		case 'u': uid = (unsigned)atoi(optarg); break;
		case 'i': input = optarg; break;
		case 'c': cached[cached_count++ % MAX_FILES] = optarg; break;
		case 'd': made[made_count++ % MAX_FILES] = optarg; break;
		case 'o': same_output = true; break;
		case 'g': may_be_gone++; break;
		default: return 2;
		}
	if (argc - optind < 3 || cached_count > MAX_FILES || made_count > MAX_FILES)
		return 2;
	name = argv[optind];
	command = argv + optind + 1;
	sigaction(SIGALRM, &sa, NULL);
	run(-1, 0, 0);
	strcpy(first_out, out);
	memcpy(made_calls, seen, sizeof(seen));
	wrong = judge(0, false);
	if (wrong || WEXITSTATUS(status) != want_status) {
		printf("# without a failure it %s: status 0x%x, says: %s\nnot ok - %s: runs\n",
		       wrong ? wrong : "ends with another status", status, err, name);
		return 1;
	}
	for (int nr = 0; nr < CALLS; nr++) {
		int t = 0;

		while (made_calls[nr] && t < TABLE && table[t].nr != nr)
			t++;
		if (made_calls[nr] && t == TABLE) {
			printf("not ok - %s: call %d is not in the table\n", name, nr);
			good = false;
		} else if (made_calls[nr] && table[t].errors[0]) {
			good &= call_fails(name, t);
		}
	}
	return !good;
}
