/* SPDX-License-Identifier: 0BSD */
/* onecall - one readahead(2) for the whole of each file, as other tools do it
 *
 * usage: onecall FILE... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;

	(void)argc;
	while (*++argv) {
		struct stat st;
		int fd = open(*argv, O_RDONLY);

		if (fd < 0 || fstat(fd, &st) || readahead(fd, 0, st.st_size)) {
			perror(*argv);
			status = 1;
		}
		close(fd);
	}
	return status;
}
