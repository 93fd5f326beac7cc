/* SPDX-License-Identifier: 0BSD */
#include "pagecache.h"
#include "child.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"
#include <sys/sysmacros.h>

enum { USER = 1000 };

/* What a machine lets us see, and so what can be promised. */
static const struct mode {
	const char *name;
	bool counts;		/* cachestat answers */
	bool pages;		/* mincore tells the truth */
	int cachestat_error;
	bool overlay, stranger, lenient;
} modes[] = {
	{ "cachestat", true, true, 0, false, false, false },
	{ "before 6.5", false, true, ENOSYS, false, false, false },
	{ "seccomp", false, true, EPERM, false, false, false },
	{ "overlayfs", false, true, 0, true, false, false },
	{ "a stranger", false, false, 0, false, true, false },
	{ "a stranger, 6.5 to 6.12", true, false, 0, false, true, true },
}, *mode = modes;

static uint64_t ps = 4096;
static struct fake_file *file;
static struct pc_file f;
static struct pc_fetch t;
static const char *doing = "";
static uint64_t ticked;

static void tick(uint64_t done)
{
	CHECK(done < file->capacity + ps, "tick: %llu bytes", (unsigned long long)done);
	ticked++;
}

static void machine(uint64_t size, uint64_t cap)
{
	fake_start();
	fake.pagesize = ps;
	fake.cap = cap;
	/* as the kernel shows them: in whole pages */
	fake.read_ahead_kb = fake.max_sectors_kb = (unsigned)(cap / ps * ps >> 10);
	fake.cachestat_error = mode->cachestat_error;
	fake.cachestat_strict = !mode->lenient;
	file = fake_add("file", size);
	if (mode->overlay)
		file->fs_type = KABI_OVERLAYFS_MAGIC;
	if (mode->stranger) {
		fake.euid = USER;
		fake.cap_fowner = false;
	}
}

/* Opens, fetches, closes; returns what pc_fetch did. */
static int fetch(unsigned flags, uint64_t off, uint64_t len)
{
	int r = pc_open(&f, "file", 0);

	CHECK(!r, "%s: pc_open: %d", doing, r);
	if (r)
		return r;
	t = (struct pc_fetch){ .off = off, .len = len, .flags = flags, .tick = tick };
	r = pc_fetch(&f, &t);
	pc_close(&f);
	pc_forked();
	CHECK(!fake.leaked, "%s: %u descriptors open", doing, fake.leaked);
	CHECK(!fake.broken, "%s: %s", doing, fake.broken);
	CHECK(!fake.wrong_opens, "%s: opened what is no file", doing);
	CHECK(fake.calls <= 500 + 8 * file->capacity / ps, "%s: %u calls for %llu pages", doing,
	      fake.calls, (unsigned long long)(file->capacity / ps));
	return r;
}

/* Everything must be there, or on its way. */
static void all_there(int r, unsigned flags)
{
	uint64_t n = flags & PC_WAIT ? fake_not_resident(file) : fake_not_asked(file);

	CHECK(r == 0, "%s: returns %d at byte %llu", doing, r, (unsigned long long)t.error_off);
	CHECK(n == 0, "%s: %llu of %llu pages are not %s", doing, (unsigned long long)n,
	      (unsigned long long)fake_pages(file), flags & PC_WAIT ? "there" : "asked for");
}

static char what[200];

static void say(const char *more, uint64_t size, uint64_t cap, unsigned flags)
{
	snprintf(what, sizeof(what), "%s, %lluK pages, size %llu, cap %lluK%s%s%s", mode->name,
		 (unsigned long long)ps >> 10, (unsigned long long)size,
		 (unsigned long long)cap >> 10, flags & PC_WAIT ? ", waiting" : "",
		 *more ? ", " : "", more);
	doing = what;
}

/* ---- holes and parts that are cached ---- */

enum { LAYOUTS = 7 };

