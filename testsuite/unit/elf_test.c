/* SPDX-License-Identifier: 0BSD */
#include "pc_many.h"
#include "pagecache.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "makeelf.h"
#include "tap.h"

static char got[16384];		/* what was handed out and said */
static unsigned lines;		/* of it that complain */

static void note(const char *what, const char *path, const char *name)
{
	size_t len = strlen(got);

	snprintf(got + len, sizeof(got) - len, "%s%s%s%s%s", len ? " " : "", what, path,
		*name ? ":" : "", name);
}

static void found(const char *path, const char *ranges)
{
	note("", path, ranges ? ranges : "");
}

static void missing(const char *path, const char *name)
{
	lines++;
	note("-", path, name);
}

static void error(const char *path, int err)
{
	lines++;
	note("!", path, err == PC_EELF ? "" : bb_strerror(err));
}

static struct pc_loader loader;

static const char *libraries(const char *name)
{
	got[0] = '\0';
	lines = 0;
	pc_libraries(&loader, name);
	CHECK(!fake.leaked, "%s: %u descriptors open", name, fake.leaked);
	CHECK(fake.most_opens <= 4, "%s: %u descriptors at once", name, fake.most_opens);
	CHECK(!fake.broken, "%s: %s", name, fake.broken);
	CHECK(lines <= 1, "%s: %u lines: %s", name, lines, got);
	return got;
}

static struct elf_plan kind = { .wide = true, .machine = 62 };
#define LD "/lib/ld-linux.so.2"
#define DEFAULTS(...) (struct elf_plan){ .wide = kind.wide, .big = kind.big, \
	.machine = kind.machine, __VA_ARGS__ }
#define ELF(name, ...) elf(name, DEFAULTS(__VA_ARGS__))
#define PROGRAM(...) ELF("/bin/p", .interp = LD, __VA_ARGS__)

static unsigned char images[64][ELF_SIZE];
static unsigned made;

static void start(void)
{
	pc_forked();
	fake_start();
	made = 0;
	loader = (struct pc_loader){ .path = "/sbin:/bin", .platform = "plat", .found = found,
		.missing = missing, .error = error };
}

static struct fake_file *file(const char *name, const void *data, size_t size)
{
	struct fake_file *f = fake_add(name, size);

	f->data = data;
	f->mode = S_IFREG | 0755;
	return f;
}

static struct fake_file *elf(const char *name, struct elf_plan e)
{
	elf_make(images[made], &e);
	return file(name, images[made++], ELF_SIZE);
}

static void text(const char *name, const char *contents)
{
	file(name, contents, strlen(contents));
}

static void link_to(const char *name, const char *target)
{
	fake_add_mode(name, S_IFLNK | 0777)->text = target;
}

static void kinds(void)
{
	static const char want[] = "/bin/p " LD " /lib/liba.so /usr/lib/libb.so /lib64/libc.so";
	struct elf_plan other;

	for (unsigned i = 0; i < 4; i++) {
		bool wide = i & 1, big = i & 2;

		kind = (struct elf_plan){ .wide = wide, .big = big, .machine = 0x1234 };
		start();
		PROGRAM(.needed = "liba.so libb.so");
		ELF(LD);
		ELF("/lib/liba.so", .needed = "libc.so libb.so");
		ELF("/usr/lib/libb.so", .needed = "libc.so", .soname = "libb.so");
		ELF("/lib64/libc.so");
		STREQ(libraries("/bin/p"), want);
		STREQ(libraries("/lib/liba.so"), "/lib/liba.so /lib64/libc.so /usr/lib/libb.so");

		/* in the directory that comes first all are of another kind */
		loader.library_path = "/wrong";
		other = kind;
		other.wide = !wide;
		elf("/wrong/liba.so", other);
		other = kind;
		other.big = !big;
		elf("/wrong/libb.so", other);
		other = kind;
		other.machine = 0x1334;
		elf("/wrong/libc.so", other);
		STREQ(libraries("/bin/p"), want);
	}
	tap("both classes and byte orders; libraries of another kind are passed over");
	kind = (struct elf_plan){ .wide = true, .machine = 62 };
}

