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
#define FNV_SEED 0xcbf29ce484222325
#define NEAR (64u << 10)	/* bytes; a gap that is no seek */

struct line {			/* small: there may be 100,000 */
	const char *ranges;	/* NULL: whole */
	int64_t recorded, size;	/* in the list, and now */
	uint64_t ino, place;	/* place: byte on the device, UINT64_MAX: not known */
	uint64_t bytes;
	uint32_t at;		/* milliseconds */
	uint32_t nth;
	uint32_t dev;		/* 0: the file is not there; the kernel's numbers have 32 bits */
	bool disk;		/* its device seeks */
	bool swept;		/* written by place alone, whatever the time */
	bool gone;		/* not only out of reach */
	char path[];
};

static struct line **lines;
static size_t count, room;
static uint64_t written, check_sum;	/* entries, and the sum of their hashes */
static struct pc_book *book;
static struct bb_out *out;
static const char *meta_mount;
static bool first_range;
static bool indexed;		/* lines are one a file, not one a path */

/* FNV-1a; sums of it do not depend on the order. */
static uint64_t hash(uint64_t h, const void *p, size_t len)
{
	const unsigned char *byte = p;

	while (len--)
		h = (h ^ *byte++) * 0x100000001b3;
	return h;
}

/* By what it is, or by how it is called. */
static int compare_files(const struct line *x, const struct line *y)
{
	if (!indexed)
		return strcmp(x->path, y->path);
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_file(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;
	int r = compare_files(x, y);

	return r ? r : x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	if (!x->dev != !y->dev)		/* what is gone comes last */
		return x->dev ? -1 : 1;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	if (x->dev != y->dev || !x->dev)
		return by_time(a, b);
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return by_time(a, b);
}

static void sort(int (*compare)(const void *, const void *))
{
	bb_sort(lines, count, sizeof(*lines), compare);
}

static void add(const char *path, const char *ranges, int64_t recorded, uint64_t at)
{
	size_t len = strlen(path) + 1;
	struct line *l = xalloc(offsetof(struct line, path) + len);

	if (count == room) {
		/* what is not used of it takes no memory */
		size_t more = room ? room * 2 : 1 << 18;
		struct line **moved = xalloc(more * sizeof(*moved));

		if (count)
			memcpy(moved, lines, count * sizeof(*moved));
		lines = moved;
		room = more;
	}
	l->ranges = ranges ? xstrdup(ranges) : NULL;
	l->recorded = recorded;
	l->at = (uint32_t)MIN(at, UINT32_MAX);
	l->nth = (uint32_t)count;
	memcpy(l->path, path, len);
	lines[count++] = l;
}

static int by_range(const void *a, const void *b)
{
	const struct pc_range *x = a, *y = b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/* The union of the ranges of n lines. */
static const char *unite(struct line *const *l, size_t n)
{
	size_t i, k, ranges = 0, len = 0, at = 0;
	struct pc_range *r;
	const char *text;
	char *united;

	for (i = 0; i < n; i++) {
		len += strlen(l[i]->ranges) + 1;
		for (text = l[i]->ranges; text && *text; text = bb_strchrnul(text + 1, ','))
			ranges++;
	}
	r = xalloc(ranges * sizeof(*r));
	united = xalloc(len);
	for (i = k = 0; i < n; i++)
		for (text = l[i]->ranges; k < ranges && pc_range_next(&text, &r[k]) > 0; )
			k++;
	bb_sort(r, k, sizeof(*r), by_range);
	for (i = 0; i < k; i++) {
		uint64_t off = r[i].off, end = off + r[i].len;

		for (; i + 1 < k && r[i + 1].off <= end; i++)
			end = MAX(end, r[i + 1].off + r[i + 1].len);
		at += bb_snprintf(united + at, len - at, at ? ",%llu+%llu" : "%llu+%llu",
			(unsigned long long)off, (unsigned long long)(end - off));
	}
	return united;
}

/* Each path, or file, once, at its first time. */
static size_t merge(void)
{
	size_t i, end, n = 0, all = count;

	sort(by_file);
	for (i = 0; i < count; i = end) {
		struct line *l = lines[i];
		bool whole = !l->ranges;

		for (end = i + 1; end < count && !compare_files(lines[end], l); end++) {
			whole |= !lines[end]->ranges;
			l->recorded = MAX(l->recorded, lines[end]->recorded);
		}
		if (whole)
			l->ranges = NULL;
		else if (end - i > 1 || indexed)
			l->ranges = unite(lines + i, end - i);
		lines[n++] = l;
	}
	count = n;
	return all - n;
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
			add(item.path, item.ranges, item.size, at);
	}
	b->bad += list.bad;
	b->merged += merge();
	b->entries = count;
	sort(by_time);
	return -list.lines.error;
}

/* Counts what the entry asks for, and what of that is resident. */
static void sum_up(struct pc_book *b, struct line *l, struct pc_file *f, bool look)
{
	const char *text = l->ranges;
	struct pc_range r = { 0, l->recorded >= 0 ? (uint64_t)l->recorded : f->size };
	struct pc_pages p;

	if (text && pc_range_next(&text, &r) <= 0)
		return;
	l->place = pc_physical(f->fd, r.off);
	do {
		uint64_t off = MIN(r.off, f->size);

		l->bytes += MIN(r.len, f->size - off);
		if (look && pc_query(f, r.off, r.len, &p) != PC_UNKNOWN)
			b->resident += p.resident * pc_pagesize();
	} while (text && pc_range_next(&text, &r) > 0);
	b->bytes += l->bytes;
}

bool pc_book_index(void)
{
	struct stat st;
	size_t i, n = 0;
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
	static struct line wanted;
	size_t low = 0, high = count;

	wanted.dev = (uint32_t)st->st_dev;
	wanted.ino = st->st_ino;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int r = compare_files(&wanted, lines[middle]);

		if (!r) {
			*ranges = lines[middle]->ranges;
			return true;
		}
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

static uint64_t count_runs(void)
{
	uint64_t runs = 0, end = UINT64_MAX;
	dev_t dev = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct line *l = lines[i];

		if (!l->dev || !l->bytes || l->place == UINT64_MAX)
			continue;
		if (l->dev != dev || l->place < end || l->place - end > NEAR)
			runs++;
		dev = l->dev;
		end = l->place + (l->bytes + 4095) / 4096 * 4096;
	}
	return runs;
}

void pc_book_locate(struct pc_book *b, bool look)
{
	dev_t dev = 0;
	bool disk = true;
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
		if (f.st.st_dev != dev) {
			dev = f.st.st_dev;
			disk = pc_seeks(dev);
		}
		l->dev = (uint32_t)dev;
		l->disk = disk;
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

static void put(const char *s)
{
	bb_putmem(out, s, strlen(s));
}

static void begin_meta(void)
{
	put("\n@meta ");
	pc_list_path(out, meta_mount);
	put("\t");
	first_range = true;
}

static void put_meta(const struct pc_range *r)
{
	book->meta += r->len;
	book->meta_runs++;
	if (!out)
		return;
	/* lines have an end: go on in another */
	if (book->meta_runs % RANGES == 0)
		begin_meta();
	pc_list_range(out, first_range, r);
	first_range = false;
}

/* Adds the directories above a file, up to those known already, or to the root of its filesystem,
 * whose path then is left in top unless a shorter one is there. */
static void add_parents(char *path, dev_t dev, char *top, size_t size)
{
	char last[4096], *slash;
	struct stat st;
	bool inside = true, known;
	int fd;

	last[0] = '\0';
	while (inside && path[1] && (slash = strrchr(path, '/')) != NULL) {
		while (slash > path && slash[-1] == '/')
			slash--;
		slash[slash == path] = '\0';
		fd = pc_opendir(AT_FDCWD, path, 0);
		if (fd < 0)
			return;
		inside = !sys_fstat(fd, &st) && st.st_dev == dev;
		known = inside && pc_seen(dev, st.st_ino);
		if (inside && !known)
			pc_meta_add(fd, st.st_ino);
		sys_close(fd);
		if (known && top[0])
			return;
		if (inside)
			bb_snprintf(last, sizeof(last), "%s", path);
	}
	if (last[0] && (!top[0] || strlen(last) < strlen(top)))
		bb_snprintf(top, size, "%s", last);
}

/* Begins with the metadata of a filesystem, through the directory of a file that is on it: that of
 * a link, or of a file with a mount of its own, may be on another. */
static bool begin_filesystem(const struct line *l, bool *usable, char uuid[37], const char **type)
{
	char path[4096], *slash;
	struct stat st;
	bool right;
	int fd;

	bb_snprintf(path, sizeof(path), "%s", l->path);
	slash = strrchr(path, '/');
	if (path[0] != '/')
		return false;
	slash[slash == path] = '\0';
	fd = pc_opendir(AT_FDCWD, path, 0);
	if (fd < 0)
		return false;
	right = !sys_fstat(fd, &st) && st.st_dev == l->dev;
	*usable = right && pc_meta_begin(fd, uuid, type);
	sys_close(fd);
	return right;
}

/* The lines @fs and @meta of the filesystem that lines[i] is on, if it is one whose metadata can be
 * loaded. Returns the first line of the next. */
static size_t put_filesystem(size_t i)
{
	dev_t dev = lines[i]->dev;
	char path[4096], top[4096] = "", uuid[37];
	const char *type;
	bool usable = false;
	size_t end, k;

	for (end = i; end < count && lines[end]->dev == dev; )
		end++;
	for (k = i; k < end && !begin_filesystem(lines[k], &usable, uuid, &type); )
		k++;
	if (!usable)
		return end;
	for (k = i; k < end; k++) {
		pc_meta_add(-1, lines[k]->ino);
		if (lines[k]->path[0] != '/')	/* a mount has an absolute path */
			continue;
		bb_snprintf(path, sizeof(path), "%s", lines[k]->path);
		add_parents(path, dev, top, sizeof(top));
	}
	if (!top[0])
		return end;
	if (out) {
		put("@fs ");
		pc_list_path(out, top);
		put("\ttype=");
		put(type);
		put(" uuid=");
		put(uuid);
		meta_mount = top;
		begin_meta();
	}
	pc_meta_end(put_meta);
	if (out)
		put("\n");
	return end;
}

/* By devices; on a disk by place, on flash by place within windows of time. Without recorded times
 * the lines have no order worth keeping. */
static void sort_for(enum pc_order order)
{
	size_t i, first, n;
	uint64_t bytes = 0;
	bool timed = order == PC_ACCESS;

	for (i = 0; i < count; i++)
		timed |= lines[i]->at != 0;
	sort(by_time);
	for (first = i = 0; i < count; i++) {
		struct line *l = lines[i];

		l->swept = order == PC_DISK || (order == PC_AUTO
			&& (l->disk || !timed || (!l->dev && lines[0]->swept)));
		bytes += l->bytes;
		if (i + 1 < count && lines[i + 1]->dev == l->dev && (l->swept || bytes < WINDOW))
			continue;
		n = i + 1 - first;
		bb_sort(lines + first, n, sizeof(*lines), by_place);
		first = i + 1;
		bytes = 0;
	}
}

/* In as many lines as keep below the length that a line may have. */
static void put_entry(const struct line *l)
{
	const char *text = l->ranges;
	struct pc_range r;
	char number[32];
	bool more = text && pc_range_next(&text, &r) > 0;
	unsigned n;

	do {
		uint64_t h = hash(FNV_SEED, l->path, strlen(l->path));

		pc_list_path(out, l->path);
		put("\t");
		for (n = 0; more && n < RANGES; n++) {
			pc_list_range(out, !n, &r);
			h = hash(h, &r, sizeof(r));
			more = pc_range_next(&text, &r) > 0;
		}
		if (l->recorded >= 0)
			bb_putmem(out, number, bb_snprintf(number, sizeof(number), "\tsize=%llu",
				(unsigned long long)l->recorded));
		put("\n");
		written++;
		check_sum += h;
	} while (more);
}

void pc_book_write(struct pc_book *b, struct bb_out *o, enum pc_order order, bool prune)
{
	uint64_t at = UINT64_MAX;
	char number[32];
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
	put("@order ");
	put(count && lines[0]->swept ? "disk\n" : "access\n");
	for (i = 0; i < count; i++) {
		struct line *l = lines[i];
		uint64_t now = l->swept ? 0 : l->at;

		if (l->gone && prune)
			continue;
		if (l->dev && prune)	/* the list is to fit again */
			l->recorded = l->size;
		if (now != at && (now || at != UINT64_MAX)) {
			at = now;
			bb_putmem(o, number, bb_snprintf(number, sizeof(number), "@at %llu\n",
				(unsigned long long)at));
		}
		put_entry(l);
	}
}

bool pc_book_check(int fd)
{
	static struct pc_list list;
	struct pc_item item;
	struct pc_range r;
	uint64_t n = 0, sum = 0;

	pc_list_start(&list, fd, false);
	while (pc_list_next(&list, &item)) {
		uint64_t h;

		if (item.kind != PC_ENTRY)
			continue;
		h = hash(FNV_SEED, item.path, strlen(item.path));
		while (item.ranges && pc_range_next(&item.ranges, &r) > 0)
			h = hash(h, &r, sizeof(r));
		n++;
		sum += h;
	}
	return n == written && sum == check_sum && !list.bad && !list.lines.error;
}