static void lay_out(unsigned layout)
{
	uint64_t size = file->size;

	switch (layout) {
	case 1:	/* a hole in the middle, whose borders lie within pages */
		fake_hole(file, size / 3 / FAKE_BLOCK * FAKE_BLOCK, size / 3);
		break;
	case 2:	/* data and holes in turn, a block each 20 */
		for (uint64_t off = 0; off < size; off += 20 * FAKE_BLOCK)
			fake_hole(file, off + FAKE_BLOCK,
				  off + 20 * FAKE_BLOCK < size ? 19 * FAKE_BLOCK
				  : size > off + FAKE_BLOCK ? size - off - FAKE_BLOCK : 0);
		break;
	case 3:	/* nothing but a hole */
		if (size)
			fake_hole(file, 0, size);
		break;
	case 4:	/* the middle is cached */
		fake_cache(file, size / 4, size / 2, RESIDENT);
		break;
	case 5:	/* every third page is, every third on its way */
		for (uint64_t i = 0; i < fake_pages(file); i++)
			file->page[i].state = i % 3;
		break;
	case 6:	/* all of it is */
		fake_cache(file, 0, size, RESIDENT);
	}
}

/* Counts by what the layout says, before anything is done. */
static void expect(uint64_t *data, uint64_t *was)
{
	*data = *was = 0;
	for (uint64_t i = 0; i < fake_pages(file); i++) {
		if (!fake_has_data(file, i))
			continue;
		*data += ps;
		*was += file->page[i].state == RESIDENT ||
			(mode->counts && file->page[i].state == PENDING) ? ps : 0;
	}
}

static void one_layout(uint64_t size, uint64_t cap, unsigned layout, unsigned flags)
{
	uint64_t data, was;
	char text[20];
	int r;

	machine(size, cap);
	lay_out(layout);
	fake.in_order = cap & 8192;
	expect(&data, &was);
	snprintf(text, sizeof(text), "layout %u", layout);
	say(text, size, cap, flags);
	r = fetch(flags, 0, UINT64_MAX);
	if (flags & PC_DRY) {
		EQ(r, 0);
		CHECK(!fake.readaheads && !fake.preads, "%s: a dry run asks", doing);
	} else {
		all_there(r, flags);
	}
	CHECK(t.data == data, "%s: data %llu instead of %llu", doing, (unsigned long long)t.data,
	      (unsigned long long)data);
	CHECK(t.was_known || !(mode->counts || mode->pages), "%s: was not known", doing);
	CHECK(!t.was_known || mode->counts || mode->pages || !data, "%s: claims to know", doing);
	if (t.was_known && layout != 5) {
		CHECK(t.was == was, "%s: was %llu instead of %llu", doing,
		      (unsigned long long)t.was, (unsigned long long)was);
		CHECK(t.asked / ps == (data - was) / ps, "%s: asked for %llu", doing,
		      (unsigned long long)t.asked);
	}
	if ((flags & PC_WAIT) && !(flags & PC_DRY) && t.now_known)
		CHECK(t.now == data, "%s: now %llu", doing, (unsigned long long)t.now);
	CHECK(!fake.hole_asks, "%s: asked for %u holes", doing, fake.hole_asks);
	if (layout == 6 && (mode->counts || mode->pages))
		CHECK(!fake.readaheads, "%s: %u readaheads", doing, fake.readaheads);
	/* a part cached that is larger than what is looked at in one piece */
	for (uint64_t i = 0; layout == 4 && i < fake_pages(file); i++)
		if (i * ps >= size / 4 + (256 << 10) && (i + 1) * ps + (256 << 10) <= size / 4 * 3)
			CHECK(!file->page[i].asked || !(mode->counts || mode->pages),
			      "%s: page %llu was cached and is asked for", doing,
			      (unsigned long long)i);
}

static void layouts(void)
{
	static const uint64_t sizes[] = { 0, 1, 4095, 4096, 65537, 131072, 1 << 20, (3 << 20) + 5 };
	static const uint64_t caps[] = { 4, 8, 12, 32, 64, 100, 128, 320, 512, 1280, 8192 };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
		for (size_t c = 0; c < ARRAY_SIZE(caps); c++)
			for (unsigned layout = 0; layout < LAYOUTS; layout++)
				for (unsigned flags = 0; flags < 4; flags++)
					one_layout(sizes[s], caps[c] << 10, layout, flags);
}

static void big(void)
{
	for (unsigned flags = 0; flags < 2; flags++)
		for (uint64_t cap = 64 << 10; cap <= 8 << 20; cap *= 2) {
			say("", 64 << 20, cap, flags);
			machine(64 << 20, cap);
			all_there(fetch(flags, 0, UINT64_MAX), flags);
			/* steps as large as they go, and few looks in vain */
			CHECK(!mode->counts || fake.readaheads <= 20 + (80u << 20) /
			      MIN(cap, 2u << 20), "%s: %u readaheads", doing, fake.readaheads);
			CHECK(!mode->counts || fake.vain_asks <= 6 + fake.readaheads / 16,
			      "%s: %u readaheads in vain", doing, fake.vain_asks);
		}
}

