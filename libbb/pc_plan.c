/* SPDX-License-Identifier: 0BSD */
/* pc_plan.c - many files, in an order that the device likes: inodes first as their tables lie,
 * then data as it lies, and small files that lie side by side in one request. In batches, so that
 * memory is bounded; waiting comes after everything in the batch has been asked for, so that the
 * device's queue is never empty. */

#include "kabi.h"
#include "libbb.h"
#include "pc_many.h"

#define BATCH 4096		/* files */
#define NAMES (512 << 10)	/* bytes of their paths */
#define TOGETHER 32		/* files; what a plug holds (BLK_MAX_REQUEST_COUNT) */
#define TOGETHER_SIZE (1u << 20)	/* bytes of them, */
#define TOGETHER_EACH (128u << 10)	/* and of one: more is a request of its own */
#define SPARE 8			/* descriptors left for others */

struct planned {
	struct pc_task task;
	dev_t dev;
	uint64_t key;		/* inode number, then place on the device */
	unsigned flags;
	/* LOADED: asked for, but not waited for. LEFT_OUT: not to be opened again, nor told of */
	enum { NEW, LOOKED, LOADED, COMPLETE, LEFT_OUT } stage;
};

const struct pc_task *pc_plan_now;
static struct pc_file opened[ENABLE_FEATURE_DEVICE_ORDER ? TOGETHER + 1 : 1];
static struct pc_file *file;	/* of these; not open: fd < 0 */

static void wait_for(struct planned *e)
{
	struct pc_fetch t = e->task.fetch;
	int r;

	t.flags = PC_WAIT;
	r = pc_fetch(file, &t);
	if (!e->task.result) {
		e->task.result = r;
		e->task.fetch.error_off = t.error_off;
	}
	e->task.fetch.now = t.now;
	e->task.fetch.now_known = t.now_known;
	e->stage = COMPLETE;
}

/* Closes a file that e, if any, was loaded from; a block device that nobody else has open is
 * emptied by that. */
static void close_loaded(struct planned *e)
{
	struct pc_pages p;

	pc_close(file);
	if (!e || !S_ISBLK(file->st.st_mode) || e->task.result || (e->task.fetch.flags & PC_DRY)
			|| pc_open(file, e->task.path, e->flags))
		return;
	if (pc_query(file, e->task.fetch.off, e->task.fetch.len, &p) == PC_CACHESTAT && p.total
			&& !p.resident)
		e->task.result = -PC_ENOTKEPT;
	pc_close(file);
}

static void load(const struct pc_plan *p, struct planned *e)
{
	e->stage = COMPLETE;
	if (e->task.done)
		return;
	e->task.result = pc_fetch(file, &e->task.fetch);
	if (!ENABLE_FEATURE_WAIT || !p->wait)
		return;
	/* closing a block device that nobody else uses empties its cache */
	if (p->one_by_one || !ENABLE_FEATURE_DEVICE_ORDER || S_ISBLK(file->st.st_mode))
		wait_for(e);
	else
		e->stage = LOADED;
}

/* Takes the next range of a task from its list. False: that was all. */
static bool next_range(struct pc_task *t)
{
	do {
		memset(&t->fetch, 0, sizeof(t->fetch));
		if (pc_range_next(&t->ranges, &t->fetch.range) <= 0)
			return false;
	} while (!t->fetch.len);
	return true;
}

#if ENABLE_FEATURE_DEVICE_ORDER
/* what is not used of these takes no memory */
static struct planned files[BATCH], *order[BATCH];
static char names[NAMES];
static unsigned count, names_len;

static struct {
	struct pc_file *file;
	struct planned *e;
} held[TOGETHER];		/* open, and mapped side by side */
static unsigned helds;
static size_t mapped;		/* bytes */
static char *mapping;
static bool cannot;		/* be done here */

/* Asks for all that is held, and looks at what became of it. */
static void load_held(const struct pc_plan *p)
{
	struct pc_file *current = file;
	unsigned i;

	if (!helds)
		return;
	sys_willneed(mapping, mapped);
	for (i = 0; i < helds; i++) {
		file = held[i].file;
		pc_plan_now = &held[i].e->task;
		load(p, held[i].e);
		/* several ranges of a file are held with one descriptor, and more may come */
		if (file != (i + 1 < helds ? held[i + 1].file : current))
			pc_close(file);
	}
	sys_unmap(mapping, mapped);
	helds = 0;
	mapped = 0;
	file = current;
}

/* What the kernel queues during one call it can merge (struct blk_plug), which readahead(2) cannot
 * use for more than one file; but madvise(2) takes all mappings in a range of addresses. So a small
 * range of the file that is open is held until there are enough, and the file with it. */
static bool hold(const struct pc_plan *p, struct planned *e)
{
	static int limit;	/* of descriptors; 0: not known, or none to be held */
	struct pc_fetch *t = &e->task.fetch;
	uint64_t ps = pc_pagesize(), off = t->off & -ps, len;
	bool fresh = p->in_order;	/* was is what was seen a moment ago */
	struct pc_pages now;
	unsigned i;

	/* Others than root may have to open without O_NOATIME, and mapping counts as access. */
	if (!helds)
		limit = sys_euid() ? 0 : sys_fd_limit();
	/* holes are not to be loaded */
	if (cannot || (t->flags & PC_DRY) || !S_ISREG(file->st.st_mode) || pc_lacks_blocks(file)
			|| file->fd > limit - SPARE)
		return false;
	len = (MIN(t->len, file->size - t->off) + t->off - off + ps - 1) & -ps;
	if (len > TOGETHER_EACH)
		return false;
	for (i = 0; i < helds; i++) {
		const struct pc_fetch *other = &held[i].e->task.fetch;

		if (held[i].file->st.st_ino == file->st.st_ino && off < other->off + other->len) {
			/* perhaps the same pages: what they ask for was there before this */
			load_held(p);
			fresh = false;
		}
	}
	if (helds == TOGETHER || mapped + len > TOGETHER_SIZE)
		load_held(p);
	if (!helds) {
		/* where there is room for all of them */
		mapping = sys_map(NULL, file->fd, off, TOGETHER_SIZE);
		cannot = !mapping;
		if (cannot)
			return false;
		sys_unmap(mapping + len, TOGETHER_SIZE - (size_t)len);
	} else if (!sys_map(mapping + mapped, file->fd, off, (size_t)len)) {
		return false;
	}
	if (!fresh) {
		pc_query(file, t->off, t->len, &now);
		t->was = now.resident * ps;
	}
	t->flags |= PC_ASKED;
	mapped += (size_t)len;
	held[helds].file = file;
	held[helds++].e = e;
	return true;
}

