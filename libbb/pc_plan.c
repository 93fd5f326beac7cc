/* SPDX-License-Identifier: 0BSD */
/* pc_plan.c - many files, in an order that the device likes: inodes first as their tables lie,
 * then data as it lies. In batches, so that memory is bounded; waiting comes after everything
 * in the batch has been asked for, so that the device's queue is never empty. */

#include "kabi.h"
#include "libbb.h"
#include "pagecache.h"

#define BATCH 4096		/* files */
#define NAMES (512 << 10)	/* bytes of their paths */

struct planned {
	struct pc_task task;
	dev_t dev;
	uint64_t key;		/* inode number, then place on the device */
	size_t nth;
	unsigned flags;
	bool waited;
};

static struct planned *files;
static struct planned **order;
static char *names;
static size_t count, names_len;
const struct pc_task *pc_plan_now;

static int compare(const void *a, const void *b)
{
	const struct planned *x = *(struct planned *const *)a, *y = *(struct planned *const *)b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

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

void pc_plan_run(const struct pc_plan *p)
{
	size_t i, n = 0;
	struct pc_file f;

	if (!p->in_order)
		bb_sort(order, count, sizeof(*order), compare);
	for (i = 0; i < count; i++) {
		struct planned *e = order[i];

		if (!open_planned(p, e, &f))
			continue;
		e->task.size = f.size;
		if (p->look(&f, &e->task)) {
			e->dev = f.st.st_dev;
			e->key = p->in_order || e->task.done ? 0 : pc_physical(f.fd, e->task.fetch.off);
			order[n++] = e;
		}
		pc_close(&f);
	}
	if (!p->in_order)
		bb_sort(order, n, sizeof(*order), compare);
	for (i = 0; i < n; i++) {
		struct planned *e = order[i];

		if (e->task.done)
			continue;
		if (!open_planned(p, e, &f)) {
			order[i] = NULL;
			continue;
		}
		e->task.result = pc_fetch(&f, &e->task.fetch);
		/* closing a block device that nobody else uses empties its cache */
		if (p->wait && (n == 1 || S_ISBLK(f.st.st_mode)))
			wait_for(e, &f);
		pc_close(&f);
	}
	for (i = 0; i < n; i++) {
		struct planned *e = order[i];

		if (!e)
			continue;
		if (p->wait && !e->waited) {
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

void pc_plan_add(const struct pc_plan *p, const char *path, dev_t dev, uint64_t ino, unsigned flags)
{
	size_t n = strlen(path) + 1;

	if (!files) {
		files = xalloc(BATCH * sizeof(*files));
		order = xalloc(BATCH * sizeof(*order));
		names = xalloc(NAMES);
	}
	if (count == BATCH || n > NAMES - names_len)
		pc_plan_run(p);
	if (n > NAMES) {
		p->error(path, ENAMETOOLONG);
		return;
	}
	memcpy(names + names_len, path, n);
	files[count] = (struct planned){ .task.path = names + names_len, .dev = dev, .key = ino,
		.nth = count, .flags = flags };
	order[count] = &files[count];
	count++;
	names_len += n;
}
