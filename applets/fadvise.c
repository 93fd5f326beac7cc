/* SPDX-License-Identifier: 0BSD */
/* fadvise - give the kernel advice about files, and see to it */
//config:config FADVISE
//config:	bool "fadvise"
//config:	default y
//config:	help
//config:	  posix_fadvise(2) from the shell: drop files from the page cache, load them,
//config:	  or say how an inherited descriptor will be read.
//config:
//config:config FEATURE_FADVISE_SYNC
//config:	bool "Make it so (-s, -v)"
//config:	default y
//config:	depends on FADVISE
//config:	help
//config:	  Write dirty pages out before dropping them, look what stayed, and say why.
//config:
//config:config FEATURE_FADVISE_TREES
//config:	bool "Trees (-R, -x, -X)"
//config:	default y
//config:	depends on FADVISE
//config:	help
//config:	  Advise on all files below directories.
//config:
//config:config FEATURE_FADVISE_LIST
//config:	bool "Lists (-f, -0, -E)"
//config:	default y
//config:	depends on FADVISE
//config:	help
//config:	  Advise on what a list names, or on all but what a list names.
//applet:APPLET(fadvise, FADVISE)
//usage:[OPTIONS] FILE... | -d FD
//usage:
//usage:Give advice about FILEs with posix_fadvise(2)
//usage:
//usage:-a,--advice ADVICE	normal, sequential, random, noreuse, willneed or dontneed (default)
//usage:-o,--offset OFF	start at byte OFF (K, M, G, T; negative: from the end)
//usage:-l,--length LEN	for LEN bytes (K, M, G, T; 0: up to the end)
//usage:-d,--fd FD	for an open descriptor
//usage:{FEATURE_WAIT}-w,--wait	willneed: wait until everything is resident
//usage:{FEATURE_FADVISE_SYNC}-s,--sync	dontneed: write out first; exit 1 naming what stays
//usage:{FEATURE_FADVISE_SYNC}-v,--verbose	say what was dropped
//usage:{FEATURE_FADVISE_LIST}-E,--except LIST	not for what LIST names
//usage:{FEATURE_FADVISE_LIST}-f,--files-from LIST	for what LIST names (-: standard input)
//usage:{FEATURE_FADVISE_LIST}-0,--null	names in LIST end with NUL, not newline
//usage:{FEATURE_FADVISE_TREES}-R,--recursive	for all files below FILEs that are directories
//usage:{FEATURE_FADVISE_TREES}-x,--one-file-system	with -R: stay on the filesystem of each FILE
//usage:{FEATURE_FADVISE_TREES}-X,--exclude GLOB...	with -R: leave out paths that match (* matches / too)
//man:ADVICE
//man:dontneed drops pages from the cache. Alone it does what posix_fadvise does: pages that are
//man:dirty, mapped by a process, locked, or only in part in the range stay, and nothing is said.
//man:With -s dirty pages are written first, and a second try is made. How much is still there
//man:then is said, by reasons as far as they can be seen: dirty or being written; not wholly in
//man:the range; ignored by the filesystem (tmpfs, ramfs, hugetlbfs). The rest is mapped, locked, or
//man:of a large folio that is not wholly in the range: nothing tells which, nor, on overlayfs,
//man:what is dirty. Without -v all files begin to be written before the first is waited for.
//man:
//man:Files on network and FUSE filesystems that the list of -E names are not looked at, for that
//man:may hang. Whatever is on such a filesystem is then left alone, and named.
//man:
//man:willneed loads all of the range, not only as much as one call does.
//man:
//man:normal, sequential, random and noreuse hold for an open descriptor. Given with FILE they have
//man:no effect, for its descriptor closes as fadvise ends; with -d they hold for all who share it.
//man:EXAMPLES
//man:Drop a file that was just written, and know that it is gone:
//man:
//man:	fadvise -s big.img
//man:
//man:Leave the cache as it was before a backup:
//man:
//man:	pagecache-stat -l -R /srv >hot; backup /srv; fadvise -s -E hot -R /srv
//man:
//man:Advice for the descriptor that a program reads:
//man:
//man:	{ fadvise -a sequential -d 0; md5sum; } <big.img
//man:EXIT STATUS
//man:0 when the advice was given (with -s: and nothing kept; with -w: everything is resident), 1
//man:when something was not, 2 for wrong usage.
//man:SEE ALSO
//man:posix_fadvise(2), readahead(1), pagecache-stat(1)

