/* SPDX-License-Identifier: 0BSD */
/* pc_fetch.c - brings a range of a file into the page cache, all of it.
 *
 * One readahead(2) is cut to max(read_ahead_kb, max_sectors_kb) of the device, in silence
 * (force_page_cache_ra() in mm/readahead.c). So the range is asked for in steps. Where
 * cachestat(2) tells the truth each step is looked at, and halved and asked again when it came
 * short: a limit learned once would be wrong as soon as somebody else reads the same file.
 * Elsewhere the steps stay below what sysfs says the limit is. */

#include <sys/sysmacros.h>

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

#define STEP_MAX (2u << 20)	/* bytes; larger requests gain nothing */
#define STEP_BLIND (128u << 10)	/* bytes, where a step cannot be looked at */
#define SPLIT_MIN (128u << 10)	/* bytes; a smaller part that is cached is not looked for */
#define WAIT_STRIDE (1u << 20)	/* bytes; one small read each waits for most pages */
#define COMPLETE_MAX (64u << 10)	/* bytes; a larger part missing was evicted */
#define STEPS_TO_GROW 64
#define GENTLE_MAX (4u << 20)	/* bytes in flight with PC_GENTLE, */
#define GENTLE_EACH (32u << 10)	/* where a request counts so many more */

struct job {
	struct pc_file *f;
	struct pc_fetch *t;
	uint64_t start, end;	/* whole pages, but the end of the file */
	uint64_t step;
	unsigned good;		/* steps in a row that were taken whole */
	bool reads;		/* readahead does nothing here */
	bool uncached;		/* neither does reading */
	bool shrunk;
	bool has_waited;	/* for all that could be looked at, */
	bool has_read;		/* or read all, because of */
	bool cannot_look;	/* whether a page is up to date cannot be known */
	uint64_t missing;	/* bytes, at the end */
	uint64_t unreadable;	/* bytes, at the last reading */
	int error;
};

static struct {
	dev_t dev;
	uint64_t step;		/* that went through last; 0: none */
	uint64_t blind;		/* the limit that sysfs tells */
	bool blind_known;
} device;

static void failed(struct job *j, int error, uint64_t off)
{
	if (!j->error || off < j->t->error_off) {
		j->error = error;
		j->t->error_off = off;
	}
}

static bool shrank(struct job *j)
{
	struct stat st;

	if (!S_ISREG(j->f->st.st_mode) || sys_fstat(j->f->fd, &st)
			|| (uint64_t)st.st_size >= j->f->size)
		return false;
	j->f->size = (uint64_t)st.st_size;
	j->shrunk = true;
	return true;
}

/* Returns the number in a file below /sys, or -errno. */
static int64_t sysfs_number(const char *dir, dev_t dev, const char *name)
{
	char buf[96];
	const char *p = buf;
	uint64_t v;
	ssize_t n;

	bb_snprintf(buf, sizeof(buf), "/sys/%s/%u:%u/%s", dir, major(dev), minor(dev), name);
	n = pc_system_read(buf, buf, sizeof(buf));
	if (n < 0)
		return n;
	n = bb_parse_u64(&p, &v);
	return n ? n : (int64_t)MIN(v, INT32_MAX);
}

int64_t pc_queue_number(dev_t dev, const char *name)
{
	char path[48];
	int64_t v;

	/* a partition's queue is its disk's */
	bb_snprintf(path, sizeof(path), "../queue/%s", name);
	v = sysfs_number("dev/block", dev, path + 3);
	return v < 0 ? sysfs_number("dev/block", dev, path) : v;
}

bool pc_seeks(dev_t dev)
{
	static dev_t last;
	static bool known, seeks;

	if (!known || dev != last)
		seeks = pc_queue_number(dev, "rotational") != 0;
	known = true;
	last = dev;
	return seeks;
}

/* The most that one readahead(2) loads from the device, but not more than STEP_BLIND, which is
 * also the answer where there is no sysfs. 0: it loads nothing. */