static void order(void)
{
	start();
	PROGRAM(.needed = "liba.so libb.so", .rpath = "/r");
	ELF(LD);
	ELF("/r/liba.so", .needed = "libc.so");
	ELF("/e/liba.so");
	ELF("/e/libb.so");
	ELF("/r/libb.so");
	ELF("/r/libc.so");
	loader.library_path = "/e";
	STREQ(libraries("/bin/p"), "/bin/p " LD " /r/liba.so /r/libb.so /r/libc.so");
	tap("DT_RPATH comes before LD_LIBRARY_PATH, and is inherited");

	start();
	PROGRAM(.needed = "liba.so libb.so", .rpath = "/x", .runpath = "/r");
	ELF(LD);
	ELF("/x/liba.so");
	ELF("/r/liba.so", .needed = "libc.so");
	ELF("/e/libb.so");
	ELF("/r/libb.so");
	ELF("/r/libc.so");
	loader.library_path = "/none;/e";
	STREQ(libraries("/bin/p"), "/bin/p " LD " /r/liba.so /e/libb.so -/r/liba.so:libc.so");
	tap("DT_RUNPATH comes after it, is not inherited, and DT_RPATH beside it is void");

	start();
	PROGRAM(.needed = "liba.so", .rpath = "/r");
	ELF(LD);
	ELF("/r/liba.so", .needed = "libb.so", .runpath = "/q");
	ELF("/q/libb.so", .needed = "libc.so");
	ELF("/r/libc.so");
	STREQ(libraries("/bin/p"), "/bin/p " LD " /r/liba.so /q/libb.so /r/libc.so");
	tap("DT_RPATH reaches past one with a DT_RUNPATH");

	start();
	PROGRAM(.needed = "liba.so", .rpath = "/r");
	ELF(LD);
	ELF("/r/liba.so", .needed = "libb.so", .runpath = "/q");
	ELF("/r/libb.so");
	STREQ(libraries("/bin/p"), "/bin/p " LD " /r/liba.so -/r/liba.so:libb.so");
	tap("but what has a DT_RUNPATH itself is found by no DT_RPATH");
}

static void expansion(void)
{
	start();
	PROGRAM(.needed = "liba.so libb.so libc.so libd.so", .runpath = "$ORIGIN/../a:${ORIGIN}/b:"
		"/c/$LIB/$PLATFORM/x:/d/${LIB}:/$FOO/${ORIGIN:$:${");
	link_to("/link", "/bin/p");
	link_to(LD, "/usr/lib/arch/ld.so");
	ELF("/usr/lib/arch/ld.so");
	ELF("/bin/../a/liba.so", .runpath = "$ORIGIN", .needed = "libe.so");
	ELF("/bin/b/libb.so");
	ELF("/c/lib/arch/plat/x/libc.so");
	ELF("/d/lib/arch/libd.so");
	ELF("/bin/../a/libe.so");
	STREQ(libraries("/link"), "/link " LD " /bin/../a/liba.so /bin/b/libb.so "
		"/c/lib/arch/plat/x/libc.so /d/lib/arch/libd.so /bin/../a/libe.so");
	tap("$ORIGIN, of a program without links, $LIB, $PLATFORM");

	start();
	PROGRAM(.needed = "/a/liba.so libs/libb.so $ORIGIN/libc.so libx.so");
	ELF(LD);
	ELF("/a/liba.so", .soname = "libx.so");
	ELF("libs/libb.so");
	ELF("/bin/libc.so");
	STREQ(libraries("/bin/p"), "/bin/p " LD " /a/liba.so libs/libb.so /bin/libc.so");
	tap("names with a slash; a library known by its own name");

	start();
	PROGRAM(.needed = "liba.so", .runpath = ":/x");
	ELF(LD);
	ELF("./liba.so");
	STREQ(libraries("/bin/p"), "/bin/p " LD " ./liba.so");
	tap("an empty directory is the one we are in");

	start();
	ELF("/bin/p", .needed = "liba.so libb.so", .runpath = "/c/$LIB");
	ELF("/c/bin/liba.so");
	ELF("/c/bin/libb.so");
	STREQ(libraries("/bin/p"), "/bin/p /c/bin/liba.so /c/bin/libb.so");
	tap("$LIB of a program without an interpreter stays what it is");
}