/* posix_fadvise(2) says 0 whatever becomes of the pages: what is claimed here was looked at. */

#include "libbb.h"
#include "pc_many.h"
#include "pc_sort.h"
#include "report.h"
#include "kabi.h"
#include "opts.h"

#define TO_END UINT64_MAX	/* in place of an offset: and what may be behind the size too */
#define UNKNOWN UINT64_MAX	/* pages */

static struct {
	uint32_t opts;
	int advice;
	uint32_t first;		/* 0; or what is taken out of opts until the second time */
	int64_t off, len;
	uint64_t sum[3];	/* asked, dropped, kept: pages */
	struct pc_pages pages;	/* as seen last; dirty with what is being written */
	bool maybe_dirty;	/* what was kept, though it is not seen, or not any more */
	bool in_doubt;		/* the list of -E names files that were not looked at */
} G;

#define OPT(c) (G.opts & FADVISE_OPT_##c)

static int parse_advice(char *word)
{
	/* in the order of their numbers; s390 has a gap before dontneed */
	static const char words[] = "normal\0random\0sequential\0willneed\0dontneed\0noreuse\0"
		"willneeded\0";
	char *p;
	int n;

	p = is_prefixed_with(word, "POSIX_FADV_");
	word = p ? p : word;
	for (p = word; *p; p++)
		*p |= 0x20;
	n = index_in_strings(words, word);
	if (n < 0)
		bb_usage_error("unknown advice '%s'", word);
	return n == 6 ? POSIX_FADV_WILLNEED : n < 4 ? n : n - 4 + POSIX_FADV_DONTNEED;
}

static void report(const char *name, const uint64_t n[3])
{
	uint64_t sum;
	int i;

	for (i = 0; i < 3; i++) {
		bb_printf("%8s ", bb_amount(n[i] * pc_pagesize(), n[i] > INT64_MAX));
		sum = G.sum[i] + n[i];
		G.sum[i] = sum < n[i] ? UNKNOWN : sum;
	}
	bb_printf(" %s\n", name);
}

/* How many pages are resident. */
static uint64_t look(struct pc_file *f, uint64_t off, uint64_t end)
{
	enum pc_source source = pc_query(f, off, end - off, &G.pages);

	G.maybe_dirty |= source != PC_CACHESTAT;
	G.pages.dirty += G.pages.writeback;
	return source == PC_UNKNOWN ? UNKNOWN : G.pages.resident;
}

/* Says why up to most of n pages are kept; returns how many are left. */
static uint64_t kept(const char *name, uint64_t n, uint64_t most, const char *why)
{
	most = MIN(n, most);
	if (most)
		bb_error_msg("%s: kept %s: %s", name, bb_amount(most * pc_pagesize(), false), why);
	return n - most;
}

/* Nothing tells pages that are mapped from those that are locked, in memory or for a moment, or
 * from those of large folios that reach out of the range. DAX caches nothing, so keeps nothing. */
static void explain(struct pc_file *f, const char *name, uint64_t off, uint64_t end, uint64_t n)
{
	static const char whole[] = "dirty, mapped or locked",
		part[] = "dirty, mapped, locked or not wholly in the range";
	const char *why = off || end != TO_END ? part : whole;
	uint64_t cut = 0;

	if (n == UNKNOWN) {
		bb_error_msg("%s: what is kept cannot be known", name);
		return;
	}
	/* the node of a device may be on a tmpfs */
	if (!f->st.st_rdev && (f->fs_type == KABI_TMPFS_MAGIC
			|| f->fs_type == KABI_RAMFS_MAGIC || f->fs_type == KABI_HUGETLBFS_MAGIC)) {
		kept(name, n, n, "ignored by its filesystem");
		return;
	}
	if (!G.maybe_dirty)
		why += sizeof("dirty, ") - 1;
	n = kept(name, n, G.pages.dirty, "dirty");
	/* the pages in which the range begins and ends, if it does so within one */
	for (;; off = end) {
		look(f, off, off + (-off & (pc_pagesize() - 1)));
		cut += G.pages.resident > G.pages.dirty;
		if (off == end)
			break;
	}
	n = kept(name, n, cut, part + sizeof("dirty, mapped, locked or ") - 1);
	kept(name, n, n, why);
}