static uint64_t blind_step(void)
{
	int64_t kb;

	if (device.blind_known)
		return device.blind;
	device.blind_known = true;
	if (major(device.dev))
		kb = MAX(pc_queue_number(device.dev, "read_ahead_kb"),
			pc_queue_number(device.dev, "max_sectors_kb"));
	else	/* no block device: NFS, FUSE, UBIFS */
		kb = sysfs_number("class/bdi", device.dev, "read_ahead_kb");
	device.blind = kb < 0 ? STEP_BLIND : MIN((uint64_t)kb << 10, STEP_BLIND);
	if (device.blind && device.blind < pc_pagesize())
		device.blind = pc_pagesize();
	return device.blind;
}

/* Loads by reading, which waits. Goes on behind a page that cannot be read. */
static void read_in(struct job *j, uint64_t at, uint64_t end)
{
	static char buf[16384];
	uint64_t ps = pc_pagesize();

	/* What has a size but no blocks is not on a medium (sysfs) and reading it may do things;
	 * some FUSE daemons do not count blocks. */
	if (!j->f->st.st_blocks && S_ISREG(j->f->st.st_mode) && pc_type_is_foreign(j->f->fs_type)
			&& j->f->fs_type != KABI_FUSE_MAGIC) {
		j->uncached = true;
		return;
	}
	end = MIN(end, j->f->size);
	while (at < end) {
		ssize_t n = sys_pread(j->f->fd, buf, MIN(sizeof(buf), end - at), at);

		if (n < 0) {
			failed(j, (int)n, at);
			j->unreadable += ps;
			at += ps - at % ps;
		} else if (n == 0) {
			shrank(j);
			return;
		}
		at += n > 0 ? (uint64_t)n : 0;
	}
}

/* After n bytes more were asked for, the last of them before at. */
static void be_gentle(struct job *j, uint64_t at, uint64_t n)
{
	static uint64_t in_flight;	/* over all files */
	char c;

	if (!(j->t->flags & PC_GENTLE))
		return;
	in_flight += n + GENTLE_EACH;
	if (in_flight < GENTLE_MAX)
		return;
	in_flight = 0;
	sys_pread(j->f->fd, &c, 1, at - 1);
}

static void ask_blind(struct job *j, uint64_t at, uint64_t end)
{
	uint64_t step = blind_step();

	if (!step || j->f->fs_type == KABI_JFFS2_MAGIC || j->f->fs_type == KABI_UBIFS_MAGIC)
		j->reads = true;
	while (at < end && !j->uncached) {
		uint64_t n = MIN(j->reads ? STEP_BLIND : step, end - at);

		if (!j->reads && sys_readahead(j->f->fd, at, (size_t)n))
			j->reads = true;
		if (j->reads)
			read_in(j, at, at + n);
		at += n;
		be_gentle(j, at, n);
		if (j->t->tick)
			j->t->tick(at - j->start);
	}
}

/* A page that readahead did not take: is it a page that reading brings in? */
static void try_reading(struct job *j, uint64_t at)
{
	uint64_t unreadable = j->unreadable;
	struct pc_pages p;

	read_in(j, at, at + pc_pagesize());
	if (j->unreadable == unreadable && !j->uncached
			&& pc_query(j->f, at, 1, &p) == PC_CACHESTAT && p.total) {
		if (p.resident)
			j->reads = true;
		else
			j->uncached = true;
	}
}

static void ask_looking(struct job *j, uint64_t at, uint64_t end)
{
	uint64_t ps = pc_pagesize();

	while (at < end && !j->uncached) {
		uint64_t n = MIN(j->reads ? STEP_MAX : j->step, end - at);
		struct pc_pages p;

		if (j->reads) {
			read_in(j, at, at + n);
			at += n;
		} else if (sys_readahead(j->f->fd, at, (size_t)n)) {
			try_reading(j, at);
			at += ps;
		} else if (pc_query(j->f, at, n, &p) != PC_CACHESTAT) {
			ask_blind(j, at, end);
			return;
		} else if (p.resident == p.total) {
			at += n;
			be_gentle(j, at, n);
			if (++j->good % STEPS_TO_GROW == 0)
				j->step = MIN(j->step * 2, STEP_MAX);
		} else if (shrank(j)) {
			end = MIN(end, j->f->size);
		} else if (n > ps) {
			j->step = (n / 2 + ps - 1) / ps * ps;
			j->good = 0;
		} else {
			try_reading(j, at);
			at += ps;
		}
		if (j->t->tick)
			j->t->tick(at - j->start);
	}
}

