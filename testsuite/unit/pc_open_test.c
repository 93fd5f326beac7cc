/* SPDX-License-Identifier: 0BSD */
#include "pagecache.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"
#include <sys/sysmacros.h>

enum { USER = 1000 };

static const int errors[] = {
	EACCES, EMFILE, ENFILE, ENOMEM, EINTR, EPERM, ELOOP, ENXIO, EIO, ENOENT,
};

/* Closes what is open, and looks whether all went well. */
static void done(struct pc_file *f, const char *what, unsigned k)
{
	pc_close(f);
	CHECK(f->fd == -1, "%s at call %u: fd is %d after pc_close", what, k, f->fd);
	CHECK(!fake.leaked, "%s at call %u: %u descriptors open", what, k, fake.leaked);
	CHECK(fake.most_opens <= 4, "%s at call %u: %u descriptors at once", what, k,
	      fake.most_opens);
	CHECK(!fake.broken, "%s at call %u: %s", what, k, fake.broken);
	CHECK(fake.calls < 40, "%s at call %u: %u calls", what, k, fake.calls);
	pc_forked();
}

static uid_t who;
static bool without_proc;

static void machine(void)
{
	fake_start();
	fake.euid = who;
	fake.cap_fowner = !who;
	fake.no_proc = without_proc;
}

static const struct {
	const char *name;
	mode_t mode;
	const char *target;
	int plain, nofollow;	/* results: without flags, with PC_NOFOLLOW */
} kinds[] = {
	{ "file", S_IFREG | 0644, NULL, 0, 0 },
	{ "dir/", S_IFDIR | 0755, NULL, -PC_ENOTREG, -PC_ENOTREG },
	{ "fifo", S_IFIFO | 0644, NULL, -PC_ENOTREG, -PC_ENOTREG },
	{ "socket", S_IFSOCK | 0644, NULL, -PC_ENOTREG, -PC_ENOTREG },
	{ "watchdog", S_IFCHR | 0600, NULL, -PC_ENOTREG, -PC_ENOTREG },
	{ "disk", S_IFBLK | 0600, NULL, -PC_ENOTREG, -PC_ENOTREG },
	{ "link", S_IFLNK | 0777, "file", 0, -PC_ENOTREG },
	{ "links", S_IFLNK | 0777, "link", 0, -PC_ENOTREG },
	{ "to-fifo", S_IFLNK | 0777, "fifo", -PC_ENOTREG, -PC_ENOTREG },
	{ "dangling", S_IFLNK | 0777, "gone", -ENOENT, -PC_ENOTREG },
	{ "loop", S_IFLNK | 0777, "loop", -ELOOP, -PC_ENOTREG },
	{ "gone", 0, NULL, -ENOENT, -ENOENT },
	{ "", 0, NULL, -ENOENT, -ENOENT },
};

static void populate(void)
{
	machine();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct fake_file *f;

		if (!kinds[i].mode)
			continue;
		f = S_ISREG(kinds[i].mode) ? fake_add(kinds[i].name, 10000)
			: fake_add_mode(kinds[i].name, kinds[i].mode);
		f->text = kinds[i].target;
		if (S_ISBLK(f->mode)) {
			f->size = UINT64_C(9) << 30;
			f->rdev = makedev(8, 1);
		}
	}
}

static void every_kind(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		for (unsigned flags = 0; flags <= (PC_NOFOLLOW | PC_BLKDEV); flags++) {
			int r, want = flags & PC_NOFOLLOW ? kinds[i].nofollow : kinds[i].plain;
			struct pc_file f = { .fd = 77 };
			uint64_t size;

			populate();
			if (flags & PC_BLKDEV)
				fake.allowed_dev = makedev(8, 1);
			if (S_ISBLK(kinds[i].mode) && (flags & PC_BLKDEV))
				want = 0;
			r = pc_open(&f, kinds[i].name, flags);
			CHECK(r == want, "%s, flags %u: %d instead of %d", kinds[i].name, flags, r,
			      want);
			CHECK((r == 0) == (f.fd >= 0), "%s: fd %d", kinds[i].name, f.fd);
			size = S_ISBLK(kinds[i].mode) ? UINT64_C(9) << 30 : 10000;
			CHECK(r || f.size == size, "%s: size", kinds[i].name);
			EQ(fake.wrong_opens, 0);
			done(&f, kinds[i].name, 0);
		}
}

static void owners(void)
{
	struct pc_file f;
	struct fake_file *file;

	machine();
	file = fake_add("other", 1);
	file->uid = USER + 1;
	EQ(pc_open(&f, "other", 0), 0);	/* O_NOATIME is refused to strangers */
	done(&f, "a stranger", 0);
	machine();
	file = fake_add("secret", 1);
	file->unreadable = true;
	EQ(pc_open(&f, "secret", 0), who ? -EACCES : 0);
	done(&f, "an unreadable file", 0);
}

