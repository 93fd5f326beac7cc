/* SPDX-License-Identifier: 0BSD */
/* pagecache-stat - say how much of files is in the page cache */
//config:config PAGECACHE_STAT
//config:	bool "pagecache-stat"
//config:	default y
//config:	help
//config:	  Print how much of each file is resident in the page cache. Called by the
//config:	  name fincore it stands in for that program of util-linux.
//config:
//config:config FINCORE_LINK
//config:	bool "Install the name fincore"
//config:	default n
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Also make a link of this name when installing. The box answers to it
//config:	  in any case.
//config:
//config:config FEATURE_PAGECACHE_STAT_JSON
//config:	bool "JSON output (-J)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Output for programs, in the form that fincore -J has.
//config:
//config:config FEATURE_PAGECACHE_STAT_TREES
//config:	bool "Trees (-R, -x, -X)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Print all files below directories.
//config:
//config:config FEATURE_PAGECACHE_STAT_LIST
//config:	bool "Lists (-l, -L, -f, -0)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Write what is resident, or missing, as a list that readahead-list can load,
//config:	  and look at the files that a list names.
//config:
//config:config FEATURE_PAGECACHE_STAT_PROCESS
//config:	bool "Files of processes (-p)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Print the files that a process maps or holds open.
//config:
//config:config FEATURE_PAGECACHE_STAT_COLUMNS
//config:	bool "More columns (-A, -C)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  The columns DIRTY, WRITEBACK, EVICTED and so on, of Linux 6.5.
//config:
//config:config FEATURE_PAGECACHE_STAT_MAP
//config:	bool "Map of each file (-o MAP)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  The column MAP, which shows the parts of a file that are resident.
//config:
//config:config FEATURE_PAGECACHE_STAT_ASK
//config:	bool "Questions and filters (-q, -a, -m)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Answer by the exit status whether files are resident, and print only those
//config:	  that are, or are enough.
//config:
//config:config FEATURE_PAGECACHE_STAT_SORT
//config:	bool "Order (-S, -N)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Print the files of which most is resident, or by another column.
//config:
//config:config FEATURE_PAGECACHE_STAT_SYSTEM
//config:	bool "The whole system"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Without a FILE, print the sizes of all that the system caches.
//config:
//config:config FEATURE_PAGECACHE_STAT_REPEAT
//config:	bool "Again and again (-i)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Look every few seconds, and show what changed.
//applet:APPLET(pagecache-stat, PAGECACHE_STAT)
//applet:ALIAS(fincore, pagecache-stat, FINCORE_LINK)
//usage:[OPTIONS] [FILE...]
//usage:
//usage:Print how much of each FILE is in the page cache
//usage:
//usage:-b,--bytes	sizes in bytes, without units
//usage:-n,--noheadings	no headings
//usage:-r,--raw	columns not aligned, blanks in names escaped
//usage:-c,--total	a last line with the sum, of files not shown too
//usage:{FEATURE_PAGECACHE_STAT_JSON}-J,--json	JSON
//usage:-o,--output LIST	columns (+LIST: RES,PAGES,SIZE,FILE and these)
//usage:{FEATURE_PAGECACHE_STAT_COLUMNS}-A,--output-all	all columns
//usage:{FEATURE_PAGECACHE_STAT_COLUMNS}-C,--cachestat	by cachestat(2) only
//usage:{FEATURE_PAGECACHE_STAT_ASK}-a,--cached	only files of which something is resident
//usage:{FEATURE_PAGECACHE_STAT_ASK}-m,--min PCT	only files of which so much is
//usage:{FEATURE_PAGECACHE_STAT_ASK}-q,--quiet	only the status: 0 if all (or -m) of each is resident,
//usage:{FEATURE_PAGECACHE_STAT_ASK}	1 if not, 3 if unknown
//usage:{FEATURE_PAGECACHE_STAT_SORT}-S,--sort COLUMN	the largest first (FILE: by name)
//usage:{FEATURE_PAGECACHE_STAT_SORT}-N,--top N	only the first N (by RES without -S)
//usage:{FEATURE_PAGECACHE_STAT_REPEAT}-i,--interval SECS	again and again, with what changed
//usage:{FEATURE_PAGECACHE_STAT_TREES}-R,--recursive	all files below FILEs that are directories
//usage:{FEATURE_PAGECACHE_STAT_TREES}-x,--one-file-system	with -R: stay on the filesystem of each FILE
//usage:{FEATURE_PAGECACHE_STAT_TREES}-X,--exclude GLOB...	with -R: leave out paths that match (* matches / too)
//usage:{FEATURE_PAGECACHE_STAT_LIST}-f,--files-from LIST	what LIST names (-: standard input)
//usage:{FEATURE_PAGECACHE_STAT_LIST}-0,--null	names in LIST end with NUL, not newline
//usage:{FEATURE_PAGECACHE_STAT_LIST}-l,--list	what is resident, as a list for readahead-list
//usage:{FEATURE_PAGECACHE_STAT_LIST}-L,--missing	the same of what is not, holes left out
//usage:{FEATURE_PAGECACHE_STAT_PROCESS}-p,--pid PID...	the files that process PID maps or holds open (-p again: another)
//usage:
//usage:Columns: PAGES SIZE FILE RES PCT
//usage:{FEATURE_PAGECACHE_STAT_MAP}MAP (a bar of the file: # resident, + partly, . not)
//usage:{FEATURE_PAGECACHE_STAT_COLUMNS}DIRTY WRITEBACK EVICTED RECENTLY_EVICTED, and DIRTY_PAGES and so on
//usage:{FEATURE_PAGECACHE_STAT_REPEAT}CHANGE (of RES, with -i)
//usage:"?": cannot be known (neither owner nor allowed to write).
//usage:{FEATURE_PAGECACHE_STAT_SYSTEM}Without FILE: what the system has in its caches.
//man:EXAMPLES
//man:How much of two programs is in memory, and a sum:
//man:
//man:	pagecache-stat -c /usr/bin/perl /usr/bin/python3
//man:
//man:Per cent and name only, for a script:
//man:
//man:	pagecache-stat -n -r -o PCT,FILE /usr/bin/perl
//man:
//man:The ten files below /usr of which most is in memory, and the sum of all:
//man:
//man:	pagecache-stat -R -N 10 -c /usr
//man:
//man:Which parts of files are, and how much of them is to be written:
//man:
//man:	pagecache-stat -o PCT,DIRTY,MAP,FILE /srv/*
//man:
//man:Wait until a file has been loaded:
//man:
//man:	until pagecache-stat -q big.img; do sleep 1; done
//man:
//man:Load what is missing of a tree, and no more:
//man:
//man:	pagecache-stat -L -R /srv | readahead-list -
//man:
//man:What is in memory now, to be loaded again after a reboot:
//man:
//man:	pagecache-stat -l -x -R / >cache.list
//man:LISTS
//man:LIST is what readahead-list plays, or names, one a line; of names only -0 takes each as it is:
//man:without it those that begin with # or @ are passed over, and "12 /abs" means /abs.
//man:PROCESSES
//man:-p prints each regular file and block device once, by the name that the kernel shows: that of
//man:a file in a container or chroot may mean nothing here, that of a deleted one ends in
//man:" (deleted)". With -l it is an error when that name does not lead to the file. Left out are
//man:files of network, FUSE and kernel filesystems, and of mounts that cannot be seen, as after
//man:umount -l, and of overlayfs and the like that is not mounted here too, as in containers
//man:without root, for asking may hang; and memory, for nothing of it can be loaded or dropped:
//man:tmpfs, shared memory, memfd. To look at a deleted file that is mapped needs CAP_SYS_ADMIN or
//man:CAP_CHECKPOINT_RESTORE.
//man:OUTPUT
//man:RES is the resident part in bytes, PAGES the same in pages, SIZE the size of the file, PCT
//man:the resident part of its pages in per cent: 0% and 100% mean none and all, nothing is rounded
//man:to them. Pages that are still being read count. DIRTY is to be written, WRITEBACK is being
//man:written; EVICTED was thrown out, RECENTLY_EVICTED so lately that memory seems too small for
//man:it. These four are "?" where the kernel has no cachestat(2), and on overlayfs.
//man:
//man:MAP has a cell for each page, or fewer, as many as fit the terminal; 80 columns where there
//man:is none. Its cells are # for all of it resident, + for a part, . for nothing, ? for unknown.
//man:
//man:Bytes in names that are control characters or not UTF-8 are printed as \xHH. In JSON a
//man:byte HH that is not UTF-8 is written \udcHH, as Python's surrogateescape does, and what is
//man:unknown is null. The sum is an object "total" of its own there, and the last of the files, by
//man:the name TOTAL, only when the program is called as fincore.
//man:
//man:With -i a table follows a table, parted by an empty line if it has several, until SIGINT or
//man:SIGTERM come; CHANGE is what RES gained or lost since the last.
//man:FINCORE
//man:By the name fincore it takes the place of util-linux 2.43's, -A being --output-all without PCT
//man:and MAP. Other than there: what is unknown is "?", and not empty or all of the file; wrong
//man:usage is status 2; a directory without -R is said to be none; sizes with units are strings
//man:in all of JSON; -C is an error, and no 0, on overlayfs too.
//man:QUESTIONS
//man:With -q a file is resident when reading it would wait for no device: mincore(2) is asked, as
//man:cachestat(2) counts what is only on its way; a hole is not missing. With several files each
//man:has to be; one that is known not to be (1) outweighs one that is unknown (3). -a and -m leave
//man:out what is unknown, -c counts it.
//man:THE SYSTEM
//man:Cached, the page cache, has more than the files that a walk finds: Shmem (tmpfs, shared
//man:memory), files deleted but open, and those below other mounts. Buffers is the cache of block
//man:devices, which holds metadata. CgroupCached is what the memory cgroup of the caller is
//man:charged for, CgroupLimit the least limit above it.
//man:EXIT STATUS
//man:0; 1 when a file could not be looked at (a question mark is not a failure); 2 for wrong usage.
//man:With -q: 0 resident, 1 not, 3 unknown or not there.
//man:SEE ALSO
//man:fincore(1), cachestat(2), mincore(2)