static void load_soon(const struct pc_plan *p, struct planned *e)
{
	if (!e->task.done) {
		if (hold(p, e))
			return;
		load_held(p);
	}
	load(p, e);
}

/* Closes the file that is open; if it is held, that is done later. */
static void leave(struct planned *e)
{
	if (helds && held[helds - 1].file == file)
		file = file == opened + TOGETHER ? opened : file + 1;
	else
		close_loaded(e);
}

static int compare(const void *a, const void *b)
{
	const struct planned *x = *(struct planned *const *)a, *y = *(struct planned *const *)b;

	/* else as they came */
	return (x->dev != y->dev ? x->dev < y->dev : x->key != y->key ? x->key < y->key : x < y)
		? -1 : 1;
}

static void look(const struct pc_plan *p, struct planned *e)
{
	e->task.size = file->size;
	e->stage = LEFT_OUT;
	if (!p->look(file, &e->task))
		return;
	e->stage = LOOKED;
	if (!p->in_order && !e->task.done) {
		e->dev = file->st.st_dev;
		e->key = pc_physical(file->fd, e->task.fetch.off);
		/* where places are not told, opening it a second time gains nothing */
		if (e->key != UINT64_MAX)
			return;
	}
	load_soon(p, e);
}

void pc_plan_run(const struct pc_plan *p)
{
	struct planned *last;	/* loaded from what is open */
	struct planned *e;
	const char *path;	/* of that */
	unsigned i, stage;
	int r;

	file = opened;
	cannot = false;
	for (stage = LOOKED; stage <= COMPLETE; stage++) {
		path = NULL;
		last = NULL;
		file->fd = -1;
		if (!p->in_order && stage < COMPLETE)
			bb_sort(order, count, sizeof(*order), compare);
		for (i = 0; i < count; i++) {
			e = order[i];
			if (e->stage < stage) {
				pc_plan_now = &e->task;
				/* the ranges of a file come one after the other, with one path */
				if (e->task.path != path) {
					leave(last);
					last = NULL;
					path = e->task.path;
					r = pc_open(file, path, e->flags);
					if (r)
						p->error(path, -r);
				}
				if (file->fd < 0)
					e->stage = LEFT_OUT;
				else if (stage == LOOKED)
					look(p, e);
				else if (stage == LOADED)
					load_soon(p, e);
				else if (ENABLE_FEATURE_WAIT)
					wait_for(e);
				if (e->stage != LEFT_OUT)
					last = e;
			}
			if (stage == COMPLETE && e->stage == COMPLETE)
				p->finish(&e->task);
		}
		leave(last);
		load_held(p);
	}
	pc_plan_now = NULL;
	count = names_len = 0;
}

void pc_plan_add(const struct pc_plan *p, const struct pc_task *t, dev_t dev, uint64_t ino,
	unsigned flags)
{
	struct pc_task task = *t;
	size_t n = strlen(t->path) + 1;
	struct planned *e;

	if (n > NAMES) {
		p->error(t->path, ENAMETOOLONG);
		return;
	}
	while (!t->ranges || next_range(&task)) {
		if (count == (p->batch ? p->batch : BATCH) || n > NAMES - names_len)
			pc_plan_run(p);
		e = files + count;
		order[count] = e;
		e->task = task;
		e->dev = dev;
		e->key = ino;
		e->flags = flags;
		e->stage = NEW;
		if (count && !strcmp(e[-1].task.path, t->path)) {
			e->task.path = e[-1].task.path;
		} else {
			e->task.path = memcpy(names + names_len, t->path, n);
			names_len += (unsigned)n;
		}
		count++;
		task.recorded = -1;
		task.more = true;
		if (!t->ranges)
			break;
	}
	if (p->one_by_one)
		pc_plan_run(p);
}
#else
void pc_plan_run(const struct pc_plan *p UNUSED_PARAM)
{
}

/* Opens a file once for all its ranges. */
void pc_plan_add(const struct pc_plan *p, const struct pc_task *t, dev_t dev UNUSED_PARAM,
	uint64_t ino UNUSED_PARAM, unsigned flags)
{
	struct planned e = { .task = *t, .flags = flags };
	bool more = !t->ranges || next_range(&e.task);
	int r = 0;

	file = opened;
	if (more)
		r = pc_open(file, t->path, flags);
	pc_plan_now = &e.task;
	if (r)
		p->error(t->path, -r);
	if (r || !more)
		return;
	for (; more; more = t->ranges && next_range(&e.task)) {
		e.task.size = file->size;
		e.task.result = 0;
		e.task.done = false;
		if (p->look(file, &e.task)) {
			load(p, &e);
			if (!t->ranges)
				close_loaded(&e);
			p->finish(&e.task);
		}
		e.task.recorded = -1;
		e.task.more = true;
	}
	pc_close(file);
}
#endif