static void places(void)
{
	start();
	PROGRAM(.needed = "liba.so libb.so libc.so");
	link_to(LD, "/lib/arch/ld-2.so");
	ELF("/lib/arch/ld-2.so");
	ELF("/lib/arch/liba.so");
	ELF("/lib/liba.so");
	ELF("/usr/lib/arch/libb.so");
	ELF("/usr/lib/libb.so");
	ELF("/usr/lib64/libc.so");
	ELF("/lib/libc.so");
	STREQ(libraries("/bin/p"), "/bin/p " LD " /lib/arch/liba.so /usr/lib/arch/libb.so "
		"/usr/lib64/libc.so");
	fake.no_proc = true;
	pc_forked();
	STREQ(libraries("/bin/p"), "/bin/p " LD " /lib/liba.so /usr/lib/libb.so /lib/libc.so");
	tap("the directories of glibc, where its dynamic linker is first; without /proc");

	start();
	PROGRAM(.needed = "liba.so libb.so libc.so");
	ELF(LD, .needed = "libb.so");
	ELF("/lib/liba.so", .needed = "libb.so liba.so");
	link_to("/lib/libb.so", "/lib/liba.so");
	link_to("/lib/libc.so", "/lib/ld-linux.so.2");
	STREQ(libraries("/bin/p"), "/bin/p " LD " /lib/liba.so");
	tap("rings; several names of one file");

	start();
	PROGRAM(.needed = "liba.so libb.so libc.so");
	ELF("/lib/libc.so", .needed = "libd.so");
	STREQ(libraries("/bin/p"), "/bin/p -/bin/p:" LD " /lib/libc.so");
	STREQ(libraries("/bin/q"), "!/bin/q:No such file or directory");
	tap("of several that are missing, one is named");

	start();
	fake_add_mode("/lib/liba.so", S_IFIFO | 0644);
	fake_add_mode("/lib64/liba.so", S_IFCHR | 0644);
	fake_add_mode("/usr/lib64/liba.so/", S_IFDIR | 0755);
	text("/usr/lib/liba.so", "/* GNU ld script */ INPUT(libx.so)");
	PROGRAM(.needed = "liba.so");
	ELF(LD);
	STREQ(libraries("/bin/p"), "/bin/p " LD " -/bin/p:liba.so");
	EQ(fake.wrong_opens, 0);
	tap("what is no library is not opened, or not taken");
}

/* A library of so many bytes, with code from 8192 on, and data that can be written. */
static struct fake_file *library(const char *name, size_t size, unsigned code, unsigned data)
{
	static unsigned char contents[4][5 << 20];
	static unsigned nth;
	unsigned char *elf = contents[nth++ % 4];

	memset(elf, 0, size);
	elf_make(elf, &kind);
	elf_put(elf + 32 + 3 * (kind.wide ? 8 : 4), &kind, 2, 5);
	elf_segment(elf, &kind, 2, 1, 8192, code);
	elf_segment(elf, &kind, 3, 1, data, 1000);
	elf_segment(elf, &kind, 4, 1, data + 1000, 3096);
	for (unsigned i = 2; i < 5; i++)
		elf_put(elf + 64 + i * (kind.wide ? 56 : 32) + (kind.wide ? 4 : 24), &kind, 4,
			i == 2 ? 5 : 6);
	return file(name, elf, size);
}

