/* SPDX-License-Identifier: 0BSD */
/* onecall FILE... - one readahead(2) for the whole of each file, all that other tools do */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0 || readahead(fd, 0, lseek(fd, 0, SEEK_END)) != 0)
			err(1, "%s", argv[i]);
		close(fd);
	}
	return 0;
}