/* Asks for what is missing of [at, end), of whose pages those in p are resident. */
static void ask_missing(struct job *j, uint64_t at, uint64_t end, const struct pc_pages *p)
{
	uint64_t ps = pc_pagesize(), middle;
	struct pc_pages half;

	if (p->resident == p->total)
		return;
	if (!p->resident || end - at <= MAX(SPLIT_MIN, 2 * ps)) {
		j->t->asked += (p->total - p->resident) * ps;
		if (!(j->t->flags & PC_DRY))
			ask_looking(j, at, end);
		return;
	}
	middle = at + (end - at) / 2;
	middle -= middle % ps;
	/* should the kernel cease to answer between two calls, half is all zero: ask for all */
	pc_query(j->f, at, middle - at, &half);
	ask_missing(j, at, middle, &half);
	pc_query(j->f, middle, end - middle, &half);
	ask_missing(j, middle, end, &half);
}

static void ask(struct job *j, uint64_t at, uint64_t end)
{
	struct pc_pages p;
	enum pc_source source = pc_query(j->f, at, end - at, &p);
	uint64_t ps = pc_pagesize(), len;
	int r = 0;

	j->t->data += p.total * ps;
	j->t->was += p.resident * ps;
	switch (source) {
	case PC_CACHESTAT:
		ask_missing(j, at, end, &p);
		return;
	case PC_MINCORE:
		while (at < end && (r = pc_missing(j->f, &at, end, &len)) == 1) {
			j->t->asked += len;
			if (!(j->t->flags & PC_DRY))
				ask_blind(j, at, MIN(at + len, end));
			at += len;
		}
		if (r >= 0)
			return;
		break;
	case PC_UNKNOWN:
		j->t->was_known = false;
	}
	j->t->asked += end - at;
	if (!(j->t->flags & PC_DRY))
		ask_blind(j, at, end);
}

static void wait_for(struct job *j, uint64_t at, uint64_t end)
{
	uint64_t off, len;
	char c;
	int r = 0;

	/* Most pages are there when the last one before them is; errors show below. */
	for (off = at; off < end && !j->uncached; off += WAIT_STRIDE)
		sys_pread(j->f->fd, &c, 1, off);
	while (at < end && !j->uncached && (r = pc_missing(j->f, &at, end, &len)) == 1) {
		j->missing += len;
		read_in(j, at, MIN(at + len, end));
		at += len;
	}
	/* where one cannot look, having read it is the only proof */
	if (r < 0) {
		j->missing += end - at;
		j->has_read = true;
		j->unreadable = 0;
		read_in(j, at, end);
	}
}

/* Where blocks are smaller than pages, a page just written may hold only some of its blocks. It is
 * read from without ever becoming whole; a page fault completes it, or dropping it and reading. */
static bool complete(struct job *j, uint64_t at, uint64_t len)
{
	uint64_t off = at;

	if (sys_populate(j->f->fd, at, (size_t)len) == -EINVAL) {	/* before Linux 5.14 */
		sys_fadvise(j->f->fd, at, len, POSIX_FADV_DONTNEED);
		read_in(j, at, at + len);
	}
	return pc_missing(j->f, &off, at + len, &len) == 0;
}

static void confirm(struct job *j, uint64_t at, uint64_t end)
{
	uint64_t len;
	struct pc_pages p;
	int r;

	while ((r = pc_missing(j->f, &at, end, &len)) == 1) {
		if (j->error || j->uncached || len > COMPLETE_MAX || !complete(j, at, len)) {
			j->missing += len;
			/* read a moment ago, and alone in its file */
			j->uncached |= j->has_waited && j->f->size <= len;
		}
		at += len;
	}
	if (r == 0)
		return;
	/* cachestat counts what is in flight; after reading nothing is */
	if (j->has_read && pc_query(j->f, at, end > at ? end - at : 0, &p) == PC_CACHESTAT)
		j->missing += MAX((p.total - p.resident) * pc_pagesize(), j->unreadable);
	else
		j->cannot_look = true;
}