static void parts(void)
{
	for (unsigned i = 0; i < 16; i++) {
		bool flash = i & 4, all = i & 8;
		const char *some = flash && !all ? " /lib/liba.so:0+73728,5234688+4096"
			" /lib/libb.so:0+73728,2097152+4096 /lib/libc.so /lib/libd.so"
			: " /lib/liba.so:0+16384,5234688+4096"
			" /lib/libb.so /lib/libc.so /lib/libd.so";
		char want[200];

		kind = (struct elf_plan){ .wide = i & 1, .big = i & 2, .machine = 62 };
		start();
		fake.rotational = !flash;
		loader.all = all;
		PROGRAM(.needed = "liba.so libb.so libc.so libd.so");
		ELF(LD);
		library("/lib/liba.so", 5 << 20, 8192, (5 << 20) - 8192);	/* constants */
		library("/lib/libb.so", 3 << 20, 1 << 20, 2 << 20);
		library("/lib/libc.so", 73728, 32768, 65536);	/* small */
		ELF("/lib/libd.so");				/* no segments but one */
		snprintf(want, sizeof(want), "/bin/p " LD "%s", some);
		STREQ(libraries("/bin/p"), want);
	}
	kind = (struct elf_plan){ .wide = true, .machine = 62 };
	for (unsigned i = 0; i < 4; i++) {
		struct fake_file *f;
		static const uint64_t odd[] = { UINT64_MAX, UINT64_MAX / 2 + 1, 5 << 20, 1 << 20 };

		start();
		fake.rotational = 0;
		loader.all = i == 3;
		PROGRAM(.needed = "liba.so");
		ELF(LD);
		f = library("/lib/liba.so", 3 << 20, 1 << 20, 2 << 20);
		elf_segment((unsigned char *)(uintptr_t)f->data, &kind, i % 2 ? 2 : 4, 1, odd[i],
			odd[3 - i]);
		STREQ(libraries("/bin/p"), "/bin/p " LD " /lib/liba.so");
	}
	tap("what a start reads: of one that is odd all");
	tap("what a start reads: no big constants; on flash little but symbols and data");
	kind = (struct elf_plan){ .wide = true, .machine = 62 };
}

static void musl(void)
{
	static const char *const paths[] = { NULL, "/m\n/n/\n", "", "/n:/m" };
	static const char *const where[] = { "/usr/local/lib/", "/m/", "/usr/local/lib/", "/n/" };

	for (unsigned i = 0; i < 4; i++) {
		char want[256];

		start();
		ELF("/bin/p", .interp = "/lib/ld-musl-i386-sf.so.1", .needed = "liba.so libc.so",
			.runpath = "$ORIGIN/r");
		link_to("/lib/ld-musl-i386-sf.so.1", "/lib/libc.so");
		ELF("/lib/libc.so");
		if (paths[i])
			text("/etc/ld-musl-i386-sf.path", paths[i]);
		ELF("/usr/local/lib/liba.so");
		ELF("/m/liba.so");
		ELF("/n/liba.so");
		snprintf(want, sizeof(want), "/bin/p /lib/ld-musl-i386-sf.so.1 %sliba.so",
			where[i]);
		STREQ(libraries("/bin/p"), want);
	}
	tap("musl: the directories of its path file, or built in; libc is the dynamic linker");

	start();
	ELF("/bin/p", .interp = "/lib/ld-musl-x.so.1", .needed = "liba.so libb.so",
		.runpath = "/r");
	ELF("/lib/ld-musl-x.so.1");
	ELF("/r/liba.so", .needed = "libc2.so");
	ELF("/r/libb.so");
	ELF("/e/libb.so");
	ELF("/r/libc2.so");
	loader.library_path = "/e";
	STREQ(libraries("/bin/p"), "/bin/p /lib/ld-musl-x.so.1 /r/liba.so /e/libb.so "
		"/r/libc2.so");
	tap("musl: DT_RUNPATH comes after LD_LIBRARY_PATH, and is inherited");
}