static void ranges(void)
{
	static const uint64_t size = 40 * 65536 + 17;
	const uint64_t offs[] = { 0, 1, 4096, 65536, 100000, 20 * 65536, size - 1, size, size + 1,
		UINT64_MAX };
	const uint64_t lens[] = { 0, 1, 4096, 65536, 300001, size, UINT64_MAX };

	for (size_t o = 0; o < ARRAY_SIZE(offs); o++)
		for (size_t l = 0; l < ARRAY_SIZE(lens); l++)
			for (unsigned flags = 0; flags < 2; flags++) {
				uint64_t off = offs[o], len = lens[l], end;

				machine(size, 128 << 10);
				say("a range", size, 128 << 10, flags);
				EQ(fetch(flags, off, len), 0);
				off = MIN(off, size);
				end = off + MIN(len, size - off);
				for (uint64_t i = 0; i < fake_pages(file); i++) {
					bool in = off < end && i * ps < end && (i + 1) * ps > off;
					bool got = file->page[i].state != ABSENT;

					CHECK(in == got, "%s: %llu+%llu: page %llu", doing,
					      (unsigned long long)offs[o],
					      (unsigned long long)lens[l], (unsigned long long)i);
				}
				if (off == end)
					CHECK(!t.data && !t.asked, "%s: %llu+%llu: data", doing,
					      (unsigned long long)offs[o],
					      (unsigned long long)lens[l]);
			}
}

/* ---- where readahead does nothing ---- */

static void noop(void)
{
	enum { JFFS2, UBIFS, BDI_0, BDI_0_DISK, REFUSED, SILENT, CASES };

	for (int how = 0; how < CASES; how++)
		for (unsigned flags = 0; flags < 2; flags++) {
			char text[40];

			machine(1000000, 128 << 10);
			fake.pread_max = how * 5000;
			fake.readahead_noop = true;
			switch (how) {
			case JFFS2: file->fs_type = KABI_JFFS2_MAGIC; break;
			case UBIFS: file->fs_type = KABI_UBIFS_MAGIC; break;
			case BDI_0: file->dev = makedev(0, minor(file->dev)); /* fall through */
			case BDI_0_DISK: fake.read_ahead_kb = fake.max_sectors_kb = 0; break;
			case REFUSED: fake.readahead_error = EINVAL; break;
			}
			snprintf(text, sizeof(text), "no readahead (%d)", how);
			say(text, 1000000, 0, flags);
			/* when nothing tells, only waiting finds out */
			if (how == SILENT && !mode->counts && !flags)
				EQ(fetch(flags, 0, UINT64_MAX), 0);
			else
				all_there(fetch(flags, 0, UINT64_MAX), flags);
		}
}

static void no_sysfs(void)
{
	for (unsigned flags = 0; flags < 2; flags++) {
		machine(1000000, 128 << 10);
		fake.no_sysfs = true;
		say("no sysfs", 1000000, 128 << 10, flags);
		all_there(fetch(flags, 0, UINT64_MAX), flags);
		machine(1000000, 64 << 10);
		fake.partition = true;
		say("a partition", 1000000, 64 << 10, flags);
		all_there(fetch(flags, 0, UINT64_MAX), flags);
		machine(1000000, 64 << 10);
		fake.seek_unsupported = true;
		say("no SEEK_DATA", 1000000, 64 << 10, flags);
		all_there(fetch(flags, 0, UINT64_MAX), flags);
	}
	/* without sysfs a smaller limit is not known, but waiting loads all the same */
	machine(1000000, 16 << 10);
	fake.no_sysfs = true;
	say("no sysfs", 1000000, 16 << 10, PC_WAIT);
	all_there(fetch(PC_WAIT, 0, UINT64_MAX), PC_WAIT);
}

static void never_cached(void)
{
	for (unsigned flags = 0; flags < 2; flags++) {
		int r;

		machine(100, 128 << 10);
		file->never_cached = true;
		say("inline data", 100, 128 << 10, flags);
		EQ(fetch(flags, 0, UINT64_MAX), 0);
		machine(1 << 20, 128 << 10);
		file->never_cached = true;
		say("never cached", 1 << 20, 128 << 10, flags);
		r = fetch(flags, 0, UINT64_MAX);
		CHECK(r == (flags && (mode->counts || mode->pages) ? -PC_ENOCACHE : 0) ||
		      r == (flags ? -PC_EEVICTED : 0), "%s: %d", doing, r);
	}
}

