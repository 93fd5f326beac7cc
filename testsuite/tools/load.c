/* SPDX-License-Identifier: 0BSD */
/* load FILE OFFSET LENGTH - reads the pages of this range into memory, and no others */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char buf[65536];
	int fd = argc == 4 ? open(argv[1], O_RDONLY) : -1;
	off_t off, end;

	if (fd < 0)
		err(1, "%s", argc == 4 ? argv[1] : "usage: load FILE OFFSET LENGTH");
	off = atoll(argv[2]);
	end = off + atoll(argv[3]);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);	/* no readahead by the kernel */
	while (off < end) {
		size_t len = end - off < (off_t)sizeof(buf) ? (size_t)(end - off) : sizeof(buf);
		ssize_t n = pread(fd, buf, len, off);

		if (n <= 0)
			err(1, "%s", argv[1]);
		off += n;
	}
	return 0;
}
