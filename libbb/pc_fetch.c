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

struct job {			/* what is used most is first: shorter code */
	struct pc_file *f;
	uint64_t missing;	/* bytes, at the end */
	uint64_t unreadable;	/* bytes, at the last reading */
	bool reads;		/* readahead does nothing here */
	bool uncached;		/* neither does reading */
	bool shrunk;
	bool has_waited;	/* for all that could be looked at, */
	bool has_read;		/* or read all, because of */
	bool cannot_look;	/* whether a page is up to date cannot be known */
	int error;
	unsigned step;
	unsigned good;		/* steps in a row that were taken whole */
	uint64_t start, end;	/* whole pages, but the end of the file */
	struct pc_fetch t;
};

static struct {
	dev_t dev;
	unsigned step;		/* that went through last; 0: no device yet */
	unsigned blind;		/* the limit that sysfs tells */
	bool blind_known;
} device;

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

/* Returns the number in a file below /sys, or -errno. (One that fits no int is as good as none.) */
static int sysfs_number(const char *dir, dev_t dev, const char *below, const char *name)
{
	char buf[96];
	const char *p = buf;
	uint64_t v;
	int r;

	bb_snprintf(buf, sizeof(buf), "/sys/%s/%u:%u/%s%s", dir, major(dev), minor(dev), below,
		name);
	r = (int)pc_system_read(buf, buf, sizeof(buf));
	if (r >= 0)
		r = bb_parse_u64(&p, &v);
	return r < 0 ? r : (int)v;
}

int pc_queue_number(dev_t dev, const char *name)
{
	/* a partition's queue is its disk's */
	int v = sysfs_number("dev/block", dev, "queue/", name);

	return v < 0 ? sysfs_number("dev/block", dev, "../queue/", name) : v;
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
static unsigned blind_step(uint32_t fs_type)
{
	unsigned ps = (unsigned)pc_pagesize();
	int kb, sectors;

	if (fs_type == KABI_JFFS2_MAGIC || fs_type == KABI_UBIFS_MAGIC)
		return 0;
	if (!device.blind_known) {
		device.blind_known = true;
		kb = pc_queue_number(device.dev, "read_ahead_kb");
		sectors = pc_queue_number(device.dev, "max_sectors_kb");
		kb = MAX(kb, sectors);
		if (kb < 0)	/* no block device: NFS, FUSE, UBIFS */
			kb = sysfs_number("class/bdi", device.dev, "", "read_ahead_kb");
		device.blind = MIN((unsigned)kb, STEP_BLIND >> 10) << 10;	/* errors too */
		if (kb && device.blind < ps)
			device.blind = ps;
	}
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

		if (n == 0) {
			shrank(j);
			return;
		}
		if (n > 0) {
			at += (uint64_t)n;
			continue;
		}
		if (!j->error || at < j->t.error_off) {
			j->error = (int)n;
			j->t.error_off = at;
		}
		j->unreadable += ps;
		at = (at | (ps - 1)) + 1;
	}
}

/* After n bytes more were asked for, the last of them before at. That the queue runs empty at times
 * is what lets others in: waiting for what was asked for a while ago gained nothing for them. */
static void be_gentle(struct job *j, uint64_t at, unsigned n)
{
	static unsigned in_flight;	/* over all files */
	char c;

	if (!(j->t.flags & PC_GENTLE))
		return;
	in_flight += n + GENTLE_EACH;
	if (in_flight < GENTLE_MAX)
		return;
	in_flight = 0;
	sys_pread(j->f->fd, &c, 1, at - 1);
}

/* A page that readahead did not take: is it a page that reading brings in? */
static void try_reading(struct job *j, uint64_t at)
{
	uint64_t unreadable = j->unreadable;
	struct pc_pages p;

	read_in(j, at, at + 1);
	if (j->unreadable == unreadable && !j->uncached
			&& pc_query(j->f, at, 1, &p) == PC_CACHESTAT && p.total) {
		if (p.resident)
			j->reads = true;
		else
			j->uncached = true;
	}
}

