/* SPDX-License-Identifier: 0BSD */
/* replace.c, on real files */
#include "replace.h"
#include "tap.h"
#include <dirent.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

static struct bb_replace r;
static char dir[300];

static void put_file(const char *name, const char *text, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	EQ(full_write(fd, text, strlen(text)), 0);
	fchmod(fd, mode);
	close(fd);
}

static const char *text_of(const char *name)
{
	static char text[100];
	int fd = open(name, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return bb_strerror(errno);
	close(fd);
	text[n] = '\0';
	return text;
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return lstat(name, &st) ? 0 : st.st_mode;
}

/* Files in the directory; the caller knows how many there should be. */
static int files(const char *name)
{
	DIR *d = opendir(name);
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* What a program does that writes text over name. */
static int replace(const char *name, const char *text)
{
	int fd = bb_replace_open(&r, name), e;

	if (fd < 0)
		return fd;
	e = full_write(fd, text, strlen(text));
	if (e) {
		bb_replace_abort(&r);
		return e;
	}
	return bb_replace_commit(&r);
}

static void plain(void)
{
	char buf[8];
	int fd;

	umask(077);
	EQ(replace("new", "1"), 0);
	umask(022);
	STREQ(text_of("new"), "1");
	EQ(mode_of("new"), S_IFREG | 0644);
	put_file("old", "old", 0751);
	EQ(replace("old", "2"), 0);
	STREQ(text_of("old"), "2");
	EQ(mode_of("old"), S_IFREG | 0751);
	EQ(replace("./old", "3"), 0);
	STREQ(text_of("old"), "3");
	EQ(files("."), 2);
	tap("a new file has mode 0644, another the mode it had");

	fd = bb_replace_open(&r, "old");
	STREQ(text_of("old"), "3");
	EQ(files("."), 3);
	EQ(mode_of(r.temp), S_IFREG | 0600);
	EQ(full_write(fd, "half", 4), 0);
	EQ(pread(fd, buf, sizeof(buf), 0), 4);
	bb_replace_abort(&r);
	STREQ(text_of("old"), "3");
	EQ(mode_of("old"), S_IFREG | 0751);
	EQ(files("."), 2);
	tap("until the end the old one stands, and after an abort");

	/* what a process of the same number, in another PID namespace, is writing */
	snprintf(r.temp, sizeof(r.temp), ".warmbox-%d-0", (int)getpid());
	put_file(r.temp, "rest", 0600);
	EQ(replace("old", "4"), 0);
	STREQ(text_of("old"), "4");
	snprintf(r.temp, sizeof(r.temp), ".warmbox-%d-0", (int)getpid());
	STREQ(text_of(r.temp), "rest");
	unlink(r.temp);
	EQ(files("."), 2);
	tap("what another writes at the same time is left alone");
}

static void links(void)
{
	char deep[20], next[20];

	mkdir("sub", 0755);
	put_file("sub/real", "old", 0600);
	EQ(symlink("sub/real", "one") | symlink("../one", "sub/two"), 0);
	EQ(replace("sub/two", "5"), 0);
	STREQ(text_of("sub/real"), "5");
	EQ(mode_of("sub/real"), S_IFREG | 0600);
	EQ(mode_of("one") & S_IFMT, S_IFLNK);
	EQ(mode_of("sub/two") & S_IFMT, S_IFLNK);
	EQ(symlink("sub/later", "dangling"), 0);
	EQ(replace("dangling", "6"), 0);
	STREQ(text_of("sub/later"), "6");
	EQ(mode_of("dangling") & S_IFMT, S_IFLNK);
	EQ(files("sub"), 3);
	tap("links are followed, relative and dangling ones");

	EQ(symlink("loop", "loop"), 0);
	EQ(replace("loop", "x"), -ELOOP);
	for (int i = 0; i < 50; i++) {
		snprintf(next, sizeof(next), "deep%d", i + 1);
		snprintf(deep, sizeof(deep), "deep%d", i);
		EQ(symlink(i < 49 ? next : "old", deep), 0);
	}
	EQ(replace("deep0", "x"), -ELOOP);
	EQ(replace("deep20", "8"), 0);
	STREQ(text_of("old"), "8");
	tap("a loop of links, and too many");
}

static void errors(void)
{
	static char name[5000];

	EQ(replace("nowhere/file", "x"), -ENOENT);
	EQ(replace("old/file", "x"), -ENOTDIR);
	EQ(replace("sub", "x"), -EISDIR);
	EQ(replace("", "x"), -ENOENT);
	memset(name, 'x', sizeof(name) - 1);
	EQ(replace(name, "x"), -ENAMETOOLONG);
	/* as long as names may be: the temporary one is no longer */
	name[255] = '\0';
	EQ(replace(name, "7"), 0);
	STREQ(text_of(name), "7");
	unlink(name);
	tap("errors, and the longest name");

	/* the name was taken by a directory meanwhile */
	EQ(bb_replace_open(&r, "taken") >= 0, 1);
	EQ(mkdir("taken", 0755), 0);
	EQ(bb_replace_commit(&r), -EISDIR);
	EQ(mode_of(r.temp), 0);
	EQ(rmdir("taken"), 0);
	tap("a rename that fails leaves nothing behind");
}

static void others(void)
{
	struct stat st;
	char buf[20], name[40];
	int fds[2];

	/* not the machine's own, which root could lose here */
	if (mknod("zero", S_IFCHR | 0666, makedev(1, 3)) || mknod("full", S_IFCHR | 0666,
			makedev(1, 7)))
		EQ(symlink("/dev/null", "zero") | symlink("/dev/full", "full"), 0);
	EQ(replace("zero", "x"), 0);
	EQ(stat("zero", &st), 0);
	EQ(st.st_mode & S_IFMT, S_IFCHR);
	EQ(replace("full", "x"), -ENOSPC);
	EQ(stat("full", &st), 0);
	EQ(symlink("zero", "null"), 0);
	EQ(replace("null", "x"), 0);
	EQ(mode_of("null") & S_IFMT, S_IFLNK);
	tap("devices are written to, and stay");

	EQ(pipe(fds), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fds[1]);
	EQ(replace(name, "through"), 0);
	EQ(read(fds[0], buf, sizeof(buf)), 7);
	EQ(mkfifo("fifo", 0600), 0);
	dup2(open("fifo", O_RDWR), fds[0]);
	EQ(replace("fifo", "fifo"), 0);
	EQ(read(fds[0], buf, sizeof(buf)), 4);
	EQ(mode_of("fifo") & S_IFMT, S_IFIFO);
	tap("so are pipes, by /dev/fd too");
}

/* A signal in the middle: it waits until the file is whole, or gone. */
static void signals(void)
{
	static const int ends[] = { SIGTERM, SIGINT, SIGHUP };
	int before = files("."), status;

	for (size_t i = 0; i < ARRAY_SIZE(ends) * 2; i++) {
		int sig = ends[i / 2];
		pid_t pid;

		put_file("old", "old", 0644);
		pid = fork();
		if (!pid) {
			int fd = bb_replace_open(&r, "old");

			raise(sig);
			full_write(fd, "new", 3);
			if (i % 2)
				bb_replace_abort(&r);
			else
				bb_replace_commit(&r);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, sig);
		STREQ(text_of("old"), i % 2 ? "old" : "new");
		EQ(files("."), before);
	}
	tap("signals wait for the end");

	EQ(bb_replace_open(&r, "nowhere/x"), -ENOENT);
	EQ(sigprocmask(SIG_BLOCK, NULL, &r.mask), 0);
	EQ(sigismember(&r.mask, SIGTERM), 0);
	tap("afterwards they do not");
}

int main(int argc, char **argv)
{
	snprintf(dir, sizeof(dir), "%s.dir", argv[argc - 1]);
	if (mkdir(dir, 0755) || chdir(dir))
		abort();
	plain();
	links();
	errors();
	others();
	signals();
	return tap_end();
}
