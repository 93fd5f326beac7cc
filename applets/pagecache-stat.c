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
//config:	bool "Lists (-l, -f, -0)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Write what is resident as a list that readahead-list can load again, and
//config:	  look at the files that a list names.
//config:
//config:config FEATURE_PAGECACHE_STAT_PROCESS
//config:	bool "Files of processes (-p)"
//config:	default y
//config:	depends on PAGECACHE_STAT
//config:	help
//config:	  Print the files that a process maps or holds open.
//applet:APPLET(pagecache-stat, PAGECACHE_STAT)
//applet:ALIAS(fincore, pagecache-stat, FINCORE_LINK)
//usage:[OPTIONS] FILE...
//usage:
//usage:Print how much of each file is in the page cache
//usage:
//usage:-b,--bytes	sizes in bytes, without units
//usage:-n,--noheadings	no headings
//usage:-r,--raw	columns not aligned, blanks in names escaped
//usage:-c,--total	a last line with the sum
//usage:{FEATURE_PAGECACHE_STAT_JSON}-J,--json	JSON
//usage:-o,--output LIST	columns: PAGES SIZE FILE RES PCT (+LIST: besides RES,PAGES,SIZE,FILE)
//usage:{FEATURE_PAGECACHE_STAT_TREES}-R,--recursive	all files below FILEs that are directories
//usage:{FEATURE_PAGECACHE_STAT_TREES}-x,--one-file-system	with -R: stay on the filesystem of each FILE
//usage:{FEATURE_PAGECACHE_STAT_TREES}-X,--exclude GLOB...	with -R: leave out paths that match (* matches / too)
//usage:{FEATURE_PAGECACHE_STAT_LIST}-f,--files-from LIST	the files that LIST names (-: standard input)
//usage:{FEATURE_PAGECACHE_STAT_LIST}-0,--null	names in LIST end with NUL, not newline
//usage:{FEATURE_PAGECACHE_STAT_LIST}-l,--list	what is resident, as a list for readahead-list
//usage:{FEATURE_PAGECACHE_STAT_PROCESS}-p,--pid PID...	the files that process PID maps or holds open
//usage:
//usage:Where residency cannot be known (neither owner nor allowed to write) it says "?".
//man:EXAMPLES
//man:How much of two programs is in memory, and a sum:
//man:
//man:	pagecache-stat -c /usr/bin/perl /usr/bin/python3
//man:
//man:Per cent and name only, for a script:
//man:
//man:	pagecache-stat -n -r -o PCT,FILE /usr/bin/perl
//man:The ten files below /usr of which most is in memory:
//man:
//man:	pagecache-stat -R -b -n -r /usr | sort -rn | head
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
//man:umount -l, for asking may hang; and memory, for nothing of it can be loaded or dropped:
//man:tmpfs, shared memory, memfd. To look at a deleted file that is mapped needs CAP_SYS_ADMIN or
//man:CAP_CHECKPOINT_RESTORE.
//man:OUTPUT
//man:RES is the resident part in bytes, PAGES the same in pages, SIZE the size of the file, PCT
//man:the resident part of its pages in per cent: 0% and 100% mean none and all, nothing is rounded
//man:to them. Pages that are still being read count.
//man:
//man:Bytes in names that are control characters or not UTF-8 are printed as \xHH. In JSON a
//man:byte HH that is not UTF-8 is written \udcHH, as Python's surrogateescape does, and what is
//man:unknown is null.
//man:EXIT STATUS
//man:0; 1 when a file could not be looked at (a question mark is not a failure); 2 for wrong usage.
//man:SEE ALSO
//man:fincore(1), cachestat(2), mincore(2)

/* Lines up the columns of the first BATCH files; what comes after is printed as it comes, with
 * the widths found by then, so that memory stays constant. */

#include "libbb.h"
#include "pc_many.h"
#include "pc_list.h"
#include "kabi.h"
#include "opts.h"

#define BATCH 128
#define NAMES 16384		/* bytes of their names */
#define RANGES 1000		/* in a line of a list */
#define MAX_COLUMNS 16

enum column { COL_PAGES, COL_SIZE, COL_FILE, COL_RES, COL_PCT, COL_COUNT };

static const char *const headings[COL_COUNT] = { "PAGES", "SIZE", "FILE", "RES", "PCT" };
static const char *const json_names[COL_COUNT] = { "pages", "size", "file", "res", "pct" };

struct row {
	const char *name;
	uint64_t size;		/* bytes */
	uint64_t pages, resident;
	bool known;
};

