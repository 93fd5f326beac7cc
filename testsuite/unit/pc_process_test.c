/* SPDX-License-Identifier: 0BSD */
/* link: -Wl,--wrap=read */
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"
#include "tap.h"
#include <sys/sysmacros.h>

ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	return fake_read(fd, buf, len);
}

static char log_[4096], maps[4096], text[64][64];
static unsigned texts;
static bool no_mnt_id, no_map_files, locked;
static struct fake_file *fuse, *over, *lib;

static void say(const char *what, const char *path, int err)
{
	size_t n = strlen(log_);

	snprintf(log_ + n, sizeof(log_) - n, "%s%s", what, path);
	n = strlen(log_);
	snprintf(log_ + n, sizeof(log_) - n, err ? ":%d\n" : "\n", err);
}

static void found(struct pc_walk *w, const struct pc_entry *e)
{
	struct pc_file f;
	int r = pc_openat(&f, e->dirfd, e->name, e->flags);

	(void)w;
	say(r ? "? " : "+ ", e->path, -r);
	pc_close(&f);
}

static void error(const char *path, int err)
{
	say("! ", path, err);
}

static struct fake_file *proc(const char *name, mode_t mode, const char *contents)
{
	struct fake_file *f = fake_add_mode(name, mode);

	f->fs_type = KABI_PROC_MAGIC;
	f->text = contents;
	return f;
}

static struct fake_file *link_to(const char *name, const char *shown, struct fake_file *to)
{
	struct fake_file *f = proc(name, S_IFLNK | 0700, shown);

	f->to = to;
	return f;
}

/* Descriptor n of process 7 */
static void descriptor(unsigned n, const char *shown, struct fake_file *to, unsigned mnt_id)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/7/fd/%u", n);
	link_to(name, shown, to);
	snprintf(name, sizeof(name), "/proc/7/fdinfo/%u", n);
	snprintf(text[texts], sizeof(*text), "pos:\t0\nflags:\t0%llo\n%s:\t%u\nino:\t3\n",
		(unsigned long long)(n == 13 ? O_PATH | O_CLOEXEC : O_WRONLY),
		no_mnt_id ? "other" : "mnt_id", mnt_id);
	proc(name, S_IFREG | 0400, text[texts++]);
}

static void mapping(unsigned address, const char *shown, struct fake_file *to)
{
	char name[64];
	size_t n = strlen(maps);

	snprintf(maps + n, sizeof(maps) - n, "%08x-%08x r-xp 00001000 %02x:%02x %llu      %s\n",
		 address, address + 0x1000, major(to->dev), minor(to->dev),
		 (unsigned long long)to->ino, shown);
	snprintf(name, sizeof(name), "/proc/7/map_files/%x-%x", address, address + 0x1000);
	if (!no_map_files)
		link_to(name, shown, to)->locked = locked;
}

static struct fake_file *at(const char *name, mode_t mode, dev_t dev)
{
	struct fake_file *f = S_ISREG(mode) ? fake_add(name, 10000) : fake_add_mode(name, mode);

	if (dev)
		f->dev = dev;
	return f;
}

static const char mountinfo[] = "20 1 8:1 / / rw - ext4 /dev/a rw\n"
	"21 20 0:5 / /dev rw - devtmpfs none rw\n"
	"22 20 0:50 / /fuse rw shared:3 - fuse.x none rw\n"
	"23 20 0:51 / /tmp rw - tmpfs none rw\n"
	"24 20 0:52 / /over rw - overlay none rw\n"	/* which may lie on FUSE */
	"25 20 0:53 / /ours rw - overlay none rw\n"	/* ours */
	"26 20 0:52 / /bound rw - overlay none rw\n";

