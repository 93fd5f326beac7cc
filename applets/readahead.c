/* SPDX-License-Identifier: 0BSD */
/* readahead - load files into the page cache */
//config:config READAHEAD
//config:	bool "readahead"
//config:	default y
//config:	help
//config:	  Load files, or parts of them, into the page cache: all of their pages,
//config:	  whatever the limits of the device are. Used by init scripts and on the
//config:	  command line.
//config:
//config:config FEATURE_READAHEAD_LIST
//config:	bool "Names from a file (-f, -0)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Read the names of the files to load from a file or from standard input.
//config:
//config:config FEATURE_READAHEAD_RANGE
//config:	bool "Parts of files (-o, -l)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Load only a range of each file.
//config:
//config:config FEATURE_READAHEAD_VERBOSE
//config:	bool "Reports (-v, -n)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Say what was resident, asked for and loaded, or only what would be.
//config:
//config:config FEATURE_READAHEAD_BACKGROUND
//config:	bool "Background and idle priority (-b, -i)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Return at once and go on in the background, at idle I/O priority.
//applet:APPLET(readahead, READAHEAD)
//usage:[OPTIONS] FILE...
//usage:
//usage:Load files into the page cache, completely
//usage:
//usage:-w,--wait	wait until everything is resident; exit 1 naming what is not
//usage:{FEATURE_READAHEAD_RANGE}-o,--offset OFF	start at byte OFF (K, M, G, T; negative: from the end)
//usage:{FEATURE_READAHEAD_RANGE}-l,--length LEN	load LEN bytes (K, M, G, T; 0: up to the end)
//usage:{FEATURE_READAHEAD_LIST}-f,--files-from LIST	load the files named in LIST, one a line (-: standard input)
//usage:{FEATURE_READAHEAD_LIST}-0,--null	names in LIST end with NUL, not newline
//usage:-M,--max-size SIZE	skip files bigger than SIZE
//usage:{FEATURE_READAHEAD_VERBOSE}-n,--dry-run	load nothing, print what would be loaded
//usage:{FEATURE_READAHEAD_VERBOSE}-v,--verbose	print a line a file, and a total
//usage:-q,--quiet	no messages about single files, only the exit status
//usage:{FEATURE_READAHEAD_BACKGROUND}-i,--idle	idle I/O priority
//usage:{FEATURE_READAHEAD_BACKGROUND}-b,--background	go on in the background
//man:EXAMPLES
//man:Load two files and wait until both are resident:
//man:
//man:	readahead -w /usr/bin/python3 /var/lib/app/index.db
//man:
//man:Load the last megabyte of a file:
//man:
//man:	readahead -o -1M big.log
//man:
//man:Load every file of a tree that is smaller than 10 MiB, in the background:
//man:
//man:	find /usr/share/app -type f -print0 | readahead -b -0 -f - -M 10M
//man:EXIT STATUS
//man:0 when everything was asked for (with -w: is resident), 1 when something was not, 2 for
//man:wrong usage.
//man:SEE ALSO
//man:readahead(2), posix_fadvise(2), cachestat(2)

/* "Asked for" and "resident" are different things: the kernel queues the reads and returns.
 * Without -w this applet ends when everything has been asked for. */

#include "libbb.h"
#include "pagecache.h"
#include "kabi.h"
#include "applets.h"
#include "opts.h"

static struct {
	uint32_t opts;
	int status;
	int64_t off, len, max_size;
	const char *name;		/* of the file being loaded, for progress */
	uint64_t size;
	uint64_t files, bigger;
	uint64_t data, was, asked, now;	/* sums, bytes */
	bool was_known, now_known;
	struct bb_lines lines;
} G;

#define OPT(c) (G.opts & READAHEAD_OPT_##c)

static void PRINTF_LIKE(1, 2) complain(const char *fmt, ...)
{
	char buf[4096 + 128];
	struct bb_out o = { .fd = -1, .size = sizeof(buf) - 1, .buf = buf };
	va_list ap;

	G.status = EXIT_NOT_DONE;
	if (OPT(q))
		return;
	va_start(ap, fmt);
	bb_vformat(&o, fmt, ap);
	va_end(ap);
	buf[o.len] = '\0';
	bb_error_msg("%s", buf);
}

static void progress(uint64_t done)
{
	bb_progress(G.name, done, G.size);
}

static const char *known(char buf[8], bool is_known, uint64_t bytes)
{
	return is_known ? bb_human(buf, bytes) : "?";
}

static void report(const struct pc_fetch *t)
{
	char size[8], was[8], asked[8], now[8];

	if (!G.files)
		bb_printf("%8s %8s %8s %8s  FILE\n", "SIZE", "WAS", OPT(n) ? "TO ASK" : "ASKED", "NOW");
	bb_printf("%8s %8s %8s %8s  %s\n", bb_human(size, G.size),
		known(was, t->was_known, t->was), bb_human(asked, t->asked),
		OPT(w) && !OPT(n) ? known(now, t->now_known, t->now) : "-", G.name);
}

