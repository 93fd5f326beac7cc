/* SPDX-License-Identifier: 0BSD */
/* holdmap [-l] FILE COMMAND... - runs COMMAND while FILE is mapped, and its pages are in the page
 * table; -l: locked in memory, too */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int lock = argc > 1 && !strcmp(argv[1], "-l"), fd, status;
	off_t size;
	void *map;
	pid_t pid;

	argv += 1 + lock;
	if (!argv[0] || !argv[1])
		errx(2, "usage: holdmap [-l] FILE COMMAND...");
	fd = open(argv[0], O_RDONLY);
	if (fd < 0 || (size = lseek(fd, 0, SEEK_END)) < 0)
		err(2, "%s", argv[0]);
	map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED || (lock && mlock(map, (size_t)size)))
		err(2, "%s", argv[0]);
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(2, "fork");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
