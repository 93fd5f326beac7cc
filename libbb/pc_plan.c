/* SPDX-License-Identifier: 0BSD */
/* pc_plan.c - many files, in an order that the device likes: inodes first as their tables lie,
 * then data as it lies. In batches, so that memory is bounded; waiting comes after everything
 * in the batch has been asked for, so that the device's queue is never empty. */

#include "kabi.h"
#include "libbb.h"
#include "pc_many.h"

#define BATCH 4096		/* files */
#define NAMES (512 << 10)	/* bytes of their paths */

struct planned {
	struct pc_task task;
	dev_t dev;
	uint64_t key;		/* inode number, then place on the device */
	size_t nth;
	unsigned flags;
	bool loaded, waited;
};

const struct pc_task *pc_plan_now;

static bool open_planned(const struct pc_plan *p, struct planned *e, struct pc_file *f)
{
	int r = pc_open(f, e->task.path, e->flags);

	pc_plan_now = &e->task;
	if (r)
		p->error(e->task.path, -r);
	return !r;
}

static void wait_for(struct planned *e, struct pc_file *f)
{
	struct pc_fetch t = e->task.fetch;
	int r;

	t.flags |= PC_WAIT;
	r = pc_fetch(f, &t);
	if (!e->task.result) {
		e->task.result = r;
		e->task.fetch.error_off = t.error_off;
	}
	e->task.fetch.now = t.now;
	e->task.fetch.now_known = t.now_known;
	e->waited = true;
}

/* Closes a file that e, if any, was loaded from; a block device that nobody else has open is
 * emptied by that. */
static void close_loaded(struct planned *e, struct pc_file *f)
{
	struct pc_pages p;
	bool device = e && S_ISBLK(f->st.st_mode);

	pc_close(f);
	if (!device || e->task.result || (e->task.fetch.flags & PC_DRY)
			|| pc_open(f, e->task.path, e->flags))
		return;
	if (pc_query(f, e->task.fetch.off, e->task.fetch.len, &p) == PC_CACHESTAT && p.total
			&& !p.resident)
		e->task.result = -PC_ENOTKEPT;
	pc_close(f);
}

static void load(const struct pc_plan *p, struct planned *e, struct pc_file *f)
{
	if (e->task.done)
		return;
	e->task.result = pc_fetch(f, &e->task.fetch);
	e->loaded = true;
	/* closing a block device that nobody else uses empties its cache */
	if (p->wait && (p->one_by_one || !ENABLE_FEATURE_DEVICE_ORDER || S_ISBLK(f->st.st_mode)))
		wait_for(e, f);
}

/* Takes the next range of a task from its list. False: that was all. */
static bool next_range(struct pc_task *t)
{
	struct pc_range r;

	do
		if (pc_range_next(&t->ranges, &r) <= 0)
			return false;
	while (!r.len);
	t->fetch = (struct pc_fetch){ .off = r.off, .len = r.len };
	return true;
}

/* Opens a file once for all its ranges. */
static void load_at_once(const struct pc_plan *p, struct planned e)
{
	struct pc_file f;
	bool more = !e.task.ranges || next_range(&e.task);

	if (!more || !open_planned(p, &e, &f))
		return;
	for (; more; more = next_range(&e.task)) {
		e.task.size = f.size;
		e.task.done = false;
		if (p->look(&f, &e.task)) {
			load(p, &e, &f);
			if (!e.task.ranges)
				close_loaded(&e, &f);
			p->finish(&e.task);
		}
		e.task.recorded = -1;
	}
	pc_close(&f);
}

#if ENABLE_FEATURE_DEVICE_ORDER
static struct planned *files;
static struct planned **order;
static char *names;
static size_t count, names_len;

static int compare(const void *a, const void *b)
{
	const struct planned *x = *(struct planned *const *)a, *y = *(struct planned *const *)b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

void pc_plan_run(const struct pc_plan *p)
{
	struct pc_file f = { .fd = -1 };
	struct planned *last = NULL;	/* loaded from f */
	const char *path = NULL;	/* of f */
	size_t i, n = 0;

	if (!p->in_order)
		bb_sort(order, count, sizeof(*order), compare);
	for (i = 0; i < count; i++) {
		struct planned *e = order[i];

		/* the ranges of a file come one after the other, with one path */
		if (e->task.path != path) {
			close_loaded(last, &f);
			last = NULL;
			path = e->task.path;
			if (!open_planned(p, e, &f))
				continue;
		}
		if (f.fd < 0)
			continue;
		e->task.size = f.size;
		if (!p->look(&f, &e->task))
			continue;
		order[n++] = e;
		if (!p->in_order) {
			e->dev = f.st.st_dev;
			e->key = e->task.done ? 0 : pc_physical(f.fd, e->task.fetch.off);
		}
		/* where places are not told, opening it a second time gains nothing */
		if (p->in_order || e->key == UINT64_MAX) {
			load(p, e, &f);
			last = e;
		}
	}
	close_loaded(last, &f);
	if (!p->in_order)
		bb_sort(order, n, sizeof(*order), compare);
	for (i = 0; i < n; i++) {
		struct planned *e = order[i];

		if (e->task.done || e->loaded)
			continue;
		if (!open_planned(p, e, &f)) {
			order[i] = NULL;
			continue;
		}
		load(p, e, &f);
		close_loaded(e, &f);
	}
	for (i = 0; i < n; i++) {
		struct planned *e = order[i];

		if (!e)
			continue;
		if (p->wait && !e->waited && !e->task.done) {
			if (!open_planned(p, e, &f))
				continue;
			wait_for(e, &f);
			pc_close(&f);
		}
		p->finish(&e->task);
	}
	pc_plan_now = NULL;
	count = names_len = 0;
}

static void add(const struct pc_plan *p, struct planned *e)
{
	size_t n = strlen(e->task.path) + 1;
	const char *path;

	if (count == (p->batch ? p->batch : BATCH) || n > NAMES - names_len)
		pc_plan_run(p);
	path = count ? files[count - 1].task.path : NULL;
	if (!path || strcmp(path, e->task.path)) {
		path = memcpy(names + names_len, e->task.path, n);
		names_len += n;
	}
	e->nth = count;
	files[count] = *e;
	files[count].task.path = path;
	order[count] = &files[count];
	count++;
}
#else
void pc_plan_run(const struct pc_plan *p UNUSED_PARAM)
{
}
#endif

void pc_plan_add(const struct pc_plan *p, const struct pc_task *t, dev_t dev, uint64_t ino,
	unsigned flags)
{
	struct planned e = { .task = *t, .dev = dev, .key = ino, .flags = flags };

#if ENABLE_FEATURE_DEVICE_ORDER
	if (!p->one_by_one) {
		if (!files) {
			files = xalloc(BATCH * sizeof(*files));
			order = xalloc(BATCH * sizeof(*order));
			names = xalloc(NAMES);
		}
		if (strlen(t->path) >= NAMES) {
			p->error(t->path, ENAMETOOLONG);
			return;
		}
		if (!t->ranges)
			add(p, &e);
		for (; next_range(&e.task); e.task.recorded = -1)
			add(p, &e);
		return;
	}
#endif
	load_at_once(p, e);
}
