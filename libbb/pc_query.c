/* SPDX-License-Identifier: 0BSD */
/* pc_query.c - what of a file is resident, and whether the answer can be trusted. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

#define WINDOW 4096		/* pages looked at by one mincore(2), */
#define WINDOW_BYTES (128u << 20)	/* and the most it maps */
#define OVERFLOW_ID 65534	/* what ids without a mapping show as in a user namespace */

static unsigned char vec[WINDOW];
static bool no_cachestat;	/* the kernel has none */

uint64_t pc_pagesize(void)
{
	static uint64_t size;

	if (!size)
		size = sys_pagesize();
	return size;
}

/* Whether every id has a mapping here, as it has outside of user namespaces. */
static bool all_ids_mapped(void)
{
	uint64_t number[3] = { 1, 1, 0 };	/* first inside, first outside, how many */
	char buf[64];
	const char *p = buf;
	ssize_t n = pc_system_read("/proc/self/uid_map", buf, sizeof(buf));
	int i;

	if (n <= 0)
		return n == -ENOENT;	/* no user namespaces, or no /proc */
	for (i = 0; i < 3; i++) {
		while (*p == ' ')
			p++;
		bb_parse_u64(&p, &number[i]);
	}
	return !number[0] && !number[1] && number[2] == UINT32_MAX;
}

/* The kernel's own rule (can_do_mincore() in mm/mincore.c, since 5.2): who neither owns the file
 * nor may write it is told that every page is resident. */
static bool mincore_tells(struct pc_file *f)
{
	char number[12];

	if (S_ISBLK(f->st.st_mode))
		return false;	/* buffers of a mounted filesystem show as absent */
	if (f->st.st_uid == sys_euid())
		return true;
	if (sys_has_cap(KABI_CAP_FOWNER) && ((f->st.st_uid != OVERFLOW_ID
			&& f->st.st_gid != OVERFLOW_ID) || all_ids_mapped()))
		return true;
	if (pc_proc_fd() < 0)
		return false;
	bb_snprintf(number, sizeof(number), "%d", f->fd);
	return sys_may_write(pc_proc_fd(), number);
}

/* The first page at or behind page that may be in memory: holes of a file of terabytes are not
 * gone through. Pages of holes that somebody read are overlooked. */
static uint64_t behind_hole(struct pc_file *f, uint64_t page)
{
	uint64_t ps = pc_pagesize();
	int64_t data = sys_seek_data(f->fd, page * ps);

	if (data == -ENXIO)
		return UINT64_MAX;
	return data < 0 ? page : MAX(page, (uint64_t)data / ps);
}

static int by_mincore(struct pc_file *f, uint64_t first, uint64_t pages, uint64_t *resident)
{
	uint64_t ps = pc_pagesize(), end = first + pages;
	bool one = pages <= WINDOW;

	*resident = 0;
	while (first < end) {
		size_t i, n = MIN(end - first, MIN(WINDOW, WINDOW_BYTES / ps));
		int r = sys_mincore(f->fd, first * ps, n * ps, vec);

		if (r)
			return r;
		for (i = 0; i < n; i++)
			*resident += vec[i] & 1;
		first += n;
		if (!one && first < end)
			first = behind_hole(f, first);
	}
	return 0;
}

enum pc_source pc_query(struct pc_file *f, uint64_t off, uint64_t len, struct pc_pages *p)
{
	uint64_t ps = pc_pagesize(), end;
	struct kabi_cachestat cs;
	int r;

	memset(p, 0, sizeof(*p));
	off = MIN(off, f->size);
	end = off + MIN(len, f->size - off);
	if (end == off)
		return PC_CACHESTAT;
	off -= off % ps;
	p->total = (end - off + ps - 1) / ps;
	if (!f->no_cachestat && !no_cachestat) {
		r = sys_cachestat(f->fd, off, end - off, &cs);
		if (!r) {
			p->resident = MIN(cs.cache, p->total);
			p->dirty = cs.dirty;
			p->writeback = cs.writeback;
			p->evicted = cs.evicted;
			p->recently_evicted = cs.recently_evicted;
			return PC_CACHESTAT;
		}
		f->no_cachestat = true;
		no_cachestat = r == -ENOSYS;
	}
	/* who sees a page that is absent is not being lied to */
	if (!S_ISBLK(f->st.st_mode) && !by_mincore(f, off / ps, p->total, &p->resident)
			&& (p->resident < p->total || mincore_tells(f)))
		return PC_MINCORE;
	p->resident = 0;
	return PC_UNKNOWN;
}

/* The first run of pages that are resident or not, as wanted. */
static int find_run(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len, bool resident)
{
	uint64_t ps = pc_pagesize();
	uint64_t page = *off / ps, last, run = 0;
	size_t window = 64;	/* pages; grows, for the next run may be near */

	if (!mincore_tells(f))
		return -EPERM;
	last = (MIN(end, f->size) + ps - 1) / ps;
	while (page < last) {
		size_t i, n = MIN(last - page, window);
		int r = sys_mincore(f->fd, page * ps, n * ps, vec);

		if (r)
			return r;
		for (i = 0; i < n; i++, page++) {
			if ((vec[i] & 1) == resident)
				run++;
			else if (run)
				goto found;
		}
		window = MIN(window * 4, MIN(WINDOW, WINDOW_BYTES / ps));
		if (resident && !run && page < last)
			page = behind_hole(f, page);
	}
	if (!run)
		return 0;
found:
	*off = (page - run) * ps;
	*len = run * ps;
	return 1;
}

int pc_missing(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len)
{
	return find_run(f, off, end, len, false);
}

int pc_missing_data(struct pc_file *f, uint64_t *off, uint64_t *len)
{
	uint64_t ps = pc_pagesize();

	while (*off < f->size) {
		uint64_t end = f->size;
		int64_t data = sys_seek_data(f->fd, *off), hole = -1;
		int r;

		if (data == -ENXIO)
			break;
		if (data >= 0)
			hole = sys_seek_hole(f->fd, (uint64_t)data);
		if (hole > data && (uint64_t)hole < end)
			end = (uint64_t)hole;
		if (data > (int64_t)*off)
			*off = (uint64_t)data;
		r = pc_missing(f, off, end, len);
		if (r)
			return r;
		*off = (end + ps - 1) / ps * ps;
	}
	return 0;
}

int pc_resident(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len)
{
	return find_run(f, off, end, len, true);
}