/* Asks for [at, end); looks at what became of each step, if cachestat is to be trusted. */
static void load(struct job *j, uint64_t at, uint64_t end, bool look)
{
	unsigned n, ps = (unsigned)pc_pagesize();
	struct pc_pages p;

	while (at < end && !j->uncached) {
		n = look ? j->step : blind_step(j->f->fs_type);
		if (!n)
			j->reads = true;
		if (j->reads)
			n = STEP_BLIND;
		n = (unsigned)MIN(n, end - at);
		if (!j->reads && sys_readahead(j->f->fd, at, n)) {
			if (look)
				n = ps;
			else
				j->reads = true;
		}
		if (j->reads) {
			read_in(j, at, at + n);
		} else if (look) {
			if (pc_query(j->f, at, n, &p) != PC_CACHESTAT) {
				look = false;
				continue;
			}
			if (p.resident == p.total) {
				if (++j->good % STEPS_TO_GROW == 0)
					j->step = MIN(j->step * 2, STEP_MAX);
			} else if (shrank(j)) {
				end = MIN(end, j->f->size);
				continue;
			} else if (n > ps) {
				j->step = (n / 2 + ps - 1) & -ps;
				j->good = 0;
				continue;
			} else {
				try_reading(j, at);
				n = ps;
			}
		}
		at += n;
		be_gentle(j, at, n);
		if (j->t.tick)
			j->t.tick(at - j->start);
	}
}

/* Of so many bytes in [at, end) that are missing. */
static __attribute__((noinline)) void want(struct job *j, uint64_t at, uint64_t end,
	uint64_t bytes, bool look)
{
	j->t.asked += (bytes + pc_pagesize() - 1) & -pc_pagesize();
	if (!(j->t.flags & PC_DRY))
		load(j, at, end, look);
}

/* Asks for what is missing of [at, end), of whose pages those in p are resident. */
static void ask_missing(struct job *j, uint64_t at, uint64_t end, struct pc_pages *p)
{
	uint64_t ps = pc_pagesize(), middle;
	struct pc_pages half;

	while (p->resident && p->resident < p->total && end - at > MAX(SPLIT_MIN, 2 * ps)) {
		middle = (at + (end - at) / 2) & -ps;
		/* should the kernel cease to answer meanwhile, half is all zero: ask for all */
		pc_query(j->f, at, middle - at, &half);
		ask_missing(j, at, middle, &half);
		at = middle;
		pc_query(j->f, at, end - at, p);
	}
	if (p->resident < p->total)
		want(j, at, end, (p->total - p->resident) * ps, true);
}

static void ask(struct job *j, uint64_t at, uint64_t end)
{
	struct pc_pages p;
	enum pc_source source = pc_query(j->f, at, end - at, &p);
	uint64_t ps = pc_pagesize(), len;
	int r = -1;

	j->t.data += p.total * ps;
	j->t.was += p.resident * ps;
	if (source == PC_CACHESTAT) {
		ask_missing(j, at, end, &p);
		return;
	}
	if (source == PC_UNKNOWN)
		j->t.was_known = false;
	else while ((r = pc_missing(j->f, &at, end, &len)) == 1) {
		want(j, at, MIN(at + len, end), len, false);
		at += len;
	}
	if (r < 0)
		want(j, at, end, end - at, false);
}

static void wait_for(struct job *j, uint64_t at, uint64_t end)
{
	uint64_t off, len;
	char c;
	int r;

	/* Most pages are there when the last one before them is; errors show below. */
	for (off = at; off < end && !j->uncached; off += WAIT_STRIDE)
		sys_pread(j->f->fd, &c, 1, off);
	do {
		if (j->uncached)
			return;
		r = pc_missing(j->f, &at, end, &len);
		/* where one cannot look, having read it is the only proof */
		if (r < 0) {
			j->has_read = true;
			j->unreadable = 0;
			len = end - at;
		}
		if (r) {
			j->missing += len;
			read_in(j, at, at + len);
			at += len;
		}
	} while (r > 0);
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
			if (j->has_waited && j->f->size <= len)
				j->uncached = true;
		}
		at += len;
	}
	if (r == 0)
		return;
	/* cachestat counts what is in flight; after reading nothing is */
	if (j->has_read && pc_query(j->f, at, end - at, &p) == PC_CACHESTAT) {
		len = (p.total - p.resident) * pc_pagesize();
		j->missing += MAX(len, j->unreadable);
	} else
		j->cannot_look = true;
}

