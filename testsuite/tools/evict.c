/* SPDX-License-Identifier: 0BSD */
/* evict - write each file back and take it out of the page cache; needs no rights but to read it
 *
 * usage: evict FILE... */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;

	(void)argc;
	while (*++argv) {
		int fd = open(*argv, O_RDONLY);

		/* EINVAL: squashfs, erofs */
		if (fd < 0 || (fdatasync(fd) && errno != EINVAL)
		 || (errno = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))) {
			perror(*argv);
			status = 1;
		}
		close(fd);
	}
	return status;
}
