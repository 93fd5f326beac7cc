/* SPDX-License-Identifier: 0BSD */
/* pc_query.c - what of a file is resident, and whether the answer can be trusted. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

#define WINDOW (16u << 20)	/* bytes looked at by one mincore(2) */
#define PAGE_MIN 4096
#define OVERFLOW_ID 65534	/* what ids without a mapping show as in a user namespace */

static unsigned char vec[WINDOW / PAGE_MIN];
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
	char buf[64];
	ssize_t n = pc_system_read("/proc/self/uid_map", buf, sizeof(buf));

	if (n <= 0)
		return n == -ENOENT;	/* no user namespaces, or no /proc */
	/* its form since there is such a file: "%10u %10u %10u" */
	return is_prefixed_with(buf, "         0          0 4294967295");
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

enum { MISSING, RESIDENT, COUNT };

/* Looks at the pages of [*at, end) until it has found the first run of those that are resident, or
 * missing; or counts the resident ones. Returns 1 and the run in *at and *len, 0, or -errno. */
static int scan(struct pc_file *f, uint64_t *at, uint64_t end, uint64_t *len, int what)
{
	uint64_t ps = pc_pagesize(), off = *at & -ps, run = 0;
	/* grows, for the next run may be near */
	uint64_t window = what == COUNT ? WINDOW : WINDOW / 64;

	if (what != COUNT && !mincore_tells(f))
		return -EPERM;
	end = (MIN(end, f->size) + ps - 1) & -ps;
	while (off < end) {
		uint64_t n = MIN(end - off, window);
		const unsigned char *v = vec;
		int r = sys_mincore(f->fd, off, (size_t)n, vec);

		if (r)
			return r;
		for (; n; n -= ps, off += ps) {
			if ((*v++ & 1) == !!what)
				run += ps;
			else if (run && what != COUNT)
				goto found;
		}
		window = MIN(window * 4, WINDOW);
		/* Holes of a file of terabytes are not gone through. Pages of holes that somebody
		 * read are overlooked. */
		if (off < end && (what == COUNT || (what == RESIDENT && !run))) {
			int64_t data = sys_seek_data(f->fd, off);

			if (data == -ENXIO)
				break;
			if (data > (int64_t)off)
				off = (uint64_t)data & -ps;
		}
	}
found:
	*len = run;
	if (!run)
		return 0;
	*at = off - run;
	return 1;
}

enum pc_source pc_query(struct pc_file *f, uint64_t off, uint64_t len, struct pc_pages *p)
{
	uint64_t ps = pc_pagesize(), end;
	int r;

	memset(p, 0, sizeof(*p));
	off = MIN(off, f->size);
	end = off + MIN(len, f->size - off);
	if (end == off)
		return PC_CACHESTAT;
	off &= -ps;
	p->total = (end - off + ps - 1) / ps;
	if (!f->no_cachestat && !no_cachestat) {
		/* the counts of the kernel, in its order */
		r = sys_cachestat(f->fd, off, end - off, (struct kabi_cachestat *)&p->resident);
		if (!r) {
			p->resident = MIN(p->resident, p->total);
			return PC_CACHESTAT;
		}
		f->no_cachestat = true;
		no_cachestat = r == -ENOSYS;
	}
	/* who sees a page that is absent is not being lied to */
	if (!S_ISBLK(f->st.st_mode) && scan(f, &off, end, &len, COUNT) >= 0) {
		p->resident = len / ps;
		if (p->resident < p->total || mincore_tells(f))
			return PC_MINCORE;
	}
	p->resident = 0;
	return PC_UNKNOWN;
}

int pc_missing(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len)
{
	return scan(f, off, end, len, MISSING);
}

int pc_resident(struct pc_file *f, uint64_t *off, uint64_t end, uint64_t *len)
{
	return scan(f, off, end, len, RESIDENT);
}

bool pc_next_data(const struct pc_file *f, uint64_t *at, uint64_t *end)
{
	uint64_t ps = pc_pagesize();
	int64_t data = sys_seek_data(f->fd, *at), hole;

	if (data == -ENXIO)	/* nothing but a hole */
		return false;
	if (data >= 0) {	/* else it cannot tell: all is data */
		hole = sys_seek_hole(f->fd, (uint64_t)data);
		*at = (uint64_t)data & -ps;
		if (hole > data)
			*end = MIN(*end, ((uint64_t)hole + ps - 1) & -ps);
	}
	return *at < *end;
}

int pc_missing_data(struct pc_file *f, uint64_t *off, uint64_t *len)
{
	uint64_t end;
	int r = 0;

	while (end = f->size, !r && pc_next_data(f, off, &end)) {
		r = pc_missing(f, off, end, len);
		if (!r)
			*off = end;
	}
	return r;
}
