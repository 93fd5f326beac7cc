/* SPDX-License-Identifier: 0BSD */
/* hangfs DIR COMMAND... - mounts at DIR a FUSE filesystem whose daemon never answers, in a mount
 * namespace of its own, and runs COMMAND there. Whoever looks up anything below DIR hangs and
 * cannot even be killed, until COMMAND has ended, or for ten seconds. Prints how many requests
 * came; the status is COMMAND's. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Without this answer the kernel sends nothing else, and those who wait can be killed. */
static void answer_init(int fd, const struct fuse_in_header *in)
{
	struct {
		struct fuse_out_header head;
		struct fuse_init_out init;
	} out;

	memset(&out, 0, sizeof(out));
	out.head.len = sizeof(out);
	out.head.unique = in->unique;
	out.init.major = FUSE_KERNEL_VERSION;
	out.init.minor = FUSE_KERNEL_MINOR_VERSION;
	out.init.max_write = 4096;
	if (write(fd, &out, sizeof(out)) != sizeof(out))
		err(1, "/dev/fuse");
}

int main(int argc, char **argv)
{
	static union {
		struct fuse_in_header head;
		char bytes[1 << 17];
	} in;
	int fd = open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC), status = 0, requests = 0;
	char options[100];
	time_t begin = time(NULL);
	pid_t pid, got = 0;

	if (fd < 0)
		err(1, "/dev/fuse");
	if (argc < 3)
		errx(2, "usage: hangfs DIR COMMAND...");
	snprintf(options, sizeof(options),
		"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)
			|| mount("hangfs", argv[1], "fuse.hangfs", 0, options))
		err(1, "%s", argv[1]);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	while (fd >= 0 || !got) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		poll(&p, 1, 20);
		if (fd >= 0 && read(fd, &in, sizeof(in)) > 0) {
			if (in.head.opcode == FUSE_INIT)
				answer_init(fd, &in.head);
			else if (in.head.opcode != FUSE_INTERRUPT)
				requests++;	/* that of who is killed comes in time or not */
			continue;
		}
		if (!got)
			got = waitpid(pid, &status, WNOHANG);
		/* this ends the filesystem, and wakes all who wait for it */
		if (fd >= 0 && (got || time(NULL) - begin > 10)) {
			close(fd);
			fd = -1;
		}
	}
	printf("%d requests\n", requests);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
