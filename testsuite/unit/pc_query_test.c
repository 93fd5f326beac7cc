/* SPDX-License-Identifier: 0BSD */
#include "pagecache.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"
#include <sys/sysmacros.h>

enum { USER = 1000 };

static uint64_t ps;
static const struct mode *mode;

/* Machines, and what they can tell: of each page whether it is cached, at least UP_TO_DATE,
 * or nothing. */
static const struct mode {
	const char *name;
	enum { COUNTS, PAGES, NOTHING } tells;
	bool runs;		/* pc_missing tells */
	bool stranger, writable, honest, lenient, overlay, no_proc, namespace;
	int cachestat_error, mincore_error;
} modes[] = {
	{ .name = "cachestat", .tells = COUNTS, .runs = true },
	{ .name = "before 6.5", .tells = PAGES, .runs = true, .cachestat_error = ENOSYS },
	{ .name = "seccomp", .tells = PAGES, .runs = true, .cachestat_error = EPERM },
	{ .name = "hugetlbfs", .tells = PAGES, .runs = true, .cachestat_error = EOPNOTSUPP },
	{ .name = "overlayfs", .tells = PAGES, .runs = true, .overlay = true },
	{ .name = "a stranger", .tells = NOTHING, .stranger = true },
	{ .name = "a stranger, 6.5 to 6.12", .tells = COUNTS, .stranger = true, .lenient = true },
	{ .name = "a stranger on overlayfs", .tells = NOTHING, .stranger = true, .overlay = true },
	{ .name = "a stranger who may write", .tells = COUNTS, .runs = true, .stranger = true,
	  .writable = true },
	{ .name = "a stranger who may write, before 6.5", .tells = PAGES, .runs = true,
	  .stranger = true, .writable = true, .cachestat_error = ENOSYS },
	{ .name = "a stranger, before 6.5, no /proc", .tells = NOTHING, .stranger = true,
	  .no_proc = true, .cachestat_error = ENOSYS },
	{ .name = "root of a user namespace, another's file", .tells = NOTHING, .stranger = true,
	  .namespace = true },
	{ .name = "no mincore", .tells = COUNTS, .mincore_error = ENOSYS },
	{ .name = "neither", .tells = NOTHING, .cachestat_error = ENOSYS, .mincore_error = EAGAIN },
};

static struct fake_file *machine(struct pc_file *f, uint64_t size)
{
	struct fake_file *file;

	fake_start();
	fake.pagesize = ps;
	fake.io_delay = -1u;
	file = fake_add("file", size);
	if (mode->stranger) {
		fake.euid = mode->namespace ? 0 : USER;
		fake.cap_fowner = fake.user_namespace = mode->namespace;
		file->uid = mode->namespace ? 65534 : 0;
	}
	file->writable = mode->writable;
	fake.mincore_honest = mode->honest;
	fake.cachestat_strict = !mode->lenient;
	fake.no_proc = mode->no_proc;
	fake.cachestat_error = mode->cachestat_error;
	fake.mincore_error = mode->mincore_error;
	if (mode->overlay)
		file->fs_type = KABI_OVERLAYFS_MAGIC;
	EQ(pc_open(f, "file", 0), 0);
	return file;
}

static void fill(struct fake_file *file, unsigned pattern)
{
	uint64_t n = fake_pages(file);

	for (uint64_t i = 0; i < n; i++)
		file->page[i].state = pattern == 0 ? ABSENT : pattern == 1 ? RESIDENT
			: pattern == 2 ? (i / 3 % 2 ? RESIDENT : ABSENT)
			: pattern == 3 ? i % 3
			: i == n - 1 ? RESIDENT : ABSENT;
}
enum { PATTERNS = 5 };

static void query(struct pc_file *f, const struct fake_file *file, uint64_t off, uint64_t len)
{
	struct pc_pages p;
	enum pc_source source = pc_query(f, off, len, &p);
	uint64_t end = len > file->size - off ? file->size : off + len;
	uint64_t first = off / ps, total, cached = 0, up_to_date = 0;

	if (off >= file->size || !len)
		return;
	total = (end - 1) / ps - first + 1;
	for (uint64_t i = first; i < first + total; i++) {
		cached += file->page[i].state != ABSENT;
		up_to_date += file->page[i].state == RESIDENT;
	}
	CHECK(p.total == total, "total %llu instead of %llu", (unsigned long long)p.total,
	      (unsigned long long)total);
	switch (mode->tells) {
	case COUNTS:
		EQ(source, PC_CACHESTAT);
		EQ(p.resident, cached);
		break;
	case PAGES:
		EQ(source, PC_MINCORE);
		EQ(p.resident, up_to_date);
		EQ(p.dirty + p.writeback + p.evicted + p.recently_evicted, 0);
		break;
	case NOTHING:
		EQ(source, PC_UNKNOWN);
	}
}