/* All is on its way already, and comes when waited for. */
static void in_flight(void)
{
	for (int order = 0; order < 2; order++) {
		machine(3 << 20, 128 << 10);
		fake_cache(file, 0, 3 << 20, PENDING);
		fake.io_delay = -1u;
		fake.in_order = order;
		say("in flight", 3 << 20, 128 << 10, PC_WAIT);
		all_there(fetch(PC_WAIT, 0, UINT64_MAX), PC_WAIT);
	}
}

static void partial(void)
{
	for (int old = 0; old < 2; old++) {
		machine(1 << 20, 128 << 10);
		fake_cache(file, 0, 1 << 20, RESIDENT);
		file->page[3].state = file->page[fake_pages(file) - 1].state = PENDING;
		file->page[3].partial = file->page[fake_pages(file) - 1].partial = true;
		fake.populate_error = old ? EINVAL : 0;
		say("pages in part up to date", 1 << 20, 128 << 10, PC_WAIT);
		EQ(fetch(PC_WAIT, 0, UINT64_MAX), 0);
		if (mode->pages)
			EQ(fake_not_resident(file), 0);
		CHECK(old || !fake.drops, "%s: %u pages dropped", doing, fake.drops);
		CHECK(fake.drops <= 2, "%s: %u pages dropped", doing, fake.drops);
	}
}

/* ---- errors of the medium ---- */

static void bad_pages(void)
{
	static const uint64_t size = 700000;
	uint64_t n = (size + ps - 1) / ps;
	const uint64_t at[] = { 0, 1, n / 2, n - 1 };

	for (size_t i = 0; i < ARRAY_SIZE(at); i++)
		for (unsigned flags = 0; flags < 2; flags++)
			for (int how = 0; how < 3; how++) {
				uint64_t others;
				int r;

				machine(size, 32 << 10);
				file->page[at[i]].bad = true;
				file->page[MIN(at[i] + 1, n - 1)].bad |= how == 2;
				fake.readahead_noop = how == 1;
				fake.readahead_error = how == 2 ? EINVAL : 0;
				say("EIO", size, 32 << 10, flags);
				r = fetch(flags, 0, UINT64_MAX);
				CHECK(r == -EIO || (!flags && r == 0), "%s: %d", doing, r);
				if (r)
					CHECK(t.error_off / ps == at[i], "%s: page %llu instead of "
					      "%llu, the first", doing,
					      (unsigned long long)(t.error_off / ps),
					      (unsigned long long)at[i]);
				others = flags ? fake_not_resident(file) : fake_not_asked(file);
				/* without looking, a silent no-op is not found out */
				if (flags || how != 1 || mode->counts)
					CHECK(others <= 1 + (how == 2),
					      "%s (%d): %llu of page %llu on are missing",
					      doing, how,
					      (unsigned long long)others,
					      (unsigned long long)at[i]);
				if (flags && t.now_known)
					CHECK(t.now <= t.data - ps, "%s: a bad page is resident",
					      doing);
			}
}

/* ---- what others do meanwhile ---- */

static unsigned at_call, last_call;
static uint64_t new_size, evicted_page;

static void shrink(unsigned call)
{
	if (call == at_call)
		fake_truncate(file, new_size);
}

static void shrinks(void)
{
	static const uint64_t size = 600000, sizes[] = { 0, 1, 70000, 131072, 590000 };

	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
		for (unsigned flags = 0; flags < 2; flags++)
			for (at_call = 1; ; at_call++) {
				int r;

				machine(size, 64 << 10);
				new_size = sizes[s];
				fake.meanwhile = shrink;
				say("shrinks", size, 64 << 10, flags);
				r = fetch(flags, 0, UINT64_MAX);
				fake.meanwhile = NULL;
				CHECK(r == 0 || r == -PC_ESHRUNK, "%s to %llu at call %u: %d",
				      doing, (unsigned long long)new_size, at_call, r);
				/* while it is opened, and behind the last look, it is no matter */
				CHECK(!flags || r || at_call < 8 || at_call + 1 >= fake.calls,
				      "%s to %llu at call %u of %u: not said", doing,
				      (unsigned long long)new_size, at_call, fake.calls);
				CHECK(!(flags ? fake_not_resident(file) : fake_not_asked(file)),
				      "%s to %llu at call %u: not all there", doing,
				      (unsigned long long)new_size, at_call);
				if (fake.calls < at_call)
					break;
			}
}