static void scripts(void)
{
	char long_line[600];

	start();
	PROGRAM(.needed = "liba.so");
	ELF(LD);
	ELF("/lib/liba.so");
	text("/usr/bin/env", "no ELF file");
	text("/sbin/p", "p");
	file("/sbin/p", "p", 1)->mode = S_IFREG | 0644;
#define P " /bin/p " LD " /lib/liba.so"
	text("/s1", "#!/bin/p");
	STREQ(libraries("/s1"), "/s1" P);
	text("/s2", "#! \t/bin/p -x y\n/bin/q");
	STREQ(libraries("/s2"), "/s2" P);
	text("/s3", "#!/usr/bin/env p\n");
	STREQ(libraries("/s3"), "/s3 /usr/bin/env" P);
	text("/s4", "#!/usr/bin/env -S A=b  p -u\n");
	STREQ(libraries("/s4"), "/s4 /usr/bin/env" P);
	text("/s5", "#!/s2\n");
	STREQ(libraries("/s5"), "/s5 /s2" P);
	STREQ(libraries("p"), "/bin/p " LD " /lib/liba.so");
	text("/s6", "#!\n/bin/p\n");
	STREQ(libraries("/s6"), "/s6");
	text("/s7", "#!");
	STREQ(libraries("/s7"), "/s7");
	text("/s8", "#!/bin/gone\n");
	STREQ(libraries("/s8"), "/s8 !/bin/gone:No such file or directory");
	tap("scripts: their interpreter, and what env looks for in PATH");

	text("/s9", "#!/s9\n");
	STREQ(libraries("/s9"), "/s9 /s9 /s9 /s9 /s9");
	text("/s10", "#!/usr/bin/env /s10\n");
	libraries("/s10");
	memset(long_line, 'x', sizeof(long_line));
	memcpy(long_line, "#!/", 3);
	file("/s11", long_line, sizeof(long_line));
	libraries("/s11");
	CHECK(strlen(got) < 300, "%zu", strlen(got));
	text("/s12", "plain");
	STREQ(libraries("/s12"), "/s12");
	text("/s13", "");
	STREQ(libraries("/s13"), "/s13");
	STREQ(libraries("nowhere"), "!nowhere:No such file or directory");
	loader.path = NULL;
	STREQ(libraries("p"), "!p:No such file or directory");
	tap("scripts: rings end; what is neither script nor program");
}

/* ld.so.cache is read once in a process. */
static unsigned char cache[4096];
static size_t cache_size;

static void cache_entry(unsigned char *e, size_t *end, const char *name, const char *path,
	uint64_t hwcap)
{
	uint32_t n[6] = { 3, 0, 0, 0, 0, 0 };
	unsigned char *begin = cache + (cache[0] == 'l' ? 48 : 0);

	n[1] = (uint32_t)*end;
	strcpy((char *)begin + *end, name);
	*end += strlen(name) + 1;
	n[2] = (uint32_t)*end;
	strcpy((char *)begin + *end, path);
	*end += strlen(path) + 1;
	memcpy(n + 4, &hwcap, 8);
	memcpy(e, n, sizeof(n));
}

static void make_cache(bool old)
{
	unsigned char *c = cache;
	size_t end = 400;
	uint32_t n = 5, two = 2;

	memset(cache, 0, sizeof(cache));
	if (old) {	/* 16 + 2 * 12 bytes, filled up to 8 */
		memcpy(c, "ld.so-1.7.0", 11);
		memcpy(c + 12, &two, 4);
		c += 48;
	}
	memcpy(c, "glibc-ld.so.cache1.1", 20);
	memcpy(c + 20, &n, 4);
	cache_entry(c + 48, &end, "liba.so", "/better/liba.so", 1ull << 62 | 1);
	cache_entry(c + 72, &end, "liba.so", "/other/liba.so", 0);
	cache_entry(c + 96, &end, "liba.so", "/in/cache/liba.so", 0);
	cache_entry(c + 120, &end, "libb.so", "/gone/libb.so", 0);
	cache_entry(c + 144, &end, "libaa.so", "/wrong/liba.so", 0);
	cache_size = (size_t)(c - cache) + end;
}