static void filesystems(void)
{
	struct pc_file f;

	machine();
	fake_add("over", 1)->fs_type = KABI_OVERLAYFS_MAGIC;
	EQ(pc_open(&f, "over", 0), 0);
	EQ(f.fs_type, KABI_OVERLAYFS_MAGIC);
	EQ(f.no_cachestat, true);
	done(&f, "overlayfs", 0);
	machine();
	fake_add("ext4", 1);
	EQ(pc_open(&f, "ext4", 0), 0);
	EQ(f.fs_type, 0xef53);
	EQ(f.no_cachestat, false);
	done(&f, "ext4", 0);
	machine();
	fake_add("unknown", 1);
	fake.fs_type_error = ENOSYS;
	EQ(pc_open(&f, "unknown", 0), 0);
	EQ(f.fs_type, 0);
	EQ(f.no_cachestat, true);
	done(&f, "a filesystem that does not say what it is", 0);
}

static struct fake_file *victim, *substitute;
static unsigned swap_at;
static bool back_again;

static void swap(unsigned call)
{
	static struct fake_file *away;

	if (call == 1)
		away = NULL;
	if (call == swap_at) {
		away = victim;
		fake_replace(victim, substitute);
	} else if (back_again && away && call == swap_at + 1) {
		fake_replace(substitute, away);
	}
}

/* Another file takes the name's place between any two calls, and perhaps goes again. */
static void swapped(mode_t mode)
{
	for (unsigned k = 1; k < 20; k++) {
		struct pc_file f;
		struct stat st;
		int r;

		machine();
		victim = fake_add("name", 5000);
		substitute = S_ISREG(mode) ? fake_add("x", 9000) : fake_add_mode("x", mode);
		substitute->text = S_ISLNK(mode) ? "fifo" : NULL;
		fake_add_mode("fifo", S_IFIFO | 0644);
		fake.meanwhile = swap;
		swap_at = k;
		r = pc_open(&f, "name", PC_NOFOLLOW);
		fake.meanwhile = NULL;
		CHECK(r == 0 || r == -PC_ECHANGED || r == -PC_ENOTREG || r == -ELOOP ||
		      r == -ENOENT, "mode 0%o at call %u: %d", mode, k, r);
		if (!r) {
			EQ(sys_fstat(f.fd, &st), 0);
			CHECK(S_ISREG(st.st_mode) && st.st_ino == f.st.st_ino &&
			      f.size == (uint64_t)st.st_size,
			      "mode 0%o at call %u: not what was looked at", mode, k);
		}
		if (!who && !without_proc)
			CHECK(!fake.wrong_opens, "mode 0%o at call %u: was opened", mode, k);
		done(&f, "swapped", k);
	}
}

static void swaps(void)
{
	for (int back = 0; back < 2; back++) {
		back_again = back;
		swapped(S_IFREG | 0644);
		swapped(S_IFIFO | 0644);
		swapped(S_IFCHR | 0600);
		swapped(S_IFDIR | 0755);
		swapped(S_IFLNK | 0777);
	}
}

static unsigned vanish_at;

static void vanish(unsigned call)
{
	if (call == vanish_at)
		fake_remove(victim);
}

static void vanishes(void)
{
	for (vanish_at = 1; vanish_at < 20; vanish_at++) {
		struct pc_file f;
		int r;

		machine();
		victim = fake_add("name", 5000);
		fake.meanwhile = vanish;
		r = pc_open(&f, "name", 0);
		CHECK(r == 0 || r == -ENOENT, "at call %u: %d", vanish_at, r);
		done(&f, "vanished", vanish_at);
	}
}

/* Every call fails with every error. */
static void faults(void)
{
	static const char *const names[] = { "file", "other", "disk" };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t e = 0; e < ARRAY_SIZE(errors); e++)
			for (unsigned k = 1;; k++) {
				struct pc_file f;
				int r;

				populate();
				fake_add("other", 1)->uid = USER + 1;
				fake.allowed_dev = makedev(8, 1);
				fake.fail_at = k;
				fake.fail_error = errors[e];
				r = pc_open(&f, names[n], PC_BLKDEV);
				CHECK(r == 0 || r == -errors[e], "%s: %s %u fails with %s: %d",
				      names[n], fake.failed, k, strerror(errors[e]), r);
				CHECK((r == 0) == (f.fd >= 0), "%s: %s %u: fd %d", names[n],
				      fake.failed, k, f.fd);
				EQ(fake.wrong_opens, 0);
				done(&f, names[n], k);
				if (!fake.failed)
					break;
				CHECK(k < 50, "no end of calls");
			}
}

