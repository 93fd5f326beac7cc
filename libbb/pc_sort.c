/* SPDX-License-Identifier: 0BSD */
/* pc_sort.c - a whole list in memory: where its files lie, in which order to play it best, and the
 * metadata to load before.
 *
 * A seeking disk wants one sweep over all blocks, whatever the time they were read at. Flash wants
 * them as they will be needed; but by place within a window of that, for what lies side by side
 * then goes in one request. */

#include "kabi.h"
#include "pc_internal.h"
#include "pc_many.h"
#include "pc_sort.h"

#define WINDOW (16u << 20)	/* bytes, of access order */
#define RANGES 1000		/* in a line */
#define NEAR (64u << 10)	/* bytes; a gap that is no seek */

struct line {			/* small: there may be 100,000 */
	const char *ranges;	/* NULL: whole */
	int64_t recorded, size;	/* in the list, and now */
	uint64_t ino, place;	/* place: byte on the device, UINT64_MAX: not known */
	uint64_t bytes;
	uint32_t at;		/* milliseconds */
	uint32_t nth;		/* from 1 */
	uint32_t dev;		/* 0: the file is not there; the kernel's numbers have 32 bits */
	bool swept;		/* written by place alone, whatever the time */
	bool gone;		/* not only out of reach */
	char path[];
};

static struct line **lines;
static uint32_t count, added;	/* now, ever */
static uint32_t timed;		/* not 0: with recorded times */
static uint64_t check_sum;	/* of what was written */
static struct pc_book *book;
static struct bb_out *out;
static char path[4096];		/* of a directory; then of the mount */
static struct filesystem {	/* whose metadata is gathered */
	dev_t dev;
	const char *top;	/* begins, with len bytes, with the shortest path on it */
	size_t len;
	char words[56];		/* of the line @fs; empty: not begun */
	bool refused;
} fs;
static unsigned room;		/* for ranges, in this line @meta */
static bool indexed;		/* lines are one a file, not one a path */

/* A text with one number, or none. */
static void put(const char *fmt, uint64_t n)
{
	char text[64];

	if (out)
		bb_putmem(out, text, bb_snprintf(text, sizeof(text), fmt, (unsigned long long)n));
}

/* What an entry asks for, as a number. Sums of it depend neither on the order of the entries, nor
 * on how many lines the ranges of one were written in. */
static uint64_t hash(const char *name, const char *ranges)
{
	const uint64_t prime = 0x1000193;
	uint64_t h = 0, sum = 0;
	struct pc_range r;

	while (*name)
		h = (h ^ (unsigned char)*name++) * prime;
	if (!ranges)
		return h;
	while (pc_range_next(&ranges, &r) > 0)
		sum += ((h ^ r.off) * prime ^ r.len) * prime;
	return sum;
}

/* Of two lines one always is the first. */
static int by_time(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	/* 0, what is gone, becomes the largest */
	return (x->dev != y->dev ? x->dev - 1 < y->dev - 1 : x->nth < y->nth) ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	return (x->dev != y->dev ? x->dev - 1 < y->dev - 1
		: x->place != y->place ? x->place < y->place
		: x->ino != y->ino ? x->ino < y->ino : x->nth < y->nth) ? -1 : 1;
}

static int by_path(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;
	int r = strcmp(x->path, y->path);

	return r ? r : by_time(a, b);
}

static void sort(int (*compare)(const void *, const void *))
{
	bb_sort(lines, count, sizeof(*lines), compare);
}

/* By what it is, or by how it is called. */
static bool same_file(const struct line *x, const struct line *y)
{
	return indexed ? x->dev == y->dev && x->ino == y->ino : !strcmp(x->path, y->path);
}

static void add(const struct pc_item *item, uint64_t at)
{
	size_t len = strlen(item->path) + 1;
	struct line *l = xalloc(offsetof(struct line, path) + len);

	/* full, perhaps: merging leaves room */
	if (!(count & (count - 1))) {
		struct line **moved = xalloc((count + 1) * 2 * sizeof(*moved));

		if (count)
			memcpy(moved, lines, count * sizeof(*moved));
		lines = moved;
	}
	if (item->ranges)
		l->ranges = xstrdup(item->ranges);
	l->recorded = item->size;
	l->at = (uint32_t)MIN(at, UINT32_MAX);
	timed |= l->at;
	l->nth = ++added;
	memcpy(l->path, item->path, len);
	lines[count++] = l;
}

/* The union of the ranges of n lines; NULL: one wants all. */
static const char *unite(struct line *const *l, size_t n)
{
	struct bb_out o = { .fd = -1 };
	struct pc_range *r, *end, *next;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!l[i]->ranges)
			return NULL;
		o.size += strlen(l[i]->ranges) + 1;
	}
	o.buf = xalloc(o.size);
	/* a range has four bytes, "0+1,", at least; and one for the mark of the end */
	r = end = xalloc((o.size / 4 + 1) * sizeof(*r));
	for (i = 0; i < n; i++) {
		const char *text = l[i]->ranges;

		while (pc_range_next(&text, end) > 0)
			end++;
	}
	bb_sort(r, (size_t)(end - r), sizeof(*r), pc_compare);
	end->off = UINT64_MAX;
	for (next = r; next < end; ) {
		struct pc_range u = *next;

		while ((++next)->off <= u.off + u.len)
			u.len = MAX(u.len, next->off + next->len - u.off);
		pc_list_range(&o, !o.len, &u);
	}
	return o.buf;
}