static void with_cache(void)
{
	start();
	PROGRAM(.needed = "liba.so libb.so");
	ELF(LD);
	ELF("/better/liba.so");
	ELF("/in/cache/liba.so");
	ELF("/lib/liba.so");
	ELF("/usr/lib/libb.so");
	elf("/other/liba.so", (struct elf_plan){ .machine = 3 });
	file("/etc/ld.so.cache", cache, cache_size);
	dprintf(2, "%s", libraries("/bin/p"));
}

static void caches(void)
{
	char told[4096];
	size_t whole;

	for (int old = 0; old < 2; old++) {
		make_cache(old);
		in_child(with_cache, told, sizeof(told));
		STREQ(told, "/bin/p " LD " /in/cache/liba.so /usr/lib/libb.so");
	}
	tap("ld.so.cache, of the new form alone and behind the old one");

	for (int old = 0; old < 2; old++) {
		make_cache(old);
		whole = cache_size;
		for (cache_size = 0; cache_size < whole; cache_size += 37) {
			EQ(in_child(with_cache, told, sizeof(told)), 99 << 8);
			CHECK(strstr(told, "liba.so /usr/lib/libb.so"), "%zu: %s", cache_size,
			      told);
		}
		for (size_t i = 0; i < 200; i += 4) {
			make_cache(old);
			memset(cache + i, 0xff, 4);
			EQ(in_child(with_cache, told, sizeof(told)), 99 << 8);
			CHECK(strstr(told, "liba.so /usr/lib/libb.so"), "%zu: %s", i, told);
		}
	}
	tap("a broken ld.so.cache does no harm");
}

static void hostile(void)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	static unsigned char good[ELF_SIZE];

	for (unsigned i = 0; i < 4; i++) {
		kind = (struct elf_plan){ .wide = i & 1, .big = i & 2, .machine = 0x1234 };
		for (size_t at = 0; at < ELF_DYNAMIC + 200; at++) {
			for (size_t v = 0; v < sizeof(values); v++) {
				start();
				PROGRAM(.needed = "liba.so", .runpath = "/lib");
				ELF(LD);
				ELF("/lib/liba.so", .soname = "liba.so", .rpath = "/lib");
				images[v & 1 ? 0 : 2][at] = values[v];
				libraries("/bin/p");
				memset(images[0] + at, values[v], 8);
				libraries("/bin/p");
			}
		}
		for (size_t size = 0; size < ELF_SIZE; size += size < 200 ? 1 : 29) {
			start();
			PROGRAM(.needed = "liba.so")->size = size;
			ELF(LD);
			ELF("/lib/liba.so")->size = size;
			libraries("/bin/p");
			if (size >= 4 && size < 512)
				STREQ(got, "/bin/p !/bin/p");
		}
	}
	tap("any byte wrong, any end cut off: one line at most");

	kind = (struct elf_plan){ .wide = true, .machine = 62 };
	for (unsigned k = 1;; k++) {
		start();
		PROGRAM(.needed = "liba.so libb.so", .runpath = "$ORIGIN:/lib");
		ELF(LD);
		ELF("/lib/liba.so", .needed = "libb.so");
		ELF("/lib/libb.so");
		fake.fail_at = k;
		fake.fail_error = EIO;
		libraries("/bin/p");
		if (!fake.failed)
			break;
		/* all that is needed, or a word */
		CHECK(lines || strstr(got, "/bin/p " LD " /lib/liba.so /lib/libb.so"), "%s: %s",
		      fake.failed, got);
	}
	tap("any call fails: one line at most");

	start();
	PROGRAM(.needed = "liba.so");
	images[0][16] = 4;
	memset(images[0] + 32, 0xff, 8);
	STREQ(libraries("/bin/p"), "/bin/p");
	images[0][16] = 2;
	STREQ(libraries("/bin/p"), "/bin/p !/bin/p");
	images[0][39] = 0x7f;
	STREQ(libraries("/bin/p"), "/bin/p !/bin/p");
	tap("a core file is no broken program; program headers at the end of all offsets");

	/* a dynamic section of nothing but libraries, as long as it may be */
	start();
	PROGRAM(.needed = "liba.so");
	ELF(LD);
	memcpy(good, images[0], ELF_SIZE);
	for (unsigned n = 0; n < 32; n++)
		memcpy(good + ELF_DYNAMIC + 16 * n, "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16);
	memcpy(good + ELF_DYNAMIC, "\5\0\0\0\0\0\0\0\200\003\1\0\0\0\0\0", 16);
	file("/bin/q", good, ELF_SIZE);
	ELF("/lib/liba.so");
	STREQ(libraries("/bin/q"), "/bin/q " LD " /lib/liba.so");
	tap("the same library 31 times");
}