/* All runs of pages that are not resident; or, with pc_resident, of those that are. */
static void runs(struct pc_file *f, const struct fake_file *file, uint64_t from, uint64_t end,
	int (*next)(struct pc_file *, uint64_t *, uint64_t, uint64_t *))
{
	bool resident = next == pc_resident;
	uint64_t off = from, len = 0, i = from / ps;
	int r;

	if (!mode->runs) {
		r = next(f, &off, end, &len);
		CHECK(r < 0 || !file->size, "claims to know");
		return;
	}
	while ((r = next(f, &off, end, &len)) == 1) {
		CHECK(off % ps == 0 && len % ps == 0 && len, "run %llu+%llu",
		      (unsigned long long)off, (unsigned long long)len);
		for (; i < off / ps; i++)
			EQ(file->page[i].state == RESIDENT, !resident);
		for (; i < (off + len) / ps; i++)
			EQ(file->page[i].state == RESIDENT, resident);
		off += len;
	}
	EQ(r, 0);
	for (; i < fake_pages(file) && i * ps < end; i++)
		EQ(file->page[i].state == RESIDENT, !resident);
}

static void queries(void)
{
	const uint64_t sizes[] = { 0, 1, ps - 1, ps, ps + 1, 10 * ps + 5, 20000 * ps };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		const uint64_t offs[] = {
			0, 1, ps, 3 * ps + 7, sizes[s] - 1, sizes[s], UINT64_MAX,
		};
		const uint64_t lens[] = { 0, 1, ps, 2 * ps + 1, sizes[s], UINT64_MAX };

		for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
			struct pc_file f;
			struct fake_file *file = machine(&f, sizes[s]);

			fill(file, pattern);
			for (size_t o = 0; o < ARRAY_SIZE(offs); o++) {
				for (size_t l = 0; l < ARRAY_SIZE(lens); l++)
					query(&f, file, offs[o], lens[l]);
							if (offs[o] >= sizes[s])
					continue;
				runs(&f, file, offs[o], sizes[s], pc_missing);
				runs(&f, file, offs[o], sizes[s], pc_resident);
			}
			runs(&f, file, 0, UINT64_MAX, pc_missing);
			runs(&f, file, 0, UINT64_MAX, pc_resident);
			CHECK(fake.largest_window <= 128 << 20, "mincore of %llu bytes at once",
			      (unsigned long long)fake.largest_window);
			pc_close(&f);
			EQ(fake.leaked, 0);
			CHECK(!fake.broken, "%s", fake.broken);
			pc_forked();
		}
	}
}

static void empty_ranges(void)
{
	const uint64_t offs[] = { 0, 1, ps, 10 * ps, 10 * ps + 5, 10 * ps + 6, UINT64_MAX };

	for (size_t i = 0; i < ARRAY_SIZE(offs); i++) {
		struct pc_file f;
		struct pc_pages p;

		fake_cache(machine(&f, 10 * ps + 5), 0, UINT32_MAX, RESIDENT);
		pc_query(&f, offs[i], 0, &p);
		CHECK(!p.total && !p.resident, "off %llu", (unsigned long long)offs[i]);
		if (offs[i] >= 10 * ps + 5) {
			pc_query(&f, offs[i], UINT64_MAX, &p);
			CHECK(!p.total && !p.resident, "from %llu", (unsigned long long)offs[i]);
		}
		pc_close(&f);
		pc_forked();
	}
}

static void dirty(void)
{
	struct pc_file f;
	struct pc_pages p;
	struct fake_file *file = machine(&f, 10 * ps);

	fake_cache(file, 0, 5 * ps, RESIDENT);
	file->page[1].dirty = file->page[2].dirty = file->page[4].dirty = true;
	EQ(pc_query(&f, 0, UINT64_MAX, &p), PC_CACHESTAT);
	EQ(p.dirty, 3);
	EQ(pc_query(&f, 2 * ps, 2 * ps, &p), PC_CACHESTAT);
	EQ(p.dirty, 1);
	pc_close(&f);
}

