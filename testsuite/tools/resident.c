/* SPDX-License-Identifier: 0BSD */
/* resident - what mincore(2) says is resident, counted without any of warmbox's code
 *
 * usage: resident FILE...     or  resident -0 <LIST    (NUL-separated names)
 * Prints one line: RESIDENT TOTAL, in pages, summed over all files. Exits 1 when a file could
 * not be looked at. mincore counts a page only when it is up to date, never one in flight, and
 * calls everything resident to one who neither owns nor may write the file: run it as root. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW (64L << 20)

static unsigned long long resident, total;
static int status;

static void count(const char *name)
{
	static unsigned char vec[WINDOW / 4096];
	long page = sysconf(_SC_PAGESIZE);
	struct stat st;
	int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "resident: %s: cannot be looked at\n", name);
		status = 1;
		st.st_size = 0;
	}
	for (off_t off = 0; off < st.st_size; off += WINDOW) {
		size_t len = st.st_size - off < WINDOW ? st.st_size - off : WINDOW;
		size_t pages = (len + page - 1) / page;
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, off);

		if (map == MAP_FAILED || mincore(map, len, vec)) {
			perror(name);
			exit(1);
		}
		munmap(map, len);
		for (size_t i = 0; i < pages; i++)
			resident += vec[i] & 1;
		total += pages;
	}
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-0")) {
		char *line = NULL;
		size_t size = 0;

		while (getdelim(&line, &size, 0, stdin) > 0)
			count(line);
	} else {
		while (*++argv)
			count(*argv);
	}
	printf("%llu %llu\n", resident, total);
	return status;
}
