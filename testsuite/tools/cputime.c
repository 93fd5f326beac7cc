/* SPDX-License-Identifier: 0BSD */
/* cputime - run a command N times, one after the other, and add up what it cost
 *
 * usage: cputime N COMMAND [ARG...]
 * Prints one line: CPU WALL, in microseconds a run; CPU is user + system time of the command
 * and of all children it waited for. Its output goes to /dev/null. A run that fails is fatal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double usec(struct timeval t)
{
	return t.tv_sec * 1e6 + t.tv_usec;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0;
	struct timespec a, b;
	struct rusage ru;

	if (n < 1) {
		fprintf(stderr, "usage: cputime N COMMAND [ARG...]\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < n; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			dup2(open("/dev/null", O_WRONLY), 1);
			execvp(argv[2], argv + 2);
			perror(argv[2]);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
			fprintf(stderr, "cputime: %s failed\n", argv[2]);
			return 1;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	getrusage(RUSAGE_CHILDREN, &ru);
	printf("%.1f %.1f\n", (usec(ru.ru_utime) + usec(ru.ru_stime)) / n,
	       ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 1e3 / n);
	return 0;
}