static void evict_one(unsigned call)
{
	if (call == at_call && file->page[evicted_page].state != ABSENT) {
		file->page[evicted_page].state = ABSENT;
		last_call = call;
	}
}

/* One page is lost at any time: found out while something still looks. */
static void one_evicted(void)
{
	static const uint64_t size = 600000;

	for (evicted_page = 0; evicted_page * ps < size; evicted_page += 1 + 40 * 4096 / ps)
		for (unsigned flags = 0; flags < 2; flags++)
			for (at_call = 1; ; at_call++) {
				uint64_t n;
				int r;

				machine(size, 64 << 10);
				last_call = 0;
				fake.meanwhile = evict_one;
				say("one page is evicted", size, 64 << 10, flags);
				r = fetch(flags, 0, UINT64_MAX);
				fake.meanwhile = NULL;
				n = flags ? fake_not_resident(file) : fake_not_asked(file);
				CHECK(r == 0 || (flags && r == -PC_EEVICTED), "%s at call %u: %d",
				      doing, at_call, r);
				CHECK(n <= (last_call != 0), "%s at call %u: %llu missing", doing,
				      at_call, (unsigned long long)n);
				if (fake.calls < at_call)
					break;
			}
}

static uint64_t memory;	/* pages */

static void reclaim(unsigned call)
{
	static uint64_t hand;
	uint64_t n = fake_pages(file), cached = n - fake_count(file, ABSENT);

	(void)call;
	for (; cached > memory; hand++)
		if (file->page[hand % n].state == RESIDENT ||
		    (file->page[hand % n].state == PENDING && !memory)) {
			file->page[hand % n].state = ABSENT;
			cached--;
		} else if (hand % n == 0 && !fake_count(file, RESIDENT)) {
			return;
		}
}

static void small_memory(void)
{
	static const uint64_t size = 8 << 20;

	for (memory = (2 << 20) / ps; memory <= (6 << 20) / ps; memory += (2 << 20) / ps)
		for (unsigned flags = 0; flags < 2; flags++) {
			int r;

			machine(size, 128 << 10);
			fake.io_delay = 1;
			fake.meanwhile = reclaim;
			say("larger than memory", size, 128 << 10, flags);
			r = fetch(flags, 0, UINT64_MAX);
			fake.meanwhile = NULL;
			if (!flags) {
				EQ(r, 0);
				continue;
			}
			CHECK(r == -PC_EEVICTED || (!mode->pages && !mode->counts && !r),
			      "%s: %d", doing, r);
			CHECK(!t.now_known || t.now <= (memory + 40) * ps, "%s: now %llu", doing,
			      (unsigned long long)t.now);
		}
	/* nothing stays at all */
	memory = 0;
	for (unsigned flags = 0; flags < 2; flags++) {
		int r;

		machine(1 << 20, 128 << 10);
		fake.meanwhile = reclaim;
		say("no memory at all", 1 << 20, 128 << 10, flags);
		r = fetch(flags, 0, UINT64_MAX);
		CHECK(!flags || r || (!mode->pages && !mode->counts), "%s: claims success", doing);
	}
}

static uint64_t seed;

/* Another process reads here and there, so that a step may look whole that was not. */
static void read_beside(unsigned call)
{
	uint64_t n = fake_pages(file);

	for (unsigned i = 0; i < call % 7; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		fake_cache(file, (seed >> 33) % n * ps, (seed >> 20) % 40 * ps + 1, RESIDENT);
	}
}

static void other_reader(void)
{
	for (seed = 0; seed < 20; seed++) {
		uint64_t s = seed;

		for (unsigned flags = 0; flags < 2; flags++) {
			machine(16 << 20, 128 << 10);
			fake.meanwhile = read_beside;
			say("another reader", 16 << 20, 128 << 10, flags);
			all_there(fetch(flags, 0, UINT64_MAX), flags);
		}
		seed = s;
	}
}

static void lower_cap(unsigned call)
{
	if (call == at_call)
		fake.cap = fake.cap / 8;
}

static void stop_cachestat(unsigned call)
{
	if (call == at_call)
		fake.cachestat_error = EPERM;
}

