/* SPDX-License-Identifier: 0BSD */
/* What fadvise says of dropping, and the truth, which only fakesys.c knows. */
#include "pagecache.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"
#include <stdarg.h>

/* The applet itself, with its words caught and numbers in pages. */
static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static const char *in_pages(uint64_t bytes, bool unknown);
#define bb_error_msg say
#define bb_printf print
#define bb_amount in_pages
#define bb_failed say_failed
#include "../../applets/fadvise.c"

static char said[2000], printed[2000];

static void append(char *text, const char *fmt, va_list ap)
{
	size_t len = strlen(text);

	vsnprintf(text + len, sizeof(said) - len, fmt, ap);
}

static void say(const char *fmt, ...)
{
	va_list ap;

	if (*fmt == 8) {	/* bb_complain */
		bb_not_done = true;
		fmt++;
	}
	va_start(ap, fmt);
	append(said, fmt, ap);
	va_end(ap);
	strcat(said, "\n");
}

static void print(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	append(printed, fmt, ap);
	va_end(ap);
}

void say_failed(const char *name, int err)
{
	bb_complain("%s: %s", name, pc_strerror(err));
}

static const char *in_pages(uint64_t bytes, bool unknown)
{
	static char buf[8];

	if (unknown)
		return "?";
	CHECK(bytes % fake.pagesize == 0 && bytes / fake.pagesize < 1000, "%llu bytes",
	      (unsigned long long)bytes);
	snprintf(buf, sizeof(buf), "%u", (unsigned)(bytes / fake.pagesize));
	return buf;
}

void bb_show_usage(void)
{
	abort();
}

void bb_show_help(void)
{
	abort();
}

static uint32_t state = 1;

static unsigned any(unsigned n)
{
	state = state * 1664525 + 1013904223;
	return (unsigned)(((uint64_t)state * n) >> 32);
}

enum { DIRTY = 1, CUT = 2, IGNORED = 4, REST = 8 };
enum tells { COUNTS, PAGES, NOTHING };

struct claim {
	unsigned pages[REST + 1];
	char rest[100];
	bool unknown, error;
};

static struct claim read_claims(void)
{
	struct claim c = { .unknown = false };
	char *line = strtok(said, "\n"), why[100];
	unsigned n;

	for (; line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "file: kept %u: %99[^\n]", &n, why) == 2) {
			unsigned kind = !strcmp(why, "dirty") ? DIRTY :
				!strcmp(why, "not wholly in the range") ? CUT :
				!strcmp(why, "ignored by its filesystem") ? IGNORED : REST;

			CHECK(n && !c.pages[kind], "said twice, or of nothing: %s", line);
			c.pages[kind] = n;
			if (kind == REST)
				strcpy(c.rest, why);
		} else if (!strcmp(line, "file: what is kept cannot be known")) {
			c.unknown = true;
		} else {
			c.error = true;
		}
	}
	return c;
}

/* Pages of the range, as it is rounded out, that are there; or of these the dirty ones. */
static unsigned count(const struct fake_file *f, uint64_t off, uint64_t end, bool dirty)
{
	unsigned n = 0;

	for (uint64_t i = off / fake.pagesize; off < end && i < fake_pages(f) &&
	     i * fake.pagesize < end; i++)
		n += f->page[i].state != ABSENT && (!dirty || f->page[i].dirty ||
			f->page[i].writing);
	return n;
}

static struct fake_file *file;
static struct pc_file opened;
static uint64_t ps;
static bool old_kernel;