/* What a file has in the cache is asked here; rows.c prints it. */

#include "libbb.h"
#include "pc_many.h"
#include "process.h"
#include "report.h"
#include "rows.h"
#include "kabi.h"
#include "opts.h"

#define RANGES 1024		/* in a line of a list */
#define LOOKS 65536		/* places for what the last look saw: all that 16 bits count */

static struct {
	uint32_t opts;
	int status;		/* the answer of -q */
	unsigned percent;	/* -m */
	uint64_t nth;		/* row of the system's */
	struct row sum;
	struct pc_file file;	/* being looked at */
	struct pc_walk walk;
} G;

#define CHANGE "" IF_FEATURE_PAGECACHE_STAT_REPEAT("CHANGE,")
#define OPT(c) (G.opts & PAGECACHE_STAT_OPT_##c)

static void finish_table(void)
{
	rows_end(OPT(c) ? &G.sum : NULL);
}

/* Nobody wants to wait for the end of a large tree. */
static void heed_signals(void)
{
	if (OPT(i) && bb_told_to_end(0)) {
		finish_table();
		bb_exit(G.status);
	}
}

/* A question's answer; what is known to be wanting outweighs what is not known. */
static void cannot_tell(void)
{
	if (G.status == EXIT_DONE)
		G.status = EXIT_UNKNOWN;
}

