/* SPDX-License-Identifier: 0BSD */
/* The clock of fakesys.c goes 10 ms on with each look at it. */
#include "libbb.h"
#include "child.h"
#include <pty.h>
#include <signal.h>

static char text[4096];

/* Runs fn in the foreground of a terminal of its own; what it wrote there is in text. */
static void in_terminal(void (*fn)(void))
{
	size_t len = 0;
	ssize_t n;
	int fd, status;
	pid_t pid;

	fflush(stdout);
	pid = forkpty(&fd, NULL, NULL, NULL);
	if (pid < 0)
		abort();
	if (!pid) {
		alarm(60);
		fn();
		_exit(0);
	}
	/* EIO: it has been closed at the other side */
	while (len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(fd);
	waitpid(pid, &status, 0);
	EQ(status, 0);
}

static unsigned lines(void)
{
	unsigned n = 0;

	for (const char *p = text; (p = strchr(p, '\r')) != NULL; p++)
		n++;
	return n;
}

static void work(unsigned looks)
{
	for (unsigned i = 1; i <= looks; i++)
		bb_progress("name", i * 1024, looks * 1024);
}

static void short_work(void)
{
	work(100);
	bb_progress_end();
}

static void long_work(void)
{
	work(200);
	bb_progress_end();
	bb_progress_end();
}

static void message(void)
{
	work(101);
	bb_error_msg("well");
}

static void in_background(void)
{
	pid_t pid;

	signal(SIGTTOU, SIG_IGN);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		long_work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void to_a_pipe(void)
{
	long_work();
	_exit(0);
}

int main(void)
{
	in_terminal(short_work);
	STREQ(text, "");
	tap("nothing in the first second");
	in_terminal(long_work);
	EQ(lines(), 5 + 1);
	CHECK(!strncmp(text, "\r\033[K  101K of   200K  name\r\033[K  121K of   200K  name\r", 50),
	      "%s", text);
	CHECK(strlen(text) > 4 && !strcmp(text + strlen(text) - 4, "\r\033[K"), "not taken away");
	tap("then five times a second, and taken away once");
	in_terminal(message);
	CHECK(strstr(text, "name\r\033[Kwarmbox: well\r\n"), "%s", text);
	tap("a message has its line for itself");
	in_terminal(in_background);
	STREQ(text, "");
	tap("nothing from the background");
	EQ(in_child(to_a_pipe, text, sizeof(text)), 0);
	STREQ(text, "");
	tap("nothing to what is no terminal");
	return tap_end();
}
