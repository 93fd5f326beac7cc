/* SPDX-License-Identifier: 0BSD */
/* Which files a list names, and what of them: pc_book_index and pc_book_find. The lists are real
 * descriptors, the files those of fakesys.c. link: -Wl,--wrap=pc_path_is_foreign */
#include "pagecache.h"
#include "pc_sort.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"
#include <sys/mman.h>
#include <sys/sysmacros.h>

static struct pc_book book;
static unsigned foreign_stats;

/* Only this begins so here. */
bool __wrap_pc_path_is_foreign(const char *path);
bool __wrap_pc_path_is_foreign(const char *path)
{
	return !strncmp(path, "/net/", 5);
}

static bool read_list(const char *text)
{
	int fd = memfd_create("list", 0);

	if (fd < 0 || full_write(fd, text, strlen(text)) || lseek(fd, 0, SEEK_SET))
		abort();
	EQ(pc_book_read(&book, fd, false), 0);
	close(fd);
	return pc_book_index();
}

/* What the list has of a file: "-" if it does not name it, "all", or the ranges. */
static const char *found(const struct fake_file *f)
{
	struct stat st = { .st_dev = f->dev, .st_ino = f->ino };
	const char *ranges = "unset";

	if (!pc_book_find(&st, &ranges))
		return "-";
	return ranges ? ranges : "all";
}

static void names(void)
{
	struct fake_file *a, *b, *c, *other, *link, *dir;

	fake_start();
	a = fake_add("/a", 100000);
	b = fake_add("/b", 100000);
	c = fake_add("/c", 100000);
	other = fake_add("/other", 100000);
	dir = fake_add_mode("/dir/", S_IFDIR | 0755);
	link = fake_add_mode("/link", S_IFLNK | 0777);
	link->text = "/c";
	link = fake_add_mode("/loop", S_IFLNK | 0777);
	link->text = "/loop";
	EQ(read_list("/b\t8192+4096,0+4096\t\n/a\t\t\n/gone\t\t\n/c\t4096+4096\t\n/loop\t\t\n"
		"/link\t0+100,4000+100\t\n/dir/\t\t\n/b\t4096+10\t\n"), false);
	STREQ(found(a), "all");
	STREQ(found(b), "0+4106,8192+4096");
	STREQ(found(c), "0+100,4000+4192");
	STREQ(found(other), "-");
	STREQ(found(dir), "all");
}

static void whole_and_part(void)
{
	struct fake_file *a, *b;

	fake_start();
	a = fake_add("/a", 100000);
	fake_add_mode("/x", S_IFLNK | 0777)->text = "/a";
	b = fake_add("/b", 100000);
	fake_add_mode("/y", S_IFLNK | 0777)->text = "/b";
	EQ(read_list("/a\t0+5\t\n/x\t\t\n/y\t0+0\t\n/b\t9+9\t\n"), false);
	STREQ(found(a), "all");
	STREQ(found(b), "0+0,9+9");
}

/* The number of an inode says nothing without its device, nor a name when it is another's now. */
static void identity(void)
{
	struct fake_file *a, *b, *new_;

	fake_start();
	a = fake_add("/a", 1);
	b = fake_add("/b", 1);
	b->ino = a->ino;
	new_ = fake_add("/n", 1);
	EQ(read_list("/a\t\t\n/n\t\t\n"), false);
	STREQ(found(a), "all");
	STREQ(found(b), "-");
	fake_replace(new_, b);
	STREQ(found(new_), "all");
	STREQ(found(b), "-");
	b->dev = makedev(0, 77);
	STREQ(found(b), "-");
}

static bool gone_only;

static void nothing(void)
{
	struct fake_file *a;

	fake_start();
	a = fake_add("/a", 1);
	STREQ(found(a), "-");
	EQ(read_list(gone_only ? "/gone\t\t\n" : ""), false);
	EQ(book.entries, gone_only);
	STREQ(found(a), "-");
}

static void look_for_stats(unsigned call)
{
	(void)call;
	foreign_stats++;
}

static void foreign(void)
{
	struct fake_file *a, *away;

	fake_start();
	a = fake_add("/a", 1);
	away = fake_add("/net/a", 1);
	fake.meanwhile = look_for_stats;
	EQ(read_list("/a\t\t\n/net/a\t\t\n/net/b\t0+1\t\n"), true);
	EQ(foreign_stats, 1);
	STREQ(found(a), "all");
	STREQ(found(away), "-");
}

/* Every stat fails: who cannot be found is not found, and nobody else is. */
static unsigned fails;

static void one_fails(void)
{
	struct fake_file *f[4];
	char name[8];

	fake_start();
	for (unsigned i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "/%u", i);
		f[i] = fake_add(name, 1);
	}
	fake.fail_at = fails;
	fake.fail_error = EACCES;
	EQ(read_list("/0\t\t\n/1\t\t\n/2\t\t\n/3\t\t\n"), false);
	for (unsigned i = 0; i < 4; i++)
		STREQ(found(f[i]), i + 1 == fails ? "-" : "all");
}

enum { MANY = 1000 };

static void many(void)
{
	static struct fake_file *f[MANY];
	static char text[MANY * 40];
	char name[16];
	size_t len = 0;

	fake_start();
	for (unsigned i = 0; i < MANY; i++) {
		unsigned k = i * 7 % MANY;

		snprintf(name, sizeof(name), "/%u", i);
		f[i] = fake_add(name, 1 << 20);
		/* some share a device, some the number */
		f[i]->dev = makedev(8, i % 3);
		f[i]->ino = i % 3 == 2 ? i : 1000000 - i;
		if (k % 2)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
				"/%u\t%u+1\t\n", k, k);
	}
	EQ(read_list(text), false);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%u+1", i);
		STREQ(found(f[i]), i % 2 ? name : "-");
	}
}

int main(void)
{
	isolated(names);
	tap("files are found by what they are, whatever the name");
	isolated(whole_and_part);
	tap("the whole file and a part of it");
	isolated(identity);
	tap("device and inode, not the name");
	isolated(nothing);
	gone_only = true;
	isolated(nothing);
	tap("no list, an empty one, one of what is gone");
	isolated(foreign);
	tap("what is on the network is not looked at");
	for (fails = 1; fails <= 4; fails++)
		isolated(one_fails);
	tap("what cannot be looked at is left out");
	isolated(many);
	tap("1,000 files");
	return tap_end();
}