static void cannot_look(const char *path, int err)
{
	if (OPT(q))
		cannot_tell();
	else
		bb_failed(path, err);
}

static bool is_enough(const struct pc_pages *p)
{
	return p->resident * 100 >= p->total * G.percent;
}

#if ENABLE_FEATURE_PAGECACHE_STAT_ASK
/* cachestat counts pages that are still being read: mincore answers, but of block devices it knows
 * nothing. */
static void answer(void)
{
	struct pc_pages p;
	uint64_t off = 0, len;
	int e = pc_missing_data(&G.file, &off, &len);

	if ((e == 1 && OPT(m)) || S_ISBLK(G.file.st.st_mode)) {
		G.file.no_cachestat = !S_ISBLK(G.file.st.st_mode);
		e = pc_query(&G.file, 0, UINT64_MAX, &p) == PC_UNKNOWN ? -EPERM : !is_enough(&p);
	}
	if (e < 0)
		cannot_tell();
	else if (e)
		G.status = EXIT_NOT_DONE;
}
#endif

#if ENABLE_FEATURE_PAGECACHE_STAT_REPEAT
/* What RES has gained since the same was looked at before. Past LOOKS files it is not known. */
static void find_change(struct row *r, uint64_t key)
{
	static struct look {
		uint64_t key, res;
	} *looks, *l;
	static unsigned used;
	uint64_t res = r->count[0] * pc_pagesize();
	uint16_t i = (uint16_t)(key >> 48);

	if (!OPT(i) || !r->known)
		return;
	if (!looks)
		looks = xalloc(LOOKS * sizeof(*looks));
	key |= 1;
	while (l = &looks[i], l->key && l->key != key)
		i++;
	if (l->key) {
		r->changed = true;
		r->change = (int64_t)(res - l->res);
	} else if (used++ == LOOKS / 4 * 3) {
		used--;
		return;
	}
	l->key = key;
	l->res = res;
}
#else
# define find_change(r, key) ((void)(key))
#endif

