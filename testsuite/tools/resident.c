/* SPDX-License-Identifier: 0BSD */
/* resident [-s] FILE [OFFSET LENGTH] - pages in memory and pages in all, by mincore(2) alone:
 * a second opinion, sharing no code with the box. -s: waits until all are there or, for a
 * second, no more came. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOW = 64 << 20 };

static long long resident(int fd, long long off, long long end, long page)
{
	static unsigned char vec[WINDOW / 1024];
	long long n = 0;

	for (; off < end; off += WINDOW) {
		long long len = end - off < WINDOW ? end - off : WINDOW;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, off);

		if (map == MAP_FAILED || mincore(map, len, vec) != 0)
			err(1, "mincore");
		munmap(map, len);
		for (long long i = 0; i < (len + page - 1) / page; i++)
			n += vec[i] & 1;
	}
	return n;
}

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE);
	int settle = argc > 1 && !strcmp(argv[1], "-s");
	int fd;
	long long off, end, total, n, last;

	argv += settle;
	argc -= settle;
	if (argc != 2 && argc != 4)
		errx(2, "usage: resident [-s] FILE [OFFSET LENGTH]");
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(1, "%s", argv[1]);
	off = argc == 4 ? atoll(argv[2]) : 0;
	end = argc == 4 ? off + atoll(argv[3]) : lseek(fd, 0, SEEK_END);
	off -= off % page;
	total = (end - off + page - 1) / page;
	n = resident(fd, off, end, page);
	for (int same = 0; settle && n < total && same < 20; same = n == last ? same + 1 : 0) {
		last = n;
		usleep(50000);
		n = resident(fd, off, end, page);
	}
	printf("%lld/%lld\n", n, total);
	return 0;
}