/* Each path, or file, once, at its first time. */
static void merge(void)
{
	size_t i, end, n = 0;

	sort(indexed ? by_place : by_path);
	for (i = 0; i < count; i = end) {
		struct line *l = lines[i];

		for (end = i + 1; end < count && same_file(lines[end], l); end++)
			l->recorded = MAX(l->recorded, lines[end]->recorded);
		if (end - i > 1 || indexed)
			l->ranges = unite(lines + i, end - i);
		lines[n++] = l;
	}
	count = (uint32_t)n;
}

int pc_book_read(struct pc_book *b, int fd, bool null)
{
	static struct pc_list list;
	struct pc_item item;
	uint64_t at = 0;

	pc_list_start(&list, fd, null);
	while (pc_list_next(&list, &item)) {
		if (item.kind == PC_AT)
			at = item.number;
		if (item.kind == PC_ENTRY)
			add(&item, at);
	}
	b->bad += list.bad;
	merge();
	b->entries = count;
	sort(by_time);
	return -list.lines.error;
}

/* Counts what the entry asks for, and what of that is resident. */
static void sum_up(struct pc_book *b, struct line *l, struct pc_file *f, bool look)
{
	const char *text = l->ranges;
	struct pc_range r = { 0, (uint64_t)l->recorded };
	struct pc_pages p;

	pc_range_next(&text, &r);
	l->place = pc_physical(f->fd, r.off);
	do {
		l->bytes += MIN(r.len, f->size - MIN(r.off, f->size));
		if (look) {
			if (pc_query(f, r.off, r.len, &p) == PC_UNKNOWN)
				b->resident = UINT64_MAX;
			else if (b->resident != UINT64_MAX)
				b->resident += p.resident * pc_pagesize();
		}
	} while (pc_range_next(&text, &r) > 0);
	b->bytes += l->bytes;
}

bool pc_book_index(void)
{
	struct stat st;
	uint32_t i, n = 0;
	bool foreign = false;

	for (i = 0; i < count; i++) {
		struct line *l = lines[i];

		if (pc_path_is_foreign(l->path)) {
			foreign = true;
			continue;
		}
		if (sys_stat(AT_FDCWD, l->path, true, &st))
			continue;
		l->dev = (uint32_t)st.st_dev;
		l->ino = st.st_ino;
		lines[n++] = l;
	}
	count = n;
	indexed = true;
	merge();
	return foreign;
}

bool pc_book_find(const struct stat *st, const char **ranges)
{
	uint32_t dev = (uint32_t)st->st_dev;
	uint64_t ino = st->st_ino;
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct line *l = lines[middle];

		if (l->dev != dev ? l->dev < dev : l->ino < ino) {
			low = middle + 1;
			continue;
		}
		if (l->dev == dev && l->ino == ino) {
			*ranges = l->ranges;
			return true;
		}
		high = middle;
	}
	return false;
}

static uint64_t count_runs(void)
{
	uint64_t runs = 0, end = 0;
	uint32_t dev = 0, i;

	for (i = 0; i < count; i++) {
		const struct line *l = lines[i];

		if (!l->bytes || l->place == UINT64_MAX)
			continue;
		/* before the end is far away, too */
		if (l->dev != dev || l->place - end > NEAR)
			runs++;
		dev = l->dev;
		end = l->place + (l->bytes + 4095) / 4096 * 4096;
	}
	return runs;
}

void pc_book_locate(struct pc_book *b, bool look)
{
	struct pc_file f;
	size_t i;

	for (i = 0; i < count; i++) {
		struct line *l = lines[i];
		int r;

		/* never loaded, so neither good nor stale */
		if (pc_path_is_foreign(l->path))
			continue;
		r = pc_open(&f, l->path, 0);
		l->gone = r == -ENOENT || r == -ENOTDIR;
		if (l->gone)
			b->missing++;
		else if (r)
			b->unreadable++;
		if (r)
			continue;
		l->dev = (uint32_t)f.st.st_dev;
		l->ino = f.st.st_ino;
		l->size = (int64_t)f.size;
		if (l->recorded < 0)
			l->recorded = l->size;
		else if (l->recorded != l->size)
			b->changed++;
		sum_up(b, l, &f, look);
		pc_close(&f);
	}
	b->runs_listed = count_runs();
	sort(by_place);
	b->runs_best = count_runs();
}

static void put_meta(const struct pc_range *r)
{
	bool first = !room;

	book->meta += r->len;
	book->meta_runs++;
	if (!out)
		return;
	/* lines have an end: go on in another */
	if (first) {
		room = RANGES;
		put("\n@meta ", 0);
		pc_list_path(out, path);
		put("\t", 0);
	}
	room--;
	pc_list_range(out, first, r);
}