#if ENABLE_FEATURE_PAGECACHE_STAT_MAP
/* Every cell by a question of its own: where cachestat answers, a large file costs no more. */
static const char *draw(const struct pc_pages *all)
{
	static char map[256];
	uint64_t i, first, next = 0, n = MIN(all->total, rows.cells), ps = pc_pagesize();
	bool simple = !all->resident || all->resident == all->total;
	struct pc_pages p = *all;

	for (i = 0; i < n; i++) {
		first = next;
		next = all->total * (i + 1) / n;
		if (!simple && pc_query(&G.file, first * ps, (next - first) * ps, &p) == PC_UNKNOWN)
			map[i] = '?';
		else
			map[i] = !p.resident ? '.' : p.resident < p.total ? '+' : '#';
	}
	map[n] = '\0';
	return n ? map : "-";
}
#endif

#if ENABLE_FEATURE_PAGECACHE_STAT_LIST
/* Lists hold absolute paths. */
static void list_path(const char *path)
{
	static char cwd[4096];

	if (path[0] != '/') {
		if (!cwd[0] && (sys_getcwd(cwd, sizeof(cwd)) || cwd[0] != '/'))
			bb_error_msg_and_die("the working directory has no name");
		pc_list_path(&bb_stdout, cwd);
		if (cwd[1])
			bb_printf("/");
		while (path[0] == '.' && path[1] == '/')
			path += 2;
	}
	pc_list_path(&bb_stdout, path);
	bb_printf("\t");
}

static void list_size(void)
{
	bb_printf("\tsize=%llu\n", (unsigned long long)G.file.size);
}

/* What is resident, or missing, as an entry of a list. Nothing of a file of which it cannot be
 * known: a guess would load what nobody used. */
static void list_file(const char *path, const struct pc_pages *p, bool known)
{
	struct pc_file *f = &G.file;
	struct pc_range r = { 0, 0 };
	unsigned n = 0;
	int e = -1;

	if (known && p->total && p->resident == (OPT(l) ? p->total : 0)) {
		list_path(path);
		n = 1;
		e = 0;
	} else if (known) while ((e = OPT(l) ? pc_resident(f, &r.off, f->size, &r.len)
			: pc_missing_data(f, &r.off, &r.len)) == 1) {
		/* an entry that would become too long a line goes on in the next */
		if (n % RANGES == 0) {
			if (n)
				list_size();
			list_path(path);
		}
		pc_list_range(&bb_stdout, n++ % RANGES == 0, &r);
		r.off += r.len;
	}
	if (e < 0)
		bb_complain("%s: not listed: which pages are %s cannot be known", path,
			OPT(l) ? "resident" : "missing");
	if (n)
		list_size();
}
#endif