static void advise_range(struct pc_file *f, const char *name, uint64_t off, uint64_t end)
{
	struct pc_fetch t = { .off = off, .len = end - off, .flags = OPT(w) ? PC_WAIT : 0 };
	uint64_t len = end == TO_END ? 0 : end - off;
	uint64_t n[3], before = 0;
	bool again = OPT(s);
	int r = 0;

	if (OPT(v))
		before = look(f, off, end);
	G.maybe_dirty = !OPT(s) && G.pages.dirty;
	if (OPT(s))
		r = sys_sync_range(f->fd, off, len);
once_more:
	/* what is never written has no fdatasync */
	if (r == -EINVAL)
		r = 0;
	if (!r)
		r = sys_fadvise(f->fd, off, len, G.advice);
	if (!r && G.advice == POSIX_FADV_WILLNEED)
		r = pc_fetch(f, &t);
	if (r)
		bb_failed(name, -r);
	if (!OPT(s) && !OPT(v))
		return;
	n[2] = look(f, off, end);
	n[0] = G.pages.total;
	if (!r && n[2] && again) {
		/* filesystems that lie on others, or compress, want more */
		again = false;
		r = sys_fdatasync(f->fd);
		goto once_more;
	}
	if (OPT(s) && n[2])
		bb_not_done = true;
	n[1] = before - MIN(before, n[2]);	/* if that is unknown: more than there can be */
	if (n[2] == UNKNOWN)
		n[1] = UNKNOWN;
	if (!r)
		explain(f, name, off, end, n[2]);
	if (OPT(v))
		report(name, n);
}

/* All of the range but what the list of -E has. */
static void advise(struct pc_file *f, const char *name)
{
	uint64_t off = (uint64_t)G.off, len = (uint64_t)G.len, end;
	const char *except;
	struct pc_range r;

	if (G.off < 0)
		off = f->size - MIN(f->size, -off);
	/* the last page goes with the file */
	end = len && off + len < f->size ? off + len : TO_END;
	if (ENABLE_FEATURE_FADVISE_LIST && ENABLE_FEATURE_NETWORK_MOUNTS && G.in_doubt
			&& pc_type_is_foreign(f->fs_type)) {
		bb_complain("%s: left alone, may be listed", name);
		return;
	}
	if (ENABLE_FEATURE_FADVISE_LIST && pc_book_find(&f->st, &except)) {
		uint64_t page = pc_pagesize(), behind;

		if (!except)
			return;
		while (pc_range_next(&except, &r) > 0) {
			behind = r.off + r.len;
			r.off &= -page;
			if (r.off > off)
				advise_range(f, name, off, MIN(r.off, end));
			off = MAX(off, behind < f->size ? (behind + page - 1) & -page : TO_END);
			if (off >= end)
				return;
		}
	}
	advise_range(f, name, off, end);
}

static void advise_file(const char *path, int dirfd, const char *name, unsigned flags)
{
	struct pc_file f;
	int r = pc_openat(&f, dirfd, name, flags);

	if (r) {
		bb_failed(path, -r);
		return;
	}
	/* a list may have several ranges of a file */
	if (!OPT(R) || OPT(f) || G.first || f.st.st_nlink < 2 || !pc_seen(f.st.st_dev, f.st.st_ino))
		advise(&f, path);
	pc_close(&f);
}

#if ENABLE_FEATURE_FADVISE_TREES
static void found(struct pc_walk *w UNUSED_PARAM, const struct pc_entry *e)
{
	advise_file(e->path, e->dirfd, e->name, e->flags);
}
#endif