static void machine(void)
{
	struct fake_file *f;

	fake_start();
	fake.fd_limit = 8;
	texts = 0;
	maps[0] = '\0';
	proc("/proc/7/", S_IFDIR | 0500, NULL);
	proc("/proc/7/fd/", S_IFDIR | 0500, NULL);
	proc("/proc/7/mountinfo", S_IFREG | 0400, mountinfo);
	proc("/proc/7/../self/mountinfo", S_IFREG | 0400,
	     "30 1 8:9 / /seen rw - ext4 /dev/b rw\nodd\n31 1 0:53 / / rw - overlay none rw\n");
	proc("/proc/self/mountinfo", S_IFREG | 0400, mountinfo);
	proc("/proc/7/maps", S_IFREG | 0400, maps);
	fuse = at("/fuse/f", S_IFREG | 0644, makedev(0, 50));
	fuse->hangs = true;
	over = at("/over/f", S_IFREG | 0644, makedev(0, 52));
	over->hangs = true;
	link_to("/proc/7/exe", "/bin/p", at("/bin/p", S_IFREG | 0755, 0));
	f = at("/bin/q", S_IFREG | 0755, 0);
	mapping(0x400000, "/bin/q", f);
	mapping(0x401000, "/bin/q", f);
	lib = at("/lib/l", S_IFREG | 0644, 0);
	/* what is at the name in the process's root is the same, or not */
	f = fake_add("/proc/7/root/lib/l", 10000);
	f->ino = lib->ino;
	f->dev = lib->dev;
	mapping(0x7f000000, "/lib/l", lib);
	fake_add("/proc/7/root/lib/m", 10000);
	mapping(0x7f100000, "/lib/m", at("/lib/m", S_IFREG | 0644, 0));
	mapping(0x7f200000, "/fuse/f", fuse);
	mapping(0x7f280000, "/over/f", over);
	mapping(0x7f300000, "/tmp/t", at("/tmp/t", S_IFREG | 0644, makedev(0, 51)));
	mapping(0x7f400000, "/SYSV0 (deleted)", at("shm", S_IFREG | 0644, makedev(0, 1)));
	strcat(maps, "7ffc0000-7ffc1000 rw-p 00000000 00:00 0     [stack]\n"
	       "\nodd\n12-\n1-2 rw-p 0 8:1 \n");
	f = at("/data", S_IFREG | 0644, 0);
	descriptor(13, "/dev/p", at("/dev/p", S_IFBLK | 0600, makedev(0, 5)), 21);
	if (!no_mnt_id) {	/* such kernels let only root mount overlayfs */
		descriptor(12, "/ours/f", at("/ours/f", S_IFREG | 0644, makedev(0, 53)), 25);
		descriptor(11, "/bound/f", over, 26);
		descriptor(10, "/over/f", over, 24);
	}
	descriptor(9, "pipe:[12]", at("pipe", S_IFIFO | 0600, 0), 5);
	descriptor(8, "/memfd:x (deleted)", at("memfd", S_IFREG | 0600, 0), 6);
	descriptor(7, "/fuse/f", fuse, 22);
	descriptor(6, "/dev/a", at("/dev/a", S_IFBLK | 0600, makedev(0, 5)), 21);
	descriptor(5, "/dev/null", at("/dev/null", S_IFCHR | 0600, makedev(0, 5)), 21);
	descriptor(4, "/dir", at("/dir/", S_IFDIR | 0755, 0), 20);
	descriptor(3, "/seen/x\ny\\ (deleted)", at("gone", S_IFREG | 0600, 0), 30);
	descriptor(2, "/data", f, 20);
	descriptor(1, "/data", f, 20);
	fake.allowed_dev = 0;
	log_[0] = '\0';
}

static int look(bool named)
{
	struct pc_walk w = { .file = found, .error = error, .named = named };
	int r = pc_process(&w, "7");

	CHECK(!fake.broken, "%s", fake.broken);
	EQ(fake.leaked, 0);
	pc_forked();
	EQ(fake.opens, 0);
	EQ(fake.wrong_opens, 0);
	return r;
}

#define MAPPED "+ /bin/q\n+ /lib/l\n+ /lib/m\n"
#define HELD "+ /data\n+ /seen/x\ny\\ (deleted)\n+ /dev/a\n+ /ours/f\n"

static unsigned calls;

static void all(void)
{
	machine();
	EQ(look(false), 0);
	STREQ(log_, MAPPED HELD);
	calls = fake.calls;
}

