/* SPDX-License-Identifier: 0BSD */
/* process.c - going on in the background, PID files, an end after some time. */

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "kabi.h"
#include "pagecache.h"
#include "process.h"

static struct {
	const char *name;	/* in dir; NULL: none */
	int dir, fd;
	pid_t pid;
} pidfile;
static pid_t child;

pid_t bb_daemonize(void)
{
	pid_t pid = sys_fork();

	if (pid < 0)
		bb_error_msg_and_die("fork: %s", bb_strerror(-pid));
	if (pid)
		return pid;
	setsid();
	pc_forked();
	return 0;
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
	const char *slash = strrchr(name, '/');
	struct stat st;
	char *dir;
	int fd = openat(AT_FDCWD, name, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);

	if (fd < 0 || fstat(fd, &st))
		bb_perror_msg_and_die("%s", name);
	/* it is removed at the end, which no device and no list would forgive */
	if (!S_ISREG(st.st_mode) || pid_in(fd) < 0)
		bb_error_msg_and_die("%s: no PID file", name);
	/* by its directory: the root may have changed when it is removed */
	dir = xstrdup(name);
	dir[slash ? slash + 1 - name : 0] = '\0';
	pidfile.dir = openat(AT_FDCWD, *dir ? dir : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pidfile.name = slash ? slash + 1 : name;
	pidfile.fd = fd;
}

int bb_pidfile_write(pid_t pid)
{
	char buf[16];
	size_t len = bb_snprintf(buf, sizeof(buf), "%d\n", pid);
	int r;

	pidfile.pid = pid;
	r = ftruncate(pidfile.fd, 0) ? -errno : full_write(pidfile.fd, buf, len);
	close(pidfile.fd);
	return r;
}

void bb_pidfile_forget(void)
{
	pidfile.name = NULL;
}

void bb_pidfile_inherited(void)
{
	pidfile.pid = sys_getpid();
	close(pidfile.fd);
}

void bb_pidfile_remove(void)
{
	int fd = pidfile.name ? openat(pidfile.dir, pidfile.name, O_RDONLY | O_CLOEXEC) : -1;
	pid_t pid;

	if (fd < 0)
		return;
	pid = pid_in(fd);
	close(fd);
	/* or else it is that of another of us by now */
	if (pid == sys_getpid() || pid == pidfile.pid || !pid)
		unlinkat(pidfile.dir, pidfile.name, 0);
	pidfile.name = NULL;
}

bool bb_told_to_end(uint64_t seconds)
{
	struct timespec time = { .tv_sec = (time_t)MIN(seconds, 1000000) };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return sigtimedwait(&set, NULL, &time) > 0;
}

void bb_supervise(uint64_t seconds, bool verbose)
{
	uint64_t now, until = sys_now_ms() + MIN(seconds, 1000000) * 1000;
	pid_t parent = sys_getpid();
	struct timespec time;
	sigset_t chld;
	int status = 0;
	bool ended;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	/* an ignored SIGCHLD is not inherited as blocked, and leaves nothing to wait for */
	signal(SIGCHLD, SIG_DFL);
	bb_flush(&bb_stdout);
	child = sys_fork();
	if (child < 0)
		bb_error_msg_and_die("fork: %s", bb_strerror(-child));
	if (!child) {
		pc_forked();
		bb_pidfile_forget();
		/* what kills the parent kills the child */
		if (sys_die_with_parent() || getppid() != parent)
			_exit(EXIT_NOT_DONE);
		return;
	}
	/* SIGCHLD also tells of a child that was stopped, or that is not ours but our shell's */
	while (!(ended = waitpid(child, &status, WNOHANG) == child)
			&& (now = sys_now_ms()) < until) {
		time.tv_sec = (time_t)((until - now) / 1000);
		time.tv_nsec = (long)((until - now) % 1000) * 1000000;
		sigtimedwait(&chld, NULL, &time);
	}
	bb_pidfile_remove();
	if (!ended) {
		kill(child, SIGKILL);
		if (verbose)
			bb_printf("stopped: the time is up\n");
		bb_exit(EXIT_DONE);
	}
	if (WIFSIGNALED(status))
		bb_error_msg_and_die("killed by signal %d", WTERMSIG(status));
	bb_exit(WEXITSTATUS(status));
}