static void load(const char *name)
{
	struct pc_fetch t = { .len = G.len ? (uint64_t)G.len : UINT64_MAX };
	struct pc_file f;
	char a[8], b[8];
	int r = pc_open(&f, name, PC_BLKDEV);

	if (r) {
		complain("%s: %s", name, pc_strerror(-r));
		return;
	}
	if (G.max_size >= 0 && f.size > (uint64_t)G.max_size) {
		G.bigger++;
		pc_close(&f);
		return;
	}
	G.name = name;
	G.size = f.size;
	if (G.off >= 0)
		t.off = (uint64_t)G.off;
	else
		t.off = f.size > (uint64_t)-G.off ? f.size - (uint64_t)-G.off : 0;
	t.flags = (OPT(w) ? PC_WAIT : 0) | (OPT(n) ? PC_DRY : 0);
	t.tick = OPT(q) ? NULL : progress;
	r = pc_fetch(&f, &t);
	pc_close(&f);
	bb_progress_end();
	if (OPT(v) || OPT(n))
		report(&t);
	G.files++;
	G.data += t.data;
	G.was += t.was;
	G.asked += t.asked;
	G.now += t.now;
	G.was_known &= t.was_known;
	G.now_known &= t.now_known;
	if (r == -PC_EEVICTED)
		complain("%s: %s: %s of %s not resident", name, pc_strerror(-r),
			bb_human(a, t.data - t.now), bb_human(b, t.data));
	else if (r < 0 && r > -PC_ENOTREG)
		complain("%s: %s at byte %llu", name, pc_strerror(-r),
			(unsigned long long)t.error_off);
	else if (r)
		complain("%s: %s", name, pc_strerror(-r));
}

static void load_list(int fd, const char *list)
{
	size_t len;
	char *name;

	bb_lines_start(&G.lines, fd, OPT(0) ? '\0' : '\n');
	while ((name = bb_lines_next(&G.lines, &len)) != NULL) {
		if (!OPT(0) && (!len || name[0] == '#'))
			continue;
		if (strlen(name) != len)
			complain("%s: NUL in a line (for such lists there is -0)", list);
		else
			load(name);
	}
	if (G.lines.error)
		complain("%s: %s", list, strerror(G.lines.error));
	if (G.lines.too_long)
		complain("%s: %u names longer than %u bytes left out", list, G.lines.too_long,
			BB_LINE_MAX - 1);
}

static void total(uint64_t ms)
{
	char a[8], b[8], c[8], d[8];
	uint64_t rate = G.asked / 100 / (ms ? ms : 1);	/* tenths of 10^6 bytes a second */

	bb_printf("total: %llu file%s, %s; was resident %s, %s %s", (unsigned long long)G.files,
		G.files == 1 ? "" : "s", bb_human(a, G.data), known(b, G.was_known, G.was),
		OPT(n) ? "would ask" : "asked", bb_human(c, G.asked));
	if (OPT(w) && !OPT(n))
		bb_printf(", resident %s", known(d, G.now_known, G.now));
	bb_printf("; %llu.%02u s", (unsigned long long)ms / 1000, (unsigned)(ms % 1000) / 10);
	if (G.asked && !OPT(n))
		bb_printf(", %llu.%u MB/s", (unsigned long long)rate / 10, (unsigned)(rate % 10));
	if (G.bigger)
		bb_printf(", %llu bigger skipped", (unsigned long long)G.bigger);
	bb_printf("\n");
}

int readahead_main(int argc UNUSED_PARAM, char **argv)
{
	const char *list = NULL;
	uint64_t begin = sys_now_ms();
	int fd = -1, r;

	G.max_size = -1;
	G.was_known = G.now_known = true;
	G.opts = getopt32(argv, READAHEAD_OPTSTR, READAHEAD_LONGS);
	if (OPT(o))
		G.off = xatosize(opt_arg[READAHEAD_ARG_o], SIZE_NEGATIVE, "offset");
	if (OPT(l))
		G.len = xatosize(opt_arg[READAHEAD_ARG_l], 0, "length");
	if (OPT(M))
		G.max_size = xatosize(opt_arg[READAHEAD_ARG_M], 0, "size");
	if (OPT(f))
		list = opt_arg[READAHEAD_ARG_f];
	if (!argv[0] && !list)
		bb_show_usage();
	if (OPT(0) && !list)
		bb_usage_error("-0 needs -f");
	if (list)
		fd = xopen_stdin(list);
	if (OPT(b))
		bb_daemonize();
	if (OPT(i)) {
		r = sys_ioprio_idle();
		if (r)
			complain("idle I/O priority: %s", strerror(-r));
	}
	for (; *argv; argv++)
		load(*argv);
	if (list)
		load_list(fd, list);
	if (OPT(v) || OPT(n))
		total(sys_now_ms() - begin);
	return G.status;
}