/* Of a file that is open. */
static void look(const char *path)
{
	struct row r = { .name = path, .size = G.file.size };
	enum pc_source source;
	unsigned i;

#if ENABLE_FEATURE_PAGECACHE_STAT_ASK
	if (OPT(q)) {
		answer();
		return;
	}
#endif
	source = pc_query(&G.file, 0, UINT64_MAX, &r.all);
	if (OPT(C) && source != PC_CACHESTAT) {
		bb_complain("%s: cachestat does not tell", path);
		return;
	}
	r.known = source != PC_UNKNOWN;
	r.detailed = source == PC_CACHESTAT;
	G.sum.size += r.size;
	G.sum.pages += r.pages;
	for (i = 0; i < ARRAY_SIZE(r.count); i++)
		G.sum.count[i] += r.count[i];
	G.sum.known &= r.known;
	G.sum.detailed &= r.detailed;
	if ((OPT(a) && !r.count[0]) || (OPT(m) && !(r.known && is_enough(&r.all))))
		return;
#if ENABLE_FEATURE_PAGECACHE_STAT_LIST
	if (OPT(l) || OPT(L)) {
		list_file(path, &r.all, r.known);
		return;
	}
#endif
#if ENABLE_FEATURE_PAGECACHE_STAT_MAP
	if (rows.cells && r.known)
		r.map = draw(&r.all);
#endif
	find_change(&r, G.file.st.st_ino * 0x9e3779b97f4a7c15ULL + G.file.st.st_dev);
	rows_add(&r);
}

static void look_at(const char *path, int dirfd, const char *name, unsigned flags)
{
	struct pc_file *f = &G.file;
	int e;

	heed_signals();
	e = pc_openat(f, dirfd, name, flags);
	if (e) {
		cannot_look(path, -e);
		return;
	}
	/* only what a walk found: pc_process has asked pc_seen already */
	if ((flags & PC_BLKDEV) || (!OPT(p) && f->st.st_nlink < 2)
			|| !pc_seen(f->st.st_dev, f->st.st_ino))
		look(path);
	pc_close(f);
}

#if ENABLE_FEATURE_PAGECACHE_STAT_TREES || ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
static void found(struct pc_walk *w UNUSED_PARAM, const struct pc_entry *e)
{
	look_at(e->path, e->dirfd, e->name, e->flags);
}
#endif

static void look_below(const char *name)
{
	if (ENABLE_FEATURE_PAGECACHE_STAT_TREES && OPT(R))
		pc_walk(&G.walk, name);
	else
		look_at(name, AT_FDCWD, name, PC_BLKDEV);
}

#if ENABLE_FEATURE_PAGECACHE_STAT_LIST
static void look_at_entry(struct pc_item *item)
{
	look_below(item->path);
}

static void look_at_list(const char *name)
{
	int fd = open_or_warn_stdin(name);

	if (fd >= 0)
		bb_each_entry(fd, name, OPT(0), look_at_entry);
	if (fd < 0)
		bb_not_done = true;
	if (OPT(q) && bb_not_done)
		cannot_tell();
	sys_close(fd);
}
#endif

#if ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM
static void found_cache(const char *name, uint64_t bytes)
{
	struct row r = { .name = name, .size = bytes, .known = true };

	r.count[0] = bytes / pc_pagesize();
	find_change(&r, ++G.nth << 32);
	rows_add(&r);
}
#endif

static void look_at_all(char **files)
{
#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
	const llist_t *pid;
#endif

	G.nth = 0;
	G.sum = (struct row){ .name = "TOTAL", .map = "-", .known = true, .detailed = true };
	pc_seen_clear();
#if ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM
	if (rows.system) {
		int r = pc_system(found_cache);

		if (r)
			cannot_look("/proc/meminfo", -r);
	}
#endif
	for (; *files; files++)
		look_below(*files);
#if ENABLE_FEATURE_PAGECACHE_STAT_LIST
	if (OPT(f))
		look_at_list(opt_arg[PAGECACHE_STAT_ARG_f]);
#endif
#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
	for (pid = opt_list[PAGECACHE_STAT_ARG_p]; pid; pid = pid->link) {
		int r = pc_process(&G.walk, pid->data);

		if (r)
			cannot_look(pid->data, -r);
	}
#endif
	find_change(&G.sum, UINT64_MAX);
}

