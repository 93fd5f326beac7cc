/* SPDX-License-Identifier: 0BSD */
/* files.c - descriptors, small files, complete writes. */

#include <poll.h>

#include "libbb.h"

void bb_fill_stdio(void)
{
	struct stat st;
	int fd;

	/* An O_PATH descriptor needs no /dev, and reading or writing it fails with EBADF. */
	for (fd = 0; fd <= 2; fd++)
		if (fstat(fd, &st) && openat(AT_FDCWD, "/", O_PATH) < 0)
			_exit(EXIT_NOT_DONE);
}

int open_or_warn_stdin(const char *name)
{
	int fd;

	if (name[0] == '-' && !name[1])
		return 0;
	do
		fd = openat(AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		bb_perror_msg("%s", name);
	return fd;
}

int full_write(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd pfd = { .fd = fd, .events = POLLOUT };

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}
