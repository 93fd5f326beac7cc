/* SPDX-License-Identifier: 0BSD */
/* holdmap [-lmp] FILE COMMAND... - runs COMMAND while FILE is mapped, and its pages are in the page
 * table; -l: locked in memory, too; -m: and memory is, shared, of System V, and of a memfd, which
 * is open; -p: it is not mapped, but held open by O_PATH, of which its filesystem hears nothing */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <err.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static void map(const char *name, int fd, int flags, int lock)
{
	off_t size = fd < 0 ? 4096 : lseek(fd, 0, SEEK_END);	/* a device's, too */
	void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED | MAP_POPULATE | flags, fd, 0);

	if (p == MAP_FAILED || (lock && mlock(p, (size_t)size)))
		err(2, "%s", name);
}

static void map_memory(void)
{
	int fd = memfd_create("memfd", 0), id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

	if (fd < 0 || ftruncate(fd, 4096) || id < 0 || shmat(id, NULL, 0) == (void *)-1)
		err(2, "memory");
	shmctl(id, IPC_RMID, NULL);
	map("memfd", fd, 0, 0);
	map("shared memory", -1, MAP_ANONYMOUS, 0);
}

int main(int argc, char **argv)
{
	char option = 0;
	int fd, status;
	pid_t pid;

	if (argc > 1 && argv[1][0] == '-') {
		option = argv[1][1];
		argv++;
	}
	if (!*argv++ || !argv[0] || !argv[1])
		errx(2, "usage: holdmap [-lmp] FILE COMMAND...");
	fd = open(argv[0], option == 'p' ? O_PATH : O_RDONLY);
	if (fd < 0)
		err(2, "%s", argv[0]);
	if (option != 'p') {
		map(argv[0], fd, 0, option == 'l');
		close(fd);
	}
	if (option == 'm')
		map_memory();
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(2, "fork");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