static void changes(void)
{
	for (at_call = 1; at_call < 100; at_call++)
		for (unsigned flags = 0; flags < 2; flags++) {
			if (mode->counts || flags) {
				machine(4 << 20, 1 << 20);
				fake.meanwhile = lower_cap;
				say("the limit is lowered", 4 << 20, 1 << 20, flags);
				all_there(fetch(flags, 0, UINT64_MAX), flags);
			}
			machine(4 << 20, 256 << 10);
			lay_out(5);
			fake.meanwhile = stop_cachestat;
			say("cachestat ceases", 4 << 20, 256 << 10, flags);
			all_there(fetch(flags, 0, UINT64_MAX), flags);
		}
}

/* ---- every call fails with every error ---- */

static void faults(void)
{
	static const int errors[] = { EIO, EINVAL, ENOMEM, EPERM, ENOSYS, EAGAIN, EBADF, EFAULT };

	for (unsigned flags = 0; flags < 4; flags++)
		for (int noop_ = 0; noop_ < 2; noop_++)
			for (size_t e = 0; e < ARRAY_SIZE(errors); e++)
				for (unsigned k = 1;; k++) {
					uint64_t missing;
					int r;

					machine(400000, 128 << 10);
					lay_out(5);
					fake_hole(file, 81920, 40960);
					fake.readahead_noop = noop_;
					if (noop_)
						file->fs_type = KABI_UBIFS_MAGIC;
					say("a call fails", 400000, 128 << 10, flags);
					pc_open(&f, "file", 0);
					t = (struct pc_fetch){ .len = UINT64_MAX, .flags = flags };
					fake.fail_at = fake.calls + k;
					fake.fail_error = errors[e];
					r = pc_fetch(&f, &t);
					pc_close(&f);
					CHECK(!fake.leaked, "%s: %s: leak", doing, fake.failed);
					missing = flags & PC_WAIT ? fake_not_resident(file)
						: fake_not_asked(file);
					CHECK(r == 0 || r == -errors[e], "%s: %s %u: %d for %s",
					      doing, fake.failed, k, r, strerror(errors[e]));
					if (!(flags & PC_DRY))
						CHECK(missing <= (r != 0) * (16384 / ps + 1),
						      "%s: %s %u: %s: returns %d, %llu missing",
						      doing, fake.failed, k, strerror(errors[e]), r,
						      (unsigned long long)missing);
					pc_forked();
					if (!fake.failed)
						break;
				}
}

static void device(void)
{
	for (unsigned flags = 0; flags < 2; flags++) {
		machine(4 << 20, 128 << 10);
		file->mode = S_IFBLK | 0600;
		file->rdev = fake.allowed_dev = makedev(8, 77);
		say("a block device", 4 << 20, 128 << 10, flags);
		EQ(pc_open(&f, "file", PC_BLKDEV), 0);
		t = (struct pc_fetch){ .off = 5000, .len = UINT64_MAX, .flags = flags };
		EQ(pc_fetch(&f, &t), 0);
		fake_cache(file, 0, 1, RESIDENT);
		if (ps > 4096 || file->page[0].state)
			file->page[0].state = RESIDENT;
		CHECK(!(flags ? fake_not_resident(file) : fake_not_asked(file)), "%s: not all",
		      doing);
		pc_close(&f);
		pc_forked();
	}
}

static void point(const char *name, void (*fn)(void), bool all_pages)
{
	char text[120];

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		mode = &modes[m];
		for (ps = 4096; ps <= (all_pages ? 65536 : 4096); ps *= 4)
			isolated(fn);
		ps = 4096;
		snprintf(text, sizeof(text), "%s: %s", name, mode->name);
		tap(text);
	}
}

int main(void)
{
	point("every limit, size, layout and flag", layouts, true);
	point("64 MiB in few steps", big, true);
	point("ranges", ranges, true);
	point("where readahead does nothing, it reads", noop, true);
	point("no sysfs, a partition, no SEEK_DATA", no_sysfs, true);
	point("what is never cached", never_cached, true);
	point("waits for what others asked for", in_flight, true);
	point("pages in part up to date", partial, false);
	point("pages that cannot be read", bad_pages, true);
	point("the file shrinks between any two calls", shrinks, true);
	point("a page is evicted between any two calls", one_evicted, true);
	point("larger than memory", small_memory, false);
	point("another process reads the same file", other_reader, false);
	point("limit lowered, or cachestat ceasing, between any two calls", changes, false);
	point("every call fails with every error", faults, true);
	mode = modes;
	isolated(device);
	tap("a block device");
	return tap_end();
}
