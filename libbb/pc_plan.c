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
	unsigned flags;
	/* asked for; nothing more to be done; could not be opened again */
	enum { NEW, LOADED, COMPLETE, FAILED } stage;
};

const struct pc_task *pc_plan_now;
static struct pc_file file;	/* the one that is open */

static bool open_planned(const struct pc_plan *p, struct planned *e)
{
	int r = pc_open(&file, e->task.path, e->flags);

	pc_plan_now = &e->task;
	if (r)
		p->error(e->task.path, -r);
	return !r;
}

static void wait_for(struct planned *e)
{
	struct pc_fetch t = e->task.fetch;
	int r;

	t.flags |= PC_WAIT;
	r = pc_fetch(&file, &t);
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

	pc_close(&file);
	if (!e || !S_ISBLK(file.st.st_mode) || e->task.result || (e->task.fetch.flags & PC_DRY)
			|| pc_open(&file, e->task.path, e->flags))
		return;
	if (pc_query(&file, e->task.fetch.off, e->task.fetch.len, &p) == PC_CACHESTAT && p.total
			&& !p.resident)
		e->task.result = -PC_ENOTKEPT;
	pc_close(&file);
}

static void load(const struct pc_plan *p, struct planned *e)
{
	e->stage = COMPLETE;
	if (e->task.done)
		return;
	e->task.result = pc_fetch(&file, &e->task.fetch);
	if (!p->wait)
		return;
	/* closing a block device that nobody else uses empties its cache */
	if (p->one_by_one || !ENABLE_FEATURE_DEVICE_ORDER || S_ISBLK(file.st.st_mode))
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

/* Opens a file once for all its ranges. */
static void load_at_once(const struct pc_plan *p, struct planned *e)
{
	bool more = !e->task.ranges || next_range(&e->task);

	if (!more || !open_planned(p, e))
		return;
	for (; more; more = next_range(&e->task)) {
		e->task.size = file.size;
		e->task.result = 0;
		e->task.done = false;
		if (p->look(&file, &e->task)) {
			load(p, e);
			if (!e->task.ranges)
				close_loaded(e);
			p->finish(&e->task);
		}
		e->task.recorded = -1;
	}
	pc_close(&file);
}

#if ENABLE_FEATURE_DEVICE_ORDER
/* what is not used of these takes no memory */
static struct planned files[BATCH], *order[BATCH];
static char names[NAMES];
static unsigned count, names_len;

static int compare(const void *a, const void *b)
{
	const struct planned *x = *(struct planned *const *)a, *y = *(struct planned *const *)b;

	/* else as they came */
	return (x->dev != y->dev ? x->dev < y->dev : x->key != y->key ? x->key < y->key : x < y)
		? -1 : 1;
}

static void sort(const struct pc_plan *p, unsigned n)
{
	if (!p->in_order)
		bb_sort(order, n, sizeof(*order), compare);
}

void pc_plan_run(const struct pc_plan *p)
{
	struct planned *last = NULL;	/* loaded from what is open */
	struct planned *e;
	const char *path = NULL;	/* of that */
	unsigned i, n = 0, stage;

	file.fd = -1;
	sort(p, count);
	for (i = 0; i < count; i++) {
		e = order[i];
		/* the ranges of a file come one after the other, with one path */
		if (e->task.path != path) {
			close_loaded(last);
			last = NULL;
			path = e->task.path;
			open_planned(p, e);
		}
		if (file.fd < 0)
			continue;
		e->task.size = file.size;
		if (!p->look(&file, &e->task))
			continue;
		order[n++] = e;
		if (!p->in_order) {
			e->dev = file.st.st_dev;
			e->key = e->task.done ? 0 : pc_physical(file.fd, e->task.fetch.off);
		}
		/* where places are not told, opening it a second time gains nothing */
		if (p->in_order || e->task.done || e->key == UINT64_MAX) {
			load(p, e);
			last = e;
		}
	}
	close_loaded(last);
	sort(p, n);
	for (stage = LOADED; stage <= COMPLETE; stage++)
		for (i = 0; i < n; i++) {
			e = order[i];
			if (e->stage < stage) {
				if (!open_planned(p, e)) {
					e->stage = FAILED;
					continue;
				}
				if (stage == LOADED)
					load(p, e);
				else
					wait_for(e);
				close_loaded(e);
			}
			if (stage == COMPLETE && e->stage != FAILED)
				p->finish(&e->task);
		}
	pc_plan_now = NULL;
	count = names_len = 0;
}

static void add(const struct pc_plan *p, const struct planned *e)
{
	size_t n = strlen(e->task.path) + 1;
	struct planned *new;

	if (count == (p->batch ? p->batch : BATCH) || n > NAMES - names_len)
		pc_plan_run(p);
	new = files + count;
	order[count] = new;
	*new = *e;
	if (count && !strcmp(new[-1].task.path, e->task.path)) {
		new->task.path = new[-1].task.path;
	} else {
		new->task.path = memcpy(names + names_len, e->task.path, n);
		names_len += (unsigned)n;
	}
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
	load_at_once(p, &e);
}