/* Calls fn for each part of the range that holds data, in whole pages. */
static void each_data(struct job *j, void (*fn)(struct job *, uint64_t, uint64_t))
{
	uint64_t ps = pc_pagesize(), at = j->start;
	uint64_t end = MIN(j->end, j->f->size);

	/* a small file with all its blocks needs no looking for holes */
	if (S_ISBLK(j->f->st.st_mode) || (j->f->size <= STEP_MAX
			&& (uint64_t)j->f->st.st_blocks * 512 >= j->f->size)) {
		if (at < end)
			fn(j, at, end);
		return;
	}
	while (at < end) {
		int64_t data = sys_seek_data(j->f->fd, at), hole = -1;

		if (data == -ENXIO)	/* nothing but a hole */
			return;
		if (data < 0)		/* cannot tell: all is data */
			data = (int64_t)at;
		else
			hole = sys_seek_hole(j->f->fd, (uint64_t)data);
		if (hole <= data || (uint64_t)hole > end)
			hole = (int64_t)end;
		data -= data % (int64_t)ps;
		if ((uint64_t)data >= end)
			return;
		at = ((uint64_t)hole + ps - 1) / ps * ps;
		fn(j, MAX((uint64_t)data, j->start), MIN(at, end));
	}
}

int pc_fetch(struct pc_file *f, struct pc_fetch *t)
{
	uint64_t ps = pc_pagesize();
	struct job j = { .f = f, .t = t };
	dev_t dev;

	t->data = t->was = t->asked = t->now = t->error_off = 0;
	t->was_known = true;
	t->now_known = false;
	j.start = MIN(t->off, f->size);
	j.end = j.start + MIN(t->len, f->size - j.start);
	if (j.end == j.start) {
		t->now_known = true;
		return 0;
	}
	j.start -= j.start % ps;
	j.end = MIN((j.end + ps - 1) / ps * ps, f->size);
	dev = S_ISBLK(f->st.st_mode) ? f->st.st_rdev : f->st.st_dev;
	if (dev != device.dev) {
		memset(&device, 0, sizeof(device));
		device.dev = dev;
	}
	j.step = device.step ? MIN(device.step * 2, STEP_MAX) : STEP_MAX;
	each_data(&j, ask);
	device.step = j.step;
	if (!ENABLE_FEATURE_WAIT || !(t->flags & PC_WAIT) || (t->flags & PC_DRY))
		return j.error;
	/* What was in memory before may still be on its way there, for somebody else. */
	if (!t->asked)
		each_data(&j, confirm);
	if (t->asked || j.missing || j.cannot_look) {
		j.missing = 0;
		j.cannot_look = false;
		each_data(&j, wait_for);
		j.has_waited = true;
		if (j.missing || j.uncached) {
			j.missing = 0;
			each_data(&j, confirm);
		}
	}
	shrank(&j);
	t->now = t->data - MIN(j.missing, t->data);
	t->now_known = !j.cannot_look;
	if (j.error)
		return j.error;
	if (j.shrunk)
		return -PC_ESHRUNK;
	if (!j.missing && !(j.uncached && j.cannot_look))
		return 0;
	/* a small file that lives in its inode (ext4, btrfs) is never cached: no fault */
	if (j.uncached)
		return f->size > ps ? -PC_ENOCACHE : 0;
	return -PC_EEVICTED;
}

uint64_t pc_would_ask(struct pc_file *f, uint64_t off, uint64_t len, const struct pc_pages *p)
{
	struct pc_fetch t = { .off = off, .len = len, .flags = PC_DRY };

	/* Fewer blocks than bytes: holes, of which nothing is missing, or compression. */
	if (S_ISBLK(f->st.st_mode) || (uint64_t)f->st.st_blocks * 512 >= f->size
			|| p->resident == p->total)
		return (p->total - p->resident) * pc_pagesize();
	pc_fetch(f, &t);
	return t.asked;
}
