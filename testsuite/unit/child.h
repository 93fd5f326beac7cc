/* SPDX-License-Identifier: 0BSD */
/* child.h - for what ends the process, and what remembers things in static variables */
#ifndef CHILD_H
#define CHILD_H

#include "tap.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs fn in a child whose stderr comes back in text. Returns its wait status. */
static inline int in_child(void (*fn)(void), char *text, size_t size)
{
	int fds[2], status;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe(fds) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		fn();
		_exit(99);
	}
	close(fds[1]);
	while (len < size - 1 && (n = read(fds[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(fds[0]);
	waitpid(pid, &status, 0);
	return status;
}

/* Runs fn in a child; its failed CHECKs count here. */
static inline void isolated(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid) {
		alarm(100);
		tap_bad = 0;
		fn();
		fflush(stdout);
		_exit(tap_bad > 100 ? 100 : (int)tap_bad);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status), "ended by signal %d", WTERMSIG(status));
	tap_bad += WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 0;
}

#endif
