/* SPDX-License-Identifier: 0BSD */
/* cachestat FILE... - of all files together: the pages in the page cache, and those that reclaim
 * took out of it again, by cachestat(2) (Linux 6.5) */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long long cached = 0, evicted = 0;

	for (int i = 1; i < argc; i++) {
		struct { uint64_t off, len; } range = { 0, 0 };
		struct { uint64_t cache, dirty, writeback, evicted, recently; } cs;
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0)
			err(1, "%s", argv[i]);
		range.len = lseek(fd, 0, SEEK_END);
		if (syscall(451, fd, &range, &cs, 0) != 0)
			err(1, "%s: cachestat", argv[i]);
		cached += cs.cache;
		evicted += cs.evicted;
		close(fd);
	}
	printf("%llu %llu\n", cached, evicted);
	return 0;
}