static struct {
	uint32_t opts;
	int status;
	unsigned columns;
	unsigned rows;
	unsigned printed;
	unsigned char column[MAX_COLUMNS];
	int width[MAX_COLUMNS];
	struct row sum;
	size_t names_len;
	char names[NAMES];
	struct row row[BATCH];
} G;

#define OPT(c) (G.opts & PAGECACHE_STAT_OPT_##c)

/* The length of the UTF-8 sequence that p begins with; 0: it is none. */
static int utf8_length(const unsigned char *p)
{
	static const unsigned char low[] = { 0x80, 0xa0, 0x90 };
	int i, n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4
		: 0;

	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* no overlong forms, no surrogates, nothing above U+10FFFF */
	if ((*p == 0xe0 && p[1] < low[1]) || (*p == 0xed && p[1] >= 0xa0)
			|| (*p == 0xf0 && p[1] < low[2]) || (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

static void put_name(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;

	while (*p) {
		int n = OPT(r) && !OPT(J) && *p >= 0x80 ? 0 : utf8_length(p);
		bool odd = !n || *p < 0x20 || *p == 0x7f;

		if (OPT(J)) {
			if (!n)
				bb_printf("\\udc%02x", *p);
			else if (odd)
				bb_printf("\\u%04x", *p);
			else if (*p == '"' || *p == '\\')
				bb_printf("\\%c", *p);
			else
				bb_putmem(&bb_stdout, p, (size_t)n);
		} else if (odd || (OPT(r) && (*p == ' ' || *p == '\\'))) {
			bb_printf("\\x%02x", *p);
		} else {
			bb_putmem(&bb_stdout, p, (size_t)n);
		}
		p += n ? n : 1;
	}
}

/* How many columns put_name takes on a screen. */
static int name_width(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;
	int width = 0;

	while (*p) {
		int n = utf8_length(p);

		width += !n || *p < 0x20 || *p == 0x7f ? 4 : 1;
		p += n ? n : 1;
	}
	return width;
}

/* The text of a cell other than FILE. */
static void cell(char buf[24], const struct row *r, enum column c)
{
	char human[8];
	uint64_t v = c == COL_SIZE ? r->size : c == COL_PAGES ? r->resident
		: r->resident * pc_pagesize();
	const char *percent = OPT(J) ? "" : "%";
	unsigned tenths;

	if (c != COL_SIZE && !r->known) {
		bb_snprintf(buf, 24, "%s", OPT(J) ? "null" : "?");
	} else if (c == COL_PCT) {
		tenths = r->pages ? (unsigned)(r->resident * 1000 / r->pages) : 1000;
		if (r->resident && !tenths)
			tenths = 1;
		if (r->resident < r->pages && tenths >= 1000)
			tenths = 999;
		if (tenths % 1000)
			bb_snprintf(buf, 24, "%u.%u%s", tenths / 10, tenths % 10, percent);
		else
			bb_snprintf(buf, 24, "%u%s", tenths / 10, percent);
	} else if (c == COL_PAGES || OPT(b)) {
		bb_snprintf(buf, 24, "%llu", (unsigned long long)v);
	} else {
		bb_snprintf(buf, 24, OPT(J) ? "\"%s\"" : "%s", bb_human(human, v));
	}
}

static void measure(const struct row *r)
{
	char buf[24];
	unsigned i;

	for (i = 0; i < G.columns; i++) {
		int width;

		if (G.column[i] == COL_FILE) {
			width = name_width(r->name);
		} else {
			cell(buf, r, G.column[i]);
			width = (int)strlen(buf);
		}
		G.width[i] = MAX(G.width[i], width);
	}
}

/* As util-linux has it: a column narrower than its heading is as wide as that, and RES and SIZE
 * are 5 wide from there on. */
static int width_of(unsigned i)
{
	int heading = (int)strlen(headings[G.column[i]]);
	bool size = G.column[i] == COL_RES || G.column[i] == COL_SIZE;

	return G.width[i] < heading ? heading : MAX(G.width[i], size ? 5 : 0);
}

static void print_row(const struct row *r)
{
	char buf[24];
	unsigned i;

	for (i = 0; i < G.columns; i++) {
		bool file = G.column[i] == COL_FILE, last = i + 1 == G.columns;
		int width = OPT(r) || (file && last) ? 0 : width_of(i);

		if (i)
			bb_putmem(&bb_stdout, " ", 1);
		if (file && r) {
			put_name(r->name);
			bb_printf("%*s", MAX(width - name_width(r->name), 0), "");
			continue;
		}
		if (r)
			cell(buf, r, G.column[i]);
		bb_printf(file ? "%-*s" : "%*s", width, r ? buf : headings[G.column[i]]);
	}
	bb_putmem(&bb_stdout, "\n", 1);
}

static void print_json(const struct row *r)
{
	char buf[24];
	unsigned i;

	bb_printf("{\n");
	for (i = 0; i < G.columns; i++) {
		bb_printf("         \"%s\": ", json_names[G.column[i]]);
		if (G.column[i] == COL_FILE) {
			bb_printf("\"");
			put_name(r->name);
			bb_printf("\"");
		} else {
			cell(buf, r, G.column[i]);
			bb_printf("%s", buf);
		}
		bb_printf(i + 1 < G.columns ? ",\n" : "\n");
	}
	bb_printf("      }");
}

static void flush_rows(void)
{
	unsigned i;

	if (!G.printed && G.rows && !OPT(n) && !OPT(J))
		print_row(NULL);
	for (i = 0; i < G.rows; i++, G.printed++) {
		if (!OPT(J)) {
			print_row(&G.row[i]);
			continue;
		}
		bb_printf(G.printed ? "," : "      ");
		print_json(&G.row[i]);
	}
	G.rows = 0;
	G.names_len = 0;
}

static void add_row(const struct row *r)
{
	size_t n = strlen(r->name) + 1;

	if (n > NAMES - G.names_len)
		flush_rows();
	if (!OPT(J) && !OPT(r))
		measure(r);
	G.row[G.rows] = *r;
	if (n <= NAMES) {
		G.row[G.rows].name = memcpy(G.names + G.names_len, r->name, n);
		G.names_len += n;
	}
	G.rows++;
	if (G.rows == BATCH || G.printed || n > NAMES)
		flush_rows();
}

static void cannot_look(const char *path, int err)
{
	bb_error_msg("%s: %s", path, pc_strerror(err));
	G.status = EXIT_NOT_DONE;
}

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
			bb_putmem(&bb_stdout, "/", 1);
		while (path[0] == '.' && path[1] == '/')
			path += 2;
	}
	pc_list_path(&bb_stdout, path);
	bb_putmem(&bb_stdout, "\t", 1);
}

static void not_listed(const char *path)
{
	bb_error_msg("%s: not listed: which pages are resident cannot be known", path);
	G.status = EXIT_NOT_DONE;
}

/* What is resident, as an entry of a list. Nothing of a file of which it cannot be known: a guess
 * would load what nobody used. */
static void list_file(struct pc_file *f, const char *path, const struct pc_pages *p, bool known)
{
	unsigned long long size = f->size;
	struct pc_range r = { 0, 0 };
	unsigned n = 0;
	int e;

	if (!known)
		not_listed(path);
	if (p->resident && p->resident == p->total) {
		list_path(path);
		bb_printf("\tsize=%llu\n", size);
	} else if (p->resident) {
		while ((e = pc_resident(f, &r.off, f->size, &r.len)) == 1) {
			/* an entry that would become too long a line goes on in the next */
			if (n && n % RANGES == 0)
				bb_printf("\tsize=%llu\n", size);
			if (n % RANGES == 0)
				list_path(path);
			pc_list_range(&bb_stdout, n++ % RANGES == 0, &r);
			r.off += r.len;
		}
		if (e < 0)
			not_listed(path);
		if (n)
			bb_printf("\tsize=%llu\n", size);
	}
}
#endif

static void look_at(const char *path, int dirfd, const char *name, unsigned flags)
{
	struct row r = { .name = path };
	struct pc_pages p;
	struct pc_file f;
	int e = pc_openat(&f, dirfd, name, flags);

	if (e) {
		cannot_look(path, -e);
		return;
	}
	/* only what a walk found: pc_process has asked pc_seen already */
	if (!(flags & PC_BLKDEV) && (OPT(p) || f.st.st_nlink > 1)
			&& pc_seen(f.st.st_dev, f.st.st_ino)) {
		pc_close(&f);
		return;
	}
	r.known = pc_query(&f, 0, UINT64_MAX, &p) != PC_UNKNOWN;
#if ENABLE_FEATURE_PAGECACHE_STAT_LIST
	if (OPT(l)) {
		list_file(&f, path, &p, r.known);
		pc_close(&f);
		return;
	}
#endif
	pc_close(&f);
	r.size = f.size;
	r.pages = p.total;
	r.resident = r.known ? p.resident : 0;
	G.sum.size += r.size;
	G.sum.pages += r.pages;
	G.sum.resident += r.resident;
	G.sum.known &= r.known;
	add_row(&r);
}

#if ENABLE_FEATURE_PAGECACHE_STAT_TREES || ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
static void found(struct pc_walk *w UNUSED_PARAM, const struct pc_entry *e)
{
	look_at(e->path, e->dirfd, e->name, e->flags);
}
#endif

static void look_below(const char *name)
{
#if ENABLE_FEATURE_PAGECACHE_STAT_TREES
	struct pc_walk w = { .one_fs = OPT(x), .file = found, .error = cannot_look,
		.exclude = opt_list[PAGECACHE_STAT_ARG_X] };

	if (OPT(R)) {
		pc_walk(&w, name);
		return;
	}
#endif
	look_at(name, AT_FDCWD, name, PC_BLKDEV);
}

#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
static void look_at_processes(const llist_t *pid)
{
	struct pc_walk w = { .named = OPT(l), .file = found, .error = cannot_look };
	int r;

	for (; pid; pid = pid->link) {
		r = pc_process(&w, pid->data);
		if (r)
			cannot_look(pid->data, -r);
	}
}
#endif

static void look_at_list(int fd, const char *name)
{
	static struct pc_list list;
	struct pc_item item;

	pc_list_start(&list, fd, OPT(0));
	while (pc_list_next(&list, &item)) {
		if (item.kind == PC_ENTRY)
			look_below(item.path);
		if (item.kind == PC_BAD) {
			bb_error_msg("%s: line %llu: %s", name, (unsigned long long)list.line,
				item.words);
			G.status = EXIT_NOT_DONE;
		}
	}
	if (list.lines.error) {
		bb_error_msg("%s: %s", name, bb_strerror(list.lines.error));
		G.status = EXIT_NOT_DONE;
	}
}

/* Upper or lower case, and as a whole. */
static bool same_word(const char *name, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!name[i] || name[i] != (word[i] & ~0x20))
			return false;
	return !name[len];
}