/* A file in any state on a machine of a kind; no page is both dirty and being written. */
static void machine(enum tells tells)
{
	pc_forked();	/* forgets what is held open */
	fake_start();
	fake.pagesize = ps;
	file = fake_add("file", any(20) * fake.pagesize + any(3) * 1000);
	for (uint64_t i = 0; i < fake_pages(file); i++) {
		file->page[i].state = any(4) ? RESIDENT : ABSENT;
		file->page[i].dirty = file->page[i].state == RESIDENT && !any(4);
		file->page[i].writing = file->page[i].state == RESIDENT && !file->page[i].dirty &&
			!any(6);
		file->page[i].held = file->page[i].state == RESIDENT && !any(3);
	}
	if (tells == PAGES && any(2))
		file->fs_type = KABI_OVERLAYFS_MAGIC;
	else if (tells == PAGES)
		fake.cachestat_error = old_kernel ? ENOSYS : EPERM;
	if (tells == NOTHING) {
		fake.euid = 1000;
		fake.cap_fowner = false;
	}
	said[0] = printed[0] = '\0';
	memset(&G, 0, sizeof(G));
	bb_not_done = false;
	G.advice = POSIX_FADV_DONTNEED;
	G.opts = any(3) ? FADVISE_OPT_s : 0;
	G.opts |= !G.opts || any(2) ? FADVISE_OPT_v : 0;
	G.off = any(2) ? 0 : any(24) * (int64_t)fake.pagesize / 2;
	G.len = any(2) ? 0 : any(24) * (int64_t)fake.pagesize / 2;
	EQ(pc_open(&opened, "file", 0), 0);
}

static enum tells kind;

static void accounts(void)
{
	for (unsigned n = 0; n < 4000; n++) {
		uint64_t off, end;
		unsigned before, after, was_dirty, dirty = 0, cut = 0, asked, dropped, kept;
		struct claim c;

		machine(kind);
		off = MIN((uint64_t)G.off, file->size);
		end = G.len ? MIN(off + (uint64_t)G.len, file->size) : file->size;
		before = count(file, off, end, false);
		was_dirty = count(file, off, end, true);
		advise(&opened, "file");
		after = count(file, off, end, false);
		for (uint64_t i = off / fake.pagesize; off < end && i < fake_pages(file) &&
		     i * fake.pagesize < end; i++) {
			struct fake_page *p = &file->page[i];
			bool whole = i * fake.pagesize >= off && ((i + 1) * fake.pagesize <= end ||
				end == file->size);

			if (p->state == RESIDENT && (p->dirty || p->writing))
				dirty++;
			else if (p->state == RESIDENT && !whole)
				cut++;
		}
		c = read_claims();
		EQ(c.error, false);
		EQ(c.unknown, kind == NOTHING && end > off);
		if (kind == NOTHING) {
			CHECK(end == off || !OPT(v) || strstr(printed, "        ?        ?  file"),
			      "what cannot be known is %s", printed);
			goto end;
		}
		EQ(c.pages[DIRTY], kind == COUNTS ? dirty : 0);
		if (kind == COUNTS)
			EQ(c.pages[CUT], cut);
		else	/* of dirty pages too */
			CHECK(c.pages[CUT] >= cut && c.pages[CUT] <= cut + MIN(dirty, 2u),
			      "%u of %u", c.pages[CUT], cut);
		EQ(c.pages[DIRTY] + c.pages[CUT] + c.pages[REST], after);
		/* without -s what was dirty may be written by now */
		CHECK(!c.rest[0] || !strncmp(c.rest, "dirty, ", 7) == (kind == PAGES ||
		      (was_dirty && !OPT(s))), "%s", c.rest);
		CHECK(!c.rest[0] || !!strstr(c.rest, "range") == (G.off || end < file->size),
		      "%s", c.rest);
		EQ(bb_not_done, OPT(s) && after);
		EQ(!printed[0], !OPT(v));
		if (OPT(v)) {
			EQ(sscanf(printed, "%u %u %u file", &asked, &dropped, &kept), 3);
			EQ(asked, end > off ? (end - 1) / ps - off / ps + 1 : 0);
			EQ(dropped, before - after);
			EQ(kept, after);
		}
end:
		pc_close(&opened);
		EQ(fake.leaked, 0);
		STREQ(fake.broken ? fake.broken : "", "");
		if (tap_bad)
			printf("# case %u: off %lld len %lld of %llu, %s", n, (long long)G.off,
			       (long long)G.len, (unsigned long long)file->size, printed);
		if (tap_bad)
			return;
	}
}