bool pc_lacks_blocks(const struct pc_file *f)
{
	return !S_ISBLK(f->st.st_mode) && (uint64_t)f->st.st_blocks * 512 < f->size;
}

/* Calls fn, which counts anew, for each part of the range that holds data, in whole pages. */
static void each_data(struct job *j, void (*fn)(struct job *, uint64_t, uint64_t))
{
	const struct pc_file *f = j->f;
	uint64_t at, next = j->start, end = MIN(j->end, f->size);
	/* a small file with all its blocks needs no looking for holes */
	bool whole = f->size <= STEP_MAX && !pc_lacks_blocks(f);

	j->missing = 0;
	j->cannot_look = false;
	while ((at = next) < end) {
		next = end;
		if (!whole && !pc_next_data(f, &at, &next))
			return;
		fn(j, at, next);
	}
}

/* before: with PC_ASKED, the bytes that were resident. Returns pc_fetch's result. */
static __attribute__((noinline)) int run(struct job *j, uint64_t before)
{
	const struct pc_file *f = j->f;
	uint64_t ps = pc_pagesize();
	dev_t dev = S_ISBLK(f->st.st_mode) ? f->st.st_rdev : f->st.st_dev;

	j->start &= -ps;
	j->end = MIN((j->end + ps - 1) & -ps, f->size);
	if (dev != device.dev || !device.step) {
		device.dev = dev;
		device.step = STEP_MAX;
		device.blind_known = false;
	}
	j->step = MIN(device.step * 2, STEP_MAX);
	each_data(j, ask);
	device.step = j->step;
	if (j->t.flags & PC_ASKED) {
		/* pages on their way may count or not, and become resident at any moment */
		j->t.was = MIN(before, j->t.data);
		j->t.asked = j->t.data - j->t.was;
		if (j->t.asked)
			be_gentle(j, j->end, (unsigned)j->t.asked);
	}
	if (!ENABLE_FEATURE_WAIT || (j->t.flags & (PC_WAIT | PC_DRY)) != PC_WAIT)
		return j->error;
	/* What was in memory before may still be on its way there, for somebody else. */
	if (!j->t.asked)
		each_data(j, confirm);
	if (j->t.asked || j->missing || j->cannot_look) {
		each_data(j, wait_for);
		j->has_waited = true;
		if (j->missing || j->uncached)
			each_data(j, confirm);
	}
	shrank(j);
	j->t.now = j->t.data - MIN(j->missing, j->t.data);
	j->t.now_known = !j->cannot_look;
	if (j->error)
		return j->error;
	if (j->shrunk)
		return -PC_ESHRUNK;
	if (!j->missing && !(j->uncached && j->cannot_look))
		return 0;
	if (!j->uncached)
		return -PC_EEVICTED;
	/* a small file that lives in its inode (ext4, btrfs) is never cached: no fault */
	return f->size > ps ? -PC_ENOCACHE : 0;
}

int pc_fetch(struct pc_file *f, struct pc_fetch *t)
{
	struct job j = { .f = f };
	int r = 0;

	j.t = *t;
	memset(&j.t.data, 0, sizeof(j.t) - offsetof(struct pc_fetch, data));
	j.t.was_known = true;
	j.start = MIN(t->off, f->size);
	j.end = j.start + MIN(t->len, f->size - j.start);
	if (j.end == j.start)
		j.t.now_known = true;
	else
		r = run(&j, t->was);
	*t = j.t;
	return r;
}

uint64_t pc_would_ask(struct pc_file *f, uint64_t off, uint64_t len, const struct pc_pages *p)
{
	struct pc_fetch t = { .off = off, .len = len, .flags = PC_DRY };

	if (!pc_lacks_blocks(f) || p->resident == p->total)	/* of holes nothing is missing */
		return (p->total - p->resident) * pc_pagesize();
	pc_fetch(f, &t);
	return t.asked;
}
