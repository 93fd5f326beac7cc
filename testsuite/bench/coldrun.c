/* SPDX-License-Identifier: 0BSD */
/* coldrun - run a command, and wait until the device it reads from has nothing more to do
 *
 * usage: coldrun /sys/block/DEVICE/stat COMMAND [ARG...]
 * Prints CPU RETURN IDLE PEAK: user and system time, when the command returned and when the last
 * request was done, in us; and the largest VmHWM of its processes, in KiB (see peakmem.c). Its
 * output goes to /dev/null. A command that fails is fatal. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { QUIET = 30000 };		/* us without a request: nothing more comes */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int in_flight(const char *stat)
{
	char buf[512];
	int fd = open(stat, O_RDONLY | O_CLOEXEC), n = -1;
	ssize_t len = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (len > 0) {
		buf[len] = '\0';
		sscanf(buf, "%*s %*s %*s %*s %*s %*s %*s %*s %d", &n);
	}
	if (n < 0)
		errx(1, "%s: no number of requests", stat);
	close(fd);
	return n;
}

static long peak(pid_t pid)
{
	char name[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

int main(int argc, char **argv)
{
	int status, result = 0;
	double begin, returned, idle;
	struct rusage ru;
	long most = 0;
	pid_t pid, p;

	if (argc < 3)
		errx(2, "usage: coldrun STAT COMMAND [ARG...]");
	pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC
		| PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
		| PTRACE_O_TRACECLONE);
	begin = now();
	ptrace(PTRACE_CONT, pid, 0, 0);
	returned = begin;
	while ((p = waitpid(-1, &status, __WALL)) > 0) {
		int sig = WIFSTOPPED(status) ? WSTOPSIG(status) : 0, event = status >> 16;

		if (!WIFSTOPPED(status)) {
			if (p == pid) {
				returned = now();
				result = status;
			}
			continue;
		}
		if (event == PTRACE_EVENT_EXIT) {
			long kib = peak(p);

			most = kib > most ? kib : most;
		}
		ptrace(PTRACE_CONT, p, 0, sig == SIGTRAP || sig == SIGSTOP ? 0 : sig);
	}
	for (idle = returned; now() - idle < QUIET; usleep(500))
		if (in_flight(argv[1]))
			idle = now();
	getrusage(RUSAGE_CHILDREN, &ru);
	printf("%.0f %.0f %.0f %ld\n",
		(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1e6
			+ ru.ru_utime.tv_usec + ru.ru_stime.tv_usec,
		returned - begin, idle - begin, most);
	if (result)
		errx(1, "%s failed", argv[2]);
	return 0;
}
