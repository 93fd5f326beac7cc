/* SPDX-License-Identifier: 0BSD */
/* process.c - going on in the background, PID files, an end after some time. */

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kabi.h"
#include "pagecache.h"
#include "process.h"

static struct {
	const char *path;
	const char *name;	/* in dir; NULL: none */
	int dir, fd;
} pidfile;
static pid_t child;

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

	if (!pid) {
		pidfile.name = NULL;
		/* what kills the parent kills the child */
		if (sys_die_with_parent() || getppid() != parent)
			_exit(EXIT_NOT_DONE);
	}
	return pid;
}

/* A signal's handler: system calls only. */
static void end(int sig)
{
	bb_pidfile_remove();
	if (child > 0)
		kill(child, SIGKILL);
	_exit(128 + sig);
}

void bb_catch_signals(void)
{
	static const unsigned char signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	size_t i;

	for (i = 0; i < sizeof(signals); i++)
		signal(signals[i], end);
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
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	char *dir;
	int fd = openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);

	if (fd < 0)
		bb_perror_msg_and_die("%s", name);
	/* it is removed at the end, which no device (EINVAL) and no list would forgive */
	if (pid_in(fd) < 0 || ftruncate(fd, 0))
		bb_error_msg_and_die("%s: no PID file", name);
	/* by its directory: the root may have changed when it is removed */
	dir = xstrdup(name);
	dir[base - name] = '\0';
	pidfile.dir = openat(AT_FDCWD, *dir ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pidfile.name = base;
	pidfile.fd = fd;
	pidfile.path = name;
}

void xpidfile_write(pid_t pid)
{
	char buf[16];
	size_t len = bb_snprintf(buf, sizeof(buf), "%d\n", pid);

	if (full_write(pidfile.fd, buf, len)) {
		bb_perror_msg("%s", pidfile.path);
		bb_pidfile_remove();
		if (pid != sys_getpid())
			kill(pid, SIGTERM);
		bb_exit(EXIT_NOT_DONE);
	}
	close(pidfile.fd);
}

void bb_pidfile_remove(void)
{
	pid_t pid;

	if (!pidfile.name)
		return;
	pid = pid_in(openat(pidfile.dir, pidfile.name, O_RDONLY | O_CLOEXEC));
	/* or else it is that of another of us by now */
	if (!pid || pid == sys_getpid())
		unlinkat(pidfile.dir, pidfile.name, 0);
	pidfile.name = NULL;
}

/* Blocks two signals, and waits for one of them. */
static bool await(int one, int other, uint64_t ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, one);
	sigaddset(&set, other);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &time) > 0;
}

static uint64_t to_ms(uint64_t seconds)
{
	return MIN(seconds, 1000000) * 1000;
}

bool bb_told_to_end(uint64_t seconds)
{
	return await(SIGINT, SIGTERM, to_ms(seconds));
}

void bb_supervise(uint64_t seconds, bool verbose)
{
	uint64_t now, until = sys_now_ms() + to_ms(seconds);
	int status = 0;
	bool ended;

	/* from here on it is not missed */
	await(SIGCHLD, SIGCHLD, 0);
	/* an ignored SIGCHLD is not inherited as blocked, and leaves nothing to wait for */
	signal(SIGCHLD, SIG_DFL);
	child = bb_fork_helper();
	if (!child)
		return;
	/* SIGCHLD also tells of a child that was stopped, or that is not ours but our shell's */
	while (!(ended = waitpid(child, &status, WNOHANG) == child)
			&& (now = sys_now_ms()) < until)
		await(SIGCHLD, SIGCHLD, until - now);
	bb_pidfile_remove();
	if (!ended) {
		kill(child, SIGKILL);
		if (verbose)
			bb_printf("stopped: the time is up\n");
		bb_exit(EXIT_DONE);
	}
	if (WTERMSIG(status))
		bb_error_msg_and_die("killed by signal %d", WTERMSIG(status));
	bb_exit(WEXITSTATUS(status));
}