/* Adds the directories above a file, up to those known already, or to the root of its filesystem,
 * whose path then is the top unless a shorter one is. With the first begins the metadata: that of
 * a link, or of a file with a mount of its own, is on another filesystem, and has no part. */
static void add_parents(const char *file)
{
	size_t last = 0;
	struct stat st;
	char *slash;
	bool known;
	int fd;

	bb_snprintf(path, sizeof(path), "%s", file);
	while (path[1]) {
		slash = strrchr(path, '/');
		while (slash > path && slash[-1] == '/')
			slash--;
		slash += slash == path;
		*slash = '\0';
		fd = pc_opendir(AT_FDCWD, path, 0);
		if (fd < 0)
			return;
		if (sys_fstat(fd, &st) || st.st_dev != fs.dev) {
			sys_close(fd);
			break;
		}
		known = pc_seen(st.st_dev, st.st_ino);
		if (!fs.words[0] && !pc_meta_begin(fd, fs.words))
			fs.refused = true;
		else if (!known)
			pc_meta_add(fd, st.st_ino);
		sys_close(fd);
		if (fs.refused || (known && fs.top))
			return;
		last = (size_t)(slash - path);
	}
	if (last && last < fs.len) {
		fs.top = file;
		fs.len = last;
	}
}

/* The lines @fs and @meta of the filesystem that lines[i] is on, if it is one whose metadata can be
 * loaded. Returns the first line of the next. */
static size_t put_filesystem(size_t i)
{
	size_t end = i;

	fs = (struct filesystem){ .dev = lines[i]->dev, .len = SIZE_MAX };
	for (; end < count && lines[end]->dev == fs.dev; end++)
		/* a mount has an absolute path */
		if (!fs.refused && lines[end]->path[0] == '/')
			add_parents(lines[end]->path);
	if (!fs.top)
		return end;
	for (; i < end; i++)
		pc_meta_add(-1, lines[i]->ino);
	bb_snprintf(path, sizeof(path), "%.*s", (int)fs.len, fs.top);
	if (out) {
		put("@fs ", 0);
		pc_list_path(out, path);
		put("\t", 0);
		put(fs.words, 0);
	}
	room = 0;
	pc_meta_end(put_meta);
	put("\n", 0);
	return end;
}

/* By devices; on a disk by place, on flash by place within windows of time. Without recorded times
 * the lines have no order worth keeping. */
static void sort_for(enum pc_order order)
{
	uint32_t i, first;
	uint64_t bytes = 0;
	bool sweep = false;

	if (order == PC_AUTO && !timed)
		order = PC_DISK;
	sort(by_time);
	for (first = i = 0; i < count; ) {
		struct line *l = lines[i];

		if (first == i)		/* what is gone: as the first device */
			sweep = order == PC_DISK || (order == PC_AUTO
				&& (l->dev ? pc_seeks(l->dev) : lines[0]->swept));
		l->swept = sweep;
		bytes += l->bytes;
		if (++i < count && lines[i]->dev == l->dev && (sweep || bytes < WINDOW))
			continue;
		bb_sort(lines + first, i - first, sizeof(*lines), by_place);
		first = i;
		bytes = 0;
	}
}

/* In as many lines as keep below the length that a line may have. */
static void put_entry(const struct line *l)
{
	const char *text = l->ranges;
	struct pc_range r;
	int more = pc_range_next(&text, &r);
	unsigned n;

	check_sum += hash(l->path, l->ranges);
	do {
		pc_list_path(out, l->path);
		put("\t", 0);
		for (n = 0; more && n < RANGES; n++) {
			pc_list_range(out, !n, &r);
			more = pc_range_next(&text, &r);
		}
		if (l->recorded >= 0)
			put("\tsize=%llu", (uint64_t)l->recorded);
		put("\n", 0);
	} while (more);
}

void pc_book_write(struct pc_book *b, struct bb_out *o, enum pc_order order, bool prune)
{
	uint32_t at = 0;
	size_t i;

	book = b;
	out = o;
	sort_for(order);
	if (o)
		pc_list_header(o);
	for (i = 0; i < count && lines[i]->dev; )
		i = put_filesystem(i);
	if (!o)
		return;
	put(count && lines[0]->swept ? "@order disk\n" : "@order access\n", 0);
	for (i = 0; i < count; i++) {
		struct line *l = lines[i];
		uint32_t now = l->swept ? 0 : l->at;

		if (prune && l->gone)
			continue;
		if (prune && l->dev)	/* the list is to fit again */
			l->recorded = l->size;
		if (now != at) {
			at = now;
			put("@at %llu\n", at);
		}
		put_entry(l);
	}
}

bool pc_book_check(int fd)
{
	static struct pc_list list;
	struct pc_item item;

	pc_list_start(&list, fd, false);
	while (pc_list_next(&list, &item))
		if (item.kind == PC_ENTRY)
			check_sum -= hash(item.path, item.ranges);
	return !check_sum && !list.bad && !list.lines.error;
}
