/* SPDX-License-Identifier: 0BSD */
/* process.c - going on in the background, PID files, an end after some time. */

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kabi.h"
#include "pagecache.h"
#include "process.h"

/* Signals are waited for, never caught. */
static sigset_t held, before;
static const char *pidfile;
static int pidfile_fd;

static pid_t xfork(void)
{
	pid_t pid;

	bb_flush(&bb_stdout);
	pid = sys_fork();
	if (pid < 0)
		bb_perror_msg_and_die("fork");
	if (!pid)
		pc_forked();
	return pid;
}

pid_t bb_daemonize(void)
{
	pid_t pid = xfork();

	if (!pid)
		setsid();
	return pid;
}

pid_t bb_fork_helper(void)
{
	pid_t parent = sys_getpid(), pid = xfork();

	/* what kills the parent kills the child */
	if (!pid && (sys_die_with_parent() || getppid() != parent))
		_exit(EXIT_NOT_DONE);
	return pid;
}

static void hold(const char *signals)
{
	sigemptyset(&held);
	while (*signals)
		sigaddset(&held, *signals++);
	sigprocmask(SIG_BLOCK, &held, &before);
}

/* Waits for one of the signals held. Returns it; 0: SIGCHLD, -1: none came. */
static int await(uint64_t ms)
{
	struct timespec time;
	int sig;

	ms = MIN(ms, 1000000000);
	time.tv_sec = (time_t)(ms / 1000);
	time.tv_nsec = (long)(ms % 1000) * 1000000;
	sig = sigtimedwait(&held, NULL, &time);
	return sig == SIGCHLD ? 0 : sig;
}

/* The number in a PID file; 0: it is empty, -1: something else stands there. */
static pid_t pid_in(int fd)
{
	char buf[16];
	const char *p = buf;
	uint64_t n;
	ssize_t len = sys_pread(fd, buf, sizeof(buf) - 1, 0);

	if (len <= 0)
		return len ? -1 : 0;
	buf[len] = '\0';
	return bb_parse_u64(&p, &n) || *p != '\n' || p[1] || n > INT32_MAX ? -1 : (pid_t)n;
}

void xpidfile_open(const char *name)
{
	pidfile_fd = openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
	if (pidfile_fd < 0)
		bb_perror_msg_and_die("%s", name);
	/* it is removed at the end, which no device (EINVAL) and no list would forgive */
	if (pid_in(pidfile_fd) < 0 || ftruncate(pidfile_fd, 0))
		bb_error_msg_and_die("%s: no PID file", name);
	pidfile = name;
}

static void remove_pidfile(void)
{
	pid_t pid;

	if (!pidfile)
		return;
	pid = pid_in(openat(AT_FDCWD, pidfile, O_RDONLY | O_CLOEXEC));
	/* or else it is that of another of us by now */
	if (!pid || pid == sys_getpid())
		unlinkat(AT_FDCWD, pidfile, 0);
}

void xpidfile_write(pid_t pid)
{
	char buf[16];
	size_t len = bb_snprintf(buf, sizeof(buf), "%d\n", pid);

	if (full_write(pidfile_fd, buf, len)) {
		bb_perror_msg("%s", pidfile);
		remove_pidfile();
		if (pid != sys_getpid())
			kill(pid, SIGTERM);
		bb_exit(EXIT_NOT_DONE);
	}
	close(pidfile_fd);
}

bool bb_told_to_end(uint64_t seconds)
{
	hold((const char[]){ SIGINT, SIGTERM, 0 });
	return await(MIN(seconds, 1000000) * 1000) > 0;
}

void bb_may_stall(void)
{
	struct pollfd p = { .fd = 1, .events = POLLOUT };

	if (!poll(&p, 1, 0))
		sigprocmask(SIG_UNBLOCK, &held, NULL);
}

void bb_hold_signals(void)
{
	hold((const char[]){ SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, 0 });
}

void bb_supervise(uint64_t seconds, bool verbose)
{
	uint64_t now, until = sys_now_ms() + MIN(seconds, UINT32_MAX) * 1000;
	int status = 0, sig = 0;
	bool ended = false;
	pid_t child;

	/* an ignored SIGCHLD leaves nothing to wait for */
	sys_default_signal(SIGCHLD);
	child = bb_fork_helper();
	if (!child) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return;
	}
	/* SIGCHLD also tells of a child that was stopped, or that is not ours but our shell's */
	while (sig <= 0 && !(ended = waitpid(child, &status, WNOHANG) == child)
			&& (now = sys_now_ms()) < until)
		sig = await(until - now);
	remove_pidfile();
	if (ended && WTERMSIG(status))
		bb_error_msg_and_die("killed by signal %d", WTERMSIG(status));
	if (ended)
		bb_exit(WEXITSTATUS(status));
	kill(child, SIGKILL);
	if (sig > 0) {
		/* what it has open is closed then; not for long: it may hang in the kernel */
		await(1000);
		bb_exit(128 + sig);
	}
	if (verbose)
		bb_printf("stopped: the time is up\n");
	bb_exit(EXIT_DONE);
}