static void names(void)
{
	machine();
	EQ(look(true), 0);
	/* /dev is a kernel filesystem */
	CHECK(!strncmp(log_, MAPPED "+ /data\n! /seen/x\ny\\ (deleted):", 55), "%s", log_);
}

static void old_kernels(void)
{
	no_mnt_id = true;
	machine();
	EQ(look(false), 0);
	STREQ(log_, MAPPED "+ /data\n+ /seen/x\ny\\ (deleted)\n+ /memfd:x (deleted)\n");
	no_mnt_id = false;
}

static void by_name(void)
{
	char want[200];

	for (int i = 0; i < 2; i++) {
		*(i ? &locked : &no_map_files) = true;
		machine();
		EQ(look(false), 0);
		snprintf(want, sizeof(want), "! /bin/q:%d\n+ /lib/l\n! /lib/m:%d\n%s",
			 i ? EPERM : ENOENT, i ? EPERM : ENOENT, HELD);
		STREQ(log_, want);
		no_map_files = locked = false;
	}
}

static void no_process(void)
{
	struct pc_walk w = { .file = found, .error = error };

	machine();
	EQ(pc_process(&w, "8"), -PC_ENOPROGRAM);
	EQ(pc_process(&w, ""), -PC_ENOPROGRAM);
	proc("/proc/2/", S_IFDIR | 0500, NULL);
	EQ(pc_process(&w, "2"), -PC_ENOPROGRAM);
	STREQ(log_, "");
	EQ(fake.leaked, 0);
}

static const int errors[] = { EACCES, EMFILE, ENOMEM, EIO, ENOENT, EPERM, ESRCH };

static unsigned lines_of_log(void)
{
	unsigned n = 0;

	for (const char *p = log_; *p; p++)
		n += *p == '\n';
	return n;
}

static void types(void)
{
	static const char *const names[] = { "wfuse", "wfuse.x", "wfuseblk", "wfuseblk.ntfs",
		"wvirtiofs", "wautofs", "wnfs", "sproc", "stmpfs", "w9p", "/ext4" };
	struct pc_mount m;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char line[80];

		snprintf(line, sizeof(line), "1 0 0:1 / / rw - %s none rw", names[i] + 1);
		CHECK(pc_mount_line(line, &m) && pc_mount_kind(&m) == names[i][0], "%s", names[i]);
	}
}

/* Whatever fails, nothing is lost without a word; what has gone may be. */
static void failures(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		for (unsigned k = 1; k <= calls; k++) {
			int r;

			machine();
			fake.fail_at = k;
			fake.fail_error = errors[i];
			r = look(false);
			if (r || strchr(log_, '!') || strchr(log_, '?') || errors[i] == ENOENT)
				continue;
			if (strcmp(fake.failed, "readlink"))
				EQ(lines_of_log(), 8);	/* one name has a newline */
			else
				CHECK(lines_of_log() >= 7, "%s", log_);
		}
}

static unsigned end_at;

static void end(unsigned call)
{
	if (call == end_at)
		fake_remove_all("/proc/7/");
}

static void ends(void)
{
	for (end_at = 1; end_at <= calls; end_at++) {
		int r;

		machine();
		fake.meanwhile = end;
		r = look(false);
		CHECK(r == -PC_ENOPROGRAM || end_at == calls, "at call %u: %d", end_at, r);
		CHECK(!strchr(log_, '!') && !strchr(log_, '?'), "at call %u: %s", end_at, log_);
	}
}

static void everything(void)
{
	all();
	failures();
	ends();
}

int main(void)
{
	isolated(all);
	tap("files that are mapped and open, each once; no others, and nothing that hangs");
	isolated(names);
	tap("what its path does not lead to");
	isolated(old_kernels);
	tap("without mnt_id");
	isolated(by_name);
	tap("without map_files, or the right to follow its links");
	isolated(no_process);
	tap("no process, no program");
	types();
	tap("types of filesystems");
	isolated(everything);
	tap("a failure of any call, and the end of the process between any two");
	return tap_end();
}