static void advise_below(const char *name)
{
#if ENABLE_FEATURE_FADVISE_TREES
	if (OPT(R)) {
		struct pc_walk w = { .one_fs = OPT(x), .file = found, .error = bb_failed,
			.exclude = opt_list[FADVISE_ARG_X] };

		pc_walk(&w, name);
		return;
	}
#endif
	advise_file(name, AT_FDCWD, name, PC_BLKDEV);
}

static void advise_entry(struct pc_item *item)
{
	struct pc_range r;
	int64_t off = G.off, len = G.len;

	if (!item->ranges)
		advise_below(item->path);
	for (; pc_range_next(&item->ranges, &r) > 0; G.off = off, G.len = len) {
		if (!r.len)	/* which means up to the end */
			continue;
		G.off = (int64_t)r.off;
		G.len = (int64_t)r.len;
		advise_below(item->path);
	}
}

/* Nothing may be dropped that could not be excepted. */
static void read_exceptions(const char *name)
{
	static struct pc_book book;
	int r, fd = open_or_warn_stdin(name);

	if (fd < 0)
		bb_exit(EXIT_NOT_DONE);
	r = pc_book_read(&book, fd, OPT(0));
	if (r || book.bad)
		bb_error_msg_and_die("%s: %s", name, r ? bb_strerror(-r) : "has bad lines");
	G.in_doubt = pc_book_index();
}

int fadvise_main(int argc UNUSED_PARAM, char **argv)
{
	struct pc_file f;
	char **name;
	int fd = -1, r;

	G.opts = getopt32(argv, FADVISE_OPTSTR, FADVISE_LONGS);
	G.advice = OPT(a) ? parse_advice(opt_arg[FADVISE_ARG_a]) : POSIX_FADV_DONTNEED;
	if (OPT(o))
		G.off = xatosize(opt_arg[FADVISE_ARG_o], SIZE_NEGATIVE, "offset");
	G.len = bb_size_option(FADVISE_ARG_l, 0, "length");
	if (!OPT(d) == !(argv[0] || OPT(f)) || (OPT(0) && !OPT(f) && !OPT(E))
			|| ((OPT(x) || OPT(X)) && !OPT(R))
			|| (OPT(s) && G.advice != POSIX_FADV_DONTNEED)
			|| (OPT(w) && G.advice != POSIX_FADV_WILLNEED))
		bb_show_usage();
	if (ENABLE_FEATURE_FADVISE_LIST && OPT(E))
		read_exceptions(opt_arg[FADVISE_ARG_E]);
	if (ENABLE_FEATURE_FADVISE_LIST && OPT(f)) {
		fd = open_or_warn_stdin(opt_arg[FADVISE_ARG_f]);
		if (fd < 0)
			bb_not_done = true;
	}
	if (G.advice != POSIX_FADV_DONTNEED) {
		if (OPT(v) && G.advice != POSIX_FADV_WILLNEED && !OPT(d))
			bb_printf("no effect without -d\n");
		G.opts &= ~(uint32_t)FADVISE_OPT_v;
	}
	if (OPT(v))
		bb_printf("   ASKED  DROPPED     KEPT  FILE\n");
	if (OPT(d)) {
		const char *number = opt_arg[FADVISE_ARG_d];
		int64_t n = xatosize(number, 0, "descriptor");

		r = pc_adopt(&f, (int)MIN(n, INT32_MAX));
		if (r)
			bb_failed(number, -r);
		else
			advise(&f, number);
	}
	/* All begin to be written, which dropping does, before the first is waited for. But what is
	 * clean goes at once, and would be missing in the account. */
	for (G.first = OPT(v) ? 0 : OPT(s);; G.first = 0) {
		G.opts ^= G.first;
		bb_quiet = G.first;	/* what fails is said the second time */
		for (name = argv; *name; name++)
			advise_below(*name);
		if (!G.first)
			break;
		G.opts ^= G.first;
		bb_not_done = false;
	}
	if (fd >= 0)
		bb_each_entry(fd, opt_arg[FADVISE_ARG_f], OPT(0), advise_entry);
	if (OPT(v))
		report("total", G.sum);
	return EXIT_DONE;
}