static void choose_columns(const char *list)
{
	static const unsigned char standard[] = { COL_RES, COL_PAGES, COL_SIZE, COL_FILE };
	size_t len;
	unsigned c;

	if (!list || *list == '+') {
		memcpy(G.column, standard, sizeof(standard));
		G.columns = sizeof(standard);
		if (list)
			list++;
	}
	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		for (c = 0; c < COL_COUNT; c++)
			if (len && same_word(headings[c], list, len))
				break;
		if (c == COL_COUNT)
			bb_usage_error("unknown column '%.*s'", (int)len, list);
		if (G.columns == MAX_COLUMNS)
			bb_usage_error("more than %u columns", MAX_COLUMNS);
		G.column[G.columns++] = (unsigned char)c;
	}
	if (!G.columns)
		bb_usage_error("no columns");
}

int pagecache_stat_main(int argc UNUSED_PARAM, char **argv)
{
	int fd = -1;

	G.opts = getopt32(argv, PAGECACHE_STAT_OPTSTR, PAGECACHE_STAT_LONGS);
	choose_columns(opt_arg[PAGECACHE_STAT_ARG_o]);
	if (!argv[0] && !OPT(f) && !OPT(p))
		bb_show_usage();
	if (OPT(0) && !OPT(f))
		bb_usage_error("-0 needs -f");
	if (OPT(l) && (OPT(J) || OPT(c) || OPT(o)))
		bb_usage_error("-l is a form of its own, without -J, -c and -o");
	if (OPT(f)) {
		fd = open_or_warn_stdin(opt_arg[PAGECACHE_STAT_ARG_f]);
		if (fd < 0)
			return EXIT_NOT_DONE;
	}
	if ((OPT(x) || OPT(X)) && !OPT(R))
		bb_usage_error("-x and -X need -R");
	G.sum.name = "total";
	G.sum.known = true;
	if (OPT(J))
		bb_printf("{\n   \"fincore\": [\n");
	if (OPT(l))
		pc_list_header(&bb_stdout);
	for (; *argv; argv++)
		look_below(*argv);
	if (OPT(f))
		look_at_list(fd, opt_arg[PAGECACHE_STAT_ARG_f]);
#if ENABLE_FEATURE_PAGECACHE_STAT_PROCESS
	look_at_processes(opt_list[PAGECACHE_STAT_ARG_p]);
#endif
	if (OPT(l))
		return G.status;
	if (OPT(J)) {
		flush_rows();
		bb_printf("%s   ]", G.printed ? "\n" : "");
		if (OPT(c)) {
			bb_printf(",\n   \"total\": ");
			G.printed = 0;
			print_json(&G.sum);
		}
		bb_printf("\n}\n");
	} else {
		if (OPT(c))
			add_row(&G.sum);
		flush_rows();
	}
	return G.status;
}