static void device(void)
{
	for (int no = 0; no < 2; no++) {
		struct pc_file f;
		struct pc_pages p;
		struct fake_file *file;
		uint64_t off = 0, len;

		fake_start();
		fake.pagesize = ps;
		fake.cachestat_error = no ? EPERM : 0;
		fake.allowed_dev = makedev(8, 0);
		file = fake_add("disk", 100 * ps);
		file->mode = S_IFBLK | 0600;
		file->rdev = makedev(8, 0);
		fake_cache(file, 0, 7 * ps, RESIDENT);
		EQ(pc_open(&f, "disk", PC_BLKDEV), 0);
		EQ(pc_query(&f, 0, UINT64_MAX, &p), no ? PC_UNKNOWN : PC_CACHESTAT);
		EQ(p.total, 100);
		if (!no)
			EQ(p.resident, 7);
		/* buffers of a mounted filesystem are not seen by mincore */
		CHECK(pc_missing(&f, &off, UINT64_MAX, &len) < 0, "claims to know");
		pc_close(&f);
		pc_forked();
	}
}

/* Every page with data that is absent is in one run, and nothing else but the end of a page is. */
static void holes(void)
{
	for (unsigned pattern = 0; pattern < 64; pattern++)
		for (unsigned dumb = 0; dumb < 2; dumb++) {
			struct pc_file f;
			struct fake_file *file = machine(&f, 200 * ps - 5);
			uint64_t off = 0, len, i = 0;
			int r;

			fake.seek_unsupported = dumb;
			fake_hole(file, 3 * ps, pattern % 8 * ps);
			fake_hole(file, 20 * ps + FAKE_BLOCK, pattern / 8 * ps);
			fake_hole(file, 150 * ps, pattern % 2 * 49 * ps);
			fake_cache(file, 5 * ps, pattern % 5 * 10 * ps, RESIDENT);
			fake_cache(file, 100 * ps, ps, PENDING);
			while ((r = pc_missing_data(&f, &off, &len)) == 1) {
				CHECK(len && off >= i * ps, "%u: again", pattern);
				for (; i < off / ps; i++)
					CHECK(file->page[i].state == RESIDENT
						|| (!dumb && !fake_has_data(file, i)),
						"%u: page %u is missing", pattern, (unsigned)i);
				for (; i < (off + len + ps - 1) / ps; i++) {
					CHECK(file->page[i].state != RESIDENT, "%u: page %u is not",
						pattern, (unsigned)i);
					CHECK(dumb || fake_has_data(file, i), "%u: page %u: a hole",
						pattern, (unsigned)i);
				}
				off += len;
			}
			EQ(r, 0);
			for (; i < fake_pages(file); i++)
				CHECK(file->page[i].state == RESIDENT
					|| (!dumb && !fake_has_data(file, i)), "%u: end", pattern);
			pc_close(&f);
			pc_forked();
		}
}

static void faults(void)
{
	static const int errors[] = { EAGAIN, EFAULT, ENOMEM, EBADF, EPERM, EOPNOTSUPP };

	for (size_t e = 0; e < ARRAY_SIZE(errors); e++)
		for (unsigned k = 1; k < 100; k++) {
			struct pc_file f;
			struct pc_pages p;
			struct fake_file *file = machine(&f, 9000 * ps);
			uint64_t off = 0, len;
			enum pc_source source;
			int r;

			fill(file, 2);
			fake.fail_at = fake.calls + k;
			fake.fail_error = errors[e];
			source = pc_query(&f, 0, UINT64_MAX, &p);
			CHECK(source == PC_UNKNOWN || p.resident == 4500,
			      "%s %u fails: wrong count", fake.failed, k);
			EQ(p.total, 9000);
			while ((r = pc_missing(&f, &off, UINT64_MAX, &len)) == 1)
				off += len;
			CHECK(r <= 0, "returns %d", r);
			if (!r)
				EQ(off, 8997 * ps);
			pc_close(&f);
			EQ(fake.leaked, 0);
			pc_forked();
			if (!fake.failed)
				break;
		}
}

int main(void)
{
	char text[100];

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		mode = &modes[m];
		for (ps = 4096; ps <= 65536; ps *= 4)
			isolated(queries);
		ps = 4096;
		isolated(faults);
		snprintf(text, sizeof(text), "counts and runs: %s", mode->name);
		tap(text);
	}
	mode = &modes[0];
	for (ps = 4096; ps <= 65536; ps *= 4)
		isolated(holes);
	ps = 4096;
	tap("what is missing and no hole");
	isolated(empty_ranges);
	tap("an empty range has no pages");
	isolated(dirty);
	tap("dirty pages are counted");
	isolated(device);
	tap("a block device: cachestat or unknown");
	return tap_end();
}