static void ignored(void)
{
	static const uint32_t types[] = {
		KABI_TMPFS_MAGIC, KABI_RAMFS_MAGIC, KABI_HUGETLBFS_MAGIC,
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct claim c;

		machine(COUNTS);
		pc_close(&opened);
		file = fake_add("onram", 10 * fake.pagesize);
		file->fs_type = types[i];
		for (unsigned k = 0; k < 10; k++)
			file->page[k] = (struct fake_page){ .state = RESIDENT, .held = true };
		G.opts = FADVISE_OPT_s;
		G.off = G.len = 0;
		EQ(pc_open(&opened, "onram", 0), 0);
		advise(&opened, "file");
		c = read_claims();
		EQ(c.pages[IGNORED], 10);
		EQ(c.pages[DIRTY] + c.pages[CUT] + c.pages[REST] + c.error, 0);
		EQ(bb_not_done, true);
		pc_close(&opened);
		/* where the node of a device is says nothing about it */
		said[0] = '\0';
		EQ(pc_open(&opened, "onram", 0), 0);
		opened.st.st_rdev = 1;
		advise(&opened, "file");
		c = read_claims();
		EQ(c.pages[IGNORED], 0);
		EQ(c.pages[REST], 10);
		pc_close(&opened);
	}
}

static unsigned event_at;
static enum { DIRTIED, EVICTED, SHRUNK, EVENTS } event;

static void others(unsigned call)
{
	if (call != event_at)
		return;
	for (uint64_t i = 0; i < fake_pages(file); i++) {
		if (event == DIRTIED)
			file->page[i] = (struct fake_page){ .state = RESIDENT, .dirty = true };
		if (event == EVICTED)
			file->page[i] = (struct fake_page){ .state = ABSENT };
	}
	if (event == SHRUNK)
		fake_truncate(file, file->size / 3);
}

/* Status 0 with -s means gone, whatever fails or happens: here at its last look. */
static void gone_or_said(void)
{
	static const int errors[] = { EBADF, EINVAL, EIO, ENOSPC, EPERM, ENOSYS, EAGAIN, ESPIPE };
	struct claim c;

	for (unsigned n = 0; n < 6000; n++) {
		unsigned opening, after;

		machine(any(3));
		opening = fake.calls;
		G.opts |= FADVISE_OPT_s;
		G.off = G.len = 0;
		fake.fail_at = any(2) ? opening + 1 + any(10) : 0;
		fake.fail_error = errors[any(ARRAY_SIZE(errors))];
		event = any(EVENTS);
		event_at = opening + 1 + any(4);
		fake.meanwhile = any(2) ? others : NULL;
		advise(&opened, "file");
		fake.meanwhile = NULL;
		after = count(file, 0, file->size, false);
		c = read_claims();
		CHECK(!after || bb_not_done, "%u pages, %s fails with %s", after,
		      fake.failed, strerror(fake.fail_error));
		CHECK(!bb_not_done || c.error || c.unknown || c.pages[DIRTY] || c.pages[REST],
		      "status 1, and no reason: %s fails with %s", fake.failed,
		      strerror(fake.fail_error));
		pc_close(&opened);
		EQ(fake.leaked, 0);
	}
}

int main(void)
{
	for (ps = 4096; ps <= 65536; ps *= 16) {
		kind = COUNTS;
		isolated(accounts);
		tap("dirty, in part in the range, and the rest");
		kind = PAGES;
		isolated(accounts);
		old_kernel = true;
		isolated(accounts);
		tap("where dirty pages cannot be seen");
		kind = NOTHING;
		isolated(accounts);
		tap("where nothing can be seen");
		isolated(ignored);
		tap("filesystems that ignore it");
		isolated(gone_or_said);
		old_kernel = false;
		isolated(gone_or_said);
		tap("-s: what is not gone is said, though calls fail and others write");
	}
	return tap_end();
}