/* Of the names that are known; those in trees and lists are taken to be of usual length. */
static int widest_name(char **files)
{
	int width = OPT(R) || OPT(f) || OPT(p) ? 32 : 5;

	for (; *files; files++) {
		int w = bb_name_width(*files);

		width = MAX(width, w);
	}
	return width;
}

/* N or N% */
static unsigned percent(const char *s)
{
	const char *p = s;
	uint64_t n;

	if (bb_parse_u64(&p, &n) || n > 100 || p[*p == '%'])
		bb_usage_error("bad per cent '%s'", s);
	return (unsigned)n;
}

int pagecache_stat_main(int argc UNUSED_PARAM, char **argv)
{
	const char *columns = "RES," CHANGE "PAGES,SIZE,FILE";
	uint64_t seconds = 0;

	G.opts = getopt32(argv, PAGECACHE_STAT_OPTSTR, PAGECACHE_STAT_LONGS);
	if (OPT(A))
		columns = NULL;
	rows.fincore = applet_name[0] == 'f';
	if (!argv[0] && !OPT(f) && !OPT(p)) {
		if (!ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM || rows.fincore || OPT(c) || OPT(o)
				|| OPT(A) || OPT(C) || OPT(a) || OPT(m) || OPT(q) || OPT(R)
				|| OPT(l) || OPT(L))
			bb_show_usage();
		rows.system = true;
		columns = "SIZE," CHANGE "NAME";
	}
	if (OPT(0) && !OPT(f))
		bb_usage_error("-0 needs -f");
	if ((OPT(l) || OPT(L)) && ((OPT(l) && OPT(L)) || OPT(J) || OPT(c) || OPT(o) || OPT(A)
			|| OPT(S) || OPT(N) || OPT(i)))
		bb_usage_error("-l and -L are forms of their own");
	if ((OPT(x) || OPT(X)) && !OPT(R))
		bb_usage_error("-x and -X need -R");
	if (OPT(m) || OPT(q))
		G.percent = OPT(m) ? percent(opt_arg[PAGECACHE_STAT_ARG_m]) : 100;
	if (OPT(i)) {
		seconds = (uint64_t)xatosize(opt_arg[PAGECACHE_STAT_ARG_i], 0, "interval");
		if (OPT(q) || (OPT(f) && !strcmp(opt_arg[PAGECACHE_STAT_ARG_f], "-")))
			bb_show_usage();
	}
#if ENABLE_FEATURE_PAGECACHE_STAT_TREES
	G.walk.one_fs = OPT(x);
	G.walk.exclude = opt_list[PAGECACHE_STAT_ARG_X];
#endif
#if ENABLE_FEATURE_PAGECACHE_STAT_TREES || ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
	G.walk.named = OPT(l) || OPT(L);
	G.walk.file = found;
	G.walk.error = cannot_look;
#endif
	rows.json = OPT(J);
	rows.raw = OPT(r);
	rows.bytes = OPT(b);
	rows.no_headings = OPT(n);
	rows.repeats = OPT(i);
	rows_columns(columns, opt_arg[PAGECACHE_STAT_ARG_o], widest_name(argv));
#if ENABLE_FEATURE_PAGECACHE_STAT_SORT
	if (OPT(S) || OPT(N)) {
		const char *top = opt_arg[PAGECACHE_STAT_ARG_N];
		const char *key = opt_arg[PAGECACHE_STAT_ARG_S];

		uint64_t n = top ? (uint64_t)xatosize(top, 0, "number") : UINT64_MAX;

		if (!n)
			bb_usage_error("bad number '0'");
		rows_sort(key ? key : rows.system ? "SIZE" : "RES", n);
	}
#endif
	if (OPT(q)) {
		look_at_all(argv);
		return G.status;
	}
	if (OPT(l) || OPT(L)) {
		pc_list_header(&bb_stdout);
		look_at_all(argv);
		return G.status;
	}
	do {
		rows_begin();
		look_at_all(argv);
		finish_table();
		if (OPT(i))
			bb_may_stall();
	} while (OPT(i) && !bb_flush(&bb_stdout) && !bb_told_to_end(seconds));
	return G.status;
}
