/* SPDX-License-Identifier: 0BSD */
/* incore <LIST - what is in memory of the files of a NUL-separated list, by mincore(2), without
 * any of warmbox's code. Prints RESIDENT TOTAL EVICTED, in pages. mincore never counts a page in
 * flight. EVICTED is what reclaim took away again (cachestat, Linux 6.5, else 0): with DAMON
 * reclaim that happens within seconds, no counter of /proc/vmstat shows it, and a measurement
 * has to be repeated. */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW = 64 << 20 };

int main(void)
{
	static unsigned char vec[WINDOW / 4096];
	unsigned long long resident = 0, total = 0, evicted = 0;
	long page = sysconf(_SC_PAGESIZE);
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, 0, stdin) > 0) {
		struct { uint64_t off, len; } range = { 0, 0 };
		struct { uint64_t cache, dirty, writeback, evicted, recently; } cs = { 0 };
		struct stat st;
		int fd = open(name, O_RDONLY | O_NONBLOCK);

		if (fd < 0 || fstat(fd, &st))
			err(1, "%s", name);
		for (off_t off = 0; off < st.st_size; off += WINDOW) {
			size_t len = st.st_size - off < WINDOW ? st.st_size - off : WINDOW;
			size_t pages = (len + page - 1) / page;
			void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, off);

			if (map == MAP_FAILED || mincore(map, len, vec))
				err(1, "%s", name);
			munmap(map, len);
			for (size_t i = 0; i < pages; i++)
				resident += vec[i] & 1;
			total += pages;
		}
		if (syscall(451, fd, &range, &cs, 0) == 0)
			evicted += cs.evicted;
		close(fd);
	}
	printf("%llu %llu %llu\n", resident, total, evicted);
	return 0;
}
