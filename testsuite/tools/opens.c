/* SPDX-License-Identifier: 0BSD */
/* opens FILE COMMAND... - how often FILE was opened while COMMAND ran, as inotify saw it, on a
 * line of its own; the status is COMMAND's. O_PATH does not count: it never reaches a driver. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char buf[4096] __attribute__((aligned(8)));
	int in = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int status, n = 0;
	ssize_t len;

	if (argc < 3)
		errx(2, "usage: opens FILE COMMAND...");
	if (inotify_add_watch(in, argv[1], IN_OPEN) < 0)
		err(1, "%s", argv[1]);
	if (fork() == 0) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	wait(&status);
	while ((len = read(in, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + len; n++)
			p += sizeof(struct inotify_event) + ((struct inotify_event *)p)->len;
	printf("%d opens\n", n);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