/* For root no passing shortage may lead to a look and an open that are apart. */
static void faults_stay_safe(void)
{
	static const int shortages[] = { EMFILE, ENFILE, ENOMEM };

	for (size_t e = 0; e < ARRAY_SIZE(shortages); e++)
		for (unsigned fail = 1; fail < 8; fail++)
			for (unsigned k = 1; k < 12; k++) {
				struct pc_file f;

				machine();
				victim = fake_add("name", 5000);
				substitute = fake_add_mode("x", S_IFIFO | 0644);
				fake.meanwhile = swap;
				swap_at = k;
				fake.fail_at = fail;
				fake.fail_error = shortages[e];
				pc_open(&f, "name", 0);
				fake.meanwhile = NULL;
				CHECK(!fake.wrong_opens, "call %u fails with %s, swapped at %u: "
				      "the FIFO is opened", fail, strerror(shortages[e]), k);
				done(&f, "swapped", k);
			}
}

static void many(void)
{
	struct pc_file f;

	machine();
	for (int i = 0; i < 300; i++) {
		fake_add("name", 5)->uid = i % 2 ? 0 : USER;
		EQ(pc_open(&f, i % 3 ? "name" : "gone", 0), i % 3 ? 0 : -ENOENT);
		pc_close(&f);
	}
	fake.calls = 0;
	done(&f, "many", 0);
}

/* What is open already, by whatever right, is described; and stays open, for it is another's. */
static void adopted(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct pc_file f = { .fd = -1 };
		uint64_t size;
		int fd;

		if (!kinds[i].mode || S_ISLNK(kinds[i].mode))
			continue;
		populate();
		fd = sys_open(AT_FDCWD, kinds[i].name, O_PATH);
		if (S_ISBLK(kinds[i].mode)) {	/* which tells its size to who has it open only */
			EQ(pc_adopt(&f, fd), -EBADF);
			sys_close(fd);
			fake.allowed_dev = makedev(8, 1);
			fd = sys_open(AT_FDCWD, kinds[i].name, O_RDONLY | O_NONBLOCK);
		}
		EQ(pc_adopt(&f, fd), 0);
		EQ(f.fd, fd);
		EQ(f.st.st_mode, kinds[i].mode);
		EQ(f.fs_type, 0xef53);
		size = S_ISBLK(kinds[i].mode) ? UINT64_C(9) << 30 :
			S_ISREG(kinds[i].mode) ? 10000 : 0;
		CHECK(f.size == size, "%s: size", kinds[i].name);
		EQ(f.no_cachestat, false);
		done(&f, kinds[i].name, 0);
	}
	machine();
	for (int over = 0; over < 2; over++) {
		struct pc_file f;

		fake_add(over ? "over" : "file", 5)->fs_type = over ? KABI_OVERLAYFS_MAGIC : 0xef53;
		EQ(pc_adopt(&f, sys_open(AT_FDCWD, over ? "over" : "file", O_PATH)), 0);
		EQ(f.no_cachestat, over);
		done(&f, "adopted", 0);
	}
}

static void adopted_faults(void)
{
	static const char *const names[] = { "file", "disk" };

	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		for (size_t e = 0; e < ARRAY_SIZE(errors); e++)
			for (unsigned k = 2;; k++) {
				struct pc_file f;
				struct stat st;
				int r, fd;

				populate();
				fake.allowed_dev = makedev(8, 1);
				fake.fail_at = k;
				fake.fail_error = errors[e];
				fd = sys_open(AT_FDCWD, names[n], O_RDONLY | O_NONBLOCK);
				r = pc_adopt(&f, fd);
				/* nobody needs to know which filesystem */
				CHECK(r == (fake.failed && strcmp(fake.failed, "fs_type") ?
				      -errors[e] : 0), "%s: %s: %d", names[n], fake.failed, r);
				CHECK(f.fd == fd, "%s: %s: %d", names[n], fake.failed, f.fd);
				fake.fail_at = 0;
				EQ(sys_fstat(fd, &st), 0);
				done(&f, "adopted", k);
				if (!fake.failed)
					break;
			}
}

static void point(const char *name, void (*fn)(void))
{
	char text[100];

	for (int as = 0; as < 3; as++) {
		who = as == 2 ? USER : 0;
		without_proc = as == 1;
		isolated(fn);
		snprintf(text, sizeof(text), "%s: %s", name,
			 as == 2 ? "as a user" : as == 1 ? "as root without /proc" : "as root");
		tap(text);
	}
}

int main(void)
{
	point("every kind of file, with all flags", every_kind);
	point("files of others", owners);
	point("filesystems", filesystems);
	point("another file stands there between any two calls", swaps);
	point("the file vanishes between any two calls", vanishes);
	point("every call fails with every error", faults);
	who = 0;
	without_proc = false;
	isolated(faults_stay_safe);
	tap("as root no failure leads to opening what was swapped in");
	point("what is open already", adopted);
	point("what is open already, and calls fail", adopted_faults);
	point("many files, no descriptor left", many);
	STREQ(pc_strerror(PC_ENOTREG), "not a regular file");
	STREQ(pc_strerror(ENOENT), strerror(ENOENT));
	tap("errors have texts");
	return tap_end();
}