/* One library needs the next. */
static void many(void)
{
	static unsigned char chain[600][ELF_SIZE];
	unsigned n = 0;

	start();
	PROGRAM(.needed = "lib0.so");
	ELF(LD);
	for (unsigned i = 0; i < 600; i++) {
		char name[20], next[20];

		snprintf(name, sizeof(name), "/lib/lib%u.so", i);
		snprintf(next, sizeof(next), "lib%u.so", i + 1);
		elf_make(chain[i], &DEFAULTS(.needed = next));
		file(name, chain[i], ELF_SIZE);
	}
	libraries("/bin/p");
	for (const char *s = got; (s = strstr(s, "/lib/")) != NULL; s++)
		n++;
	EQ(lines, 1);
	CHECK(n >= 512 && n < 520, "%u", n);
	tap("more libraries than there is room for");
}

/* A thousand names in thousands of directories. */
static void endless(void)
{
	static unsigned char elf[32768];
	unsigned char *d = elf + 2048;
	const struct elf_plan e = DEFAULTS();

	start();
	elf_make(elf, &e);
	elf_segment(elf, &e, 0, 1, 128, sizeof(elf) - 128);
	elf_segment(elf, &e, 1, 2, 2048, 20000 - 2048);
	elf[20001] = 'x';
	memset(elf + 20003, ':', 4000);
	for (unsigned i = 0; i < 1002; i++, d += 16) {
		elf_put(d, &e, 8, i < 1000 ? 1 : i == 1000 ? 29 : 5);
		elf_put(d + 8, &e, 8, i < 1000 ? 1 : i == 1000 ? 3 : ELF_BASE + 20000 - 128);
	}
	file("/bin/p", elf, sizeof(elf));
	STREQ(libraries("/bin/p"), "/bin/p -/bin/p:x");
	CHECK(fake.calls < 1000000, "%u calls", fake.calls);
	tap("more places to look at than anybody needs");
}

/* What a program before has left must not be needed. */
static void first(void)
{
	start();
	ELF("/bin/p", .interp = "/$LIB/$ORIGIN/$PLATFORM/ld");
	STREQ(libraries("/bin/p"), "/bin/p -/bin/p:/$LIB/$ORIGIN/$PLATFORM/ld");
	tap("an interpreter with a $, in a fresh process");
}

int main(void)
{
	first();
	caches();
	kinds();
	order();
	expansion();
	places();
	parts();
	musl();
	scripts();
	hostile();
	many();
	endless();
	return tap_end();
}
