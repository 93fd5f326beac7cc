/* SPDX-License-Identifier: 0BSD */
/* files.c and memory.c, on real files */
#include "libbb.h"
#include "child.h"
#include "tap.h"
#include <signal.h>

static void on_alarm(int sig)
{
	(void)sig;
}

/* The pipe is full and nonblocking, the reader slow, and signals interrupt. */
static void writes(void)
{
	static char want[300000], got[300001];
	struct sigaction sa = { .sa_handler = on_alarm };
	size_t len = 0;
	ssize_t n;
	int fds[2], status;
	pid_t pid;

	for (size_t i = 0; i < sizeof(want); i++)
		want[i] = (char)(i * 7 + (i >> 9));
	fflush(stdout);
	if (pipe(fds) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		sigaction(SIGUSR1, &sa, NULL);
		close(fds[0]);
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
		_exit(full_write(fds[1], want, sizeof(want)) != 0);
	}
	close(fds[1]);
	usleep(20000);
	while ((n = read(fds[0], got + len, MIN(9000, sizeof(got) - len))) > 0) {
		len += (size_t)n;
		kill(pid, SIGUSR1);
	}
	waitpid(pid, &status, 0);
	EQ(status, 0);
	EQ(len, sizeof(want));
	CHECK(!memcmp(got, want, sizeof(want)), "other bytes");
	close(fds[0]);
	tap("full_write: all of it, over EAGAIN, EINTR and short writes");

	signal(SIGPIPE, SIG_IGN);
	if (pipe(fds))
		abort();
	close(fds[0]);
	EQ(full_write(fds[1], "x", 1), -EPIPE);
	EQ(full_write(fds[1], "", 0), 0);
	close(fds[1]);
	EQ(full_write(fds[1], "x", 1), -EBADF);
	fds[0] = open("/dev/full", O_WRONLY);
	EQ(full_write(fds[0], "x", 1), -ENOSPC);
	close(fds[0]);
	signal(SIGPIPE, SIG_DFL);
	tap("full_write: errors");
}

static void fill(void)
{
	int ok = 1;
	char c;

	for (int closed = 0; closed < 8; closed++) {
		for (int fd = 0; fd < 3; fd++)
			if (closed & 1 << fd)
				close(fd);
		bb_fill_stdio();
		for (int fd = 0; fd < 3; fd++)
			if (closed & 1 << fd) {
				ok &= fcntl(fd, F_GETFD) >= 0;
				ok &= write(fd, "x", 1) < 0 && read(fd, &c, 1) < 0;
			}
		ok &= dup(0) == 3 && !close(3);
		for (int fd = 0; fd < 3; fd++)
			if (closed & 1 << fd) {
				close(fd);
				ok &= open("/dev/null", O_RDWR) == fd;
			}
	}
	_exit(!ok);
}

static void missing_list(void)
{
	_exit(open_or_warn_stdin("/nonexistent/list") == -1 ? 7 : 0);
}

static void fill_alone(void)
{
	/* what the test was started with is none of the matter */
	for (int fd = 0; fd < 20; fd++)
		close(fd);
	for (int fd = 0; fd < 3; fd++)
		open("/dev/null", O_RDWR);
	fill();
}

static void memory(void)
{
	llist_t *head = NULL;
	char *words[] = { "a", "b", "c" };
	static char *seen[3000];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		llist_append(&head, words[i]);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++, head = head->link)
		STREQ(head->data, words[i]);
	CHECK(!head, "more items than were appended");
	tap("llist_append keeps the order");

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		size_t size = i % 100 == 99 ? 70000 : i % 157;
		char *p = xalloc(size);

		CHECK((uintptr_t)p % 8 == 0, "size %zu: %p", size, (void *)p);
		for (size_t k = 0; k < size; k++)
			if (p[k]) {
				CHECK(0, "size %zu: byte %zu is not zero", size, k);
				break;
			}
		memset(p, (int)i % 255 + 1, size);
		seen[i] = p;
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		size_t size = i % 100 == 99 ? 70000 : i % 157;

		for (size_t k = 0; k < size; k++)
			if ((unsigned char)seen[i][k] != i % 255 + 1) {
				CHECK(0, "block %zu was overwritten", i);
				break;
			}
	}
	tap("xalloc: zeroed, aligned, nobody else's");
}

static void much(void)
{
	xalloc(SIZE_MAX / 2);
}

static void too_much(void)
{
	xalloc(SIZE_MAX - 3);
}

int main(int argc, char **argv)
{
	char text[200], name[400];
	int status;

	snprintf(name, sizeof(name), "%s.tmp", argv[argc - 1]);
	unlink(name);
	writes();
	EQ(in_child(fill_alone, text, sizeof(text)), 0);
	tap("bb_fill_stdio: any of 0-2 closed, their use fails");
	EQ(open_or_warn_stdin("-"), 0);
	status = in_child(missing_list, text, sizeof(text));
	EQ(WEXITSTATUS(status), 7);
	STREQ(text, "warmbox: /nonexistent/list: No such file or directory\n");
	tap("open_or_warn_stdin: - and a missing file");
	memory();
	status = in_child(much, text, sizeof(text));
	EQ(WEXITSTATUS(status), EXIT_NOT_DONE);
	STREQ(text, "warmbox: out of memory\n");
	status = in_child(too_much, text, sizeof(text));
	EQ(WEXITSTATUS(status), EXIT_NOT_DONE);
	STREQ(text, "warmbox: out of memory\n");
	tap("xalloc: out of memory is said");
	return tap_end();
}
