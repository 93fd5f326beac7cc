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
//config:
//config:config FEATURE_READAHEAD_TREES
//config:	bool "Trees (-R, -x, -X, -m)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Load all files below directories, within a budget of memory, read in
//config:	  the order of the device.
//config:
//config:config FEATURE_READAHEAD_META
//config:	bool "Metadata of ext2/3/4 first"
//config:	default y
//config:	depends on FEATURE_READAHEAD_TREES
//config:	help
//config:	  As root, and on ext2/3/4, load the inode tables and directories of a tree
//config:	  before its first file is opened. On slow media this is most of the gain.
//config:
//config:config FEATURE_READAHEAD_LIBRARIES
//config:	bool "Libraries of programs (-L)"
//config:	default y
//config:	depends on READAHEAD
//config:	help
//config:	  Load what programs are started with, too: their interpreters and their
//config:	  libraries, as the dynamic linkers of glibc and musl find them.
//applet:APPLET(readahead, READAHEAD)
//usage:[OPTIONS] FILE...
//usage:
//usage:Load files into the page cache, completely
//usage:
//usage:{FEATURE_WAIT}-w,--wait	wait until everything is resident; exit 1 naming what is not
//usage:{FEATURE_READAHEAD_RANGE}-o,--offset OFF	start at byte OFF (K, M, G, T; negative: from the end)
//usage:{FEATURE_READAHEAD_RANGE}-l,--length LEN	load LEN bytes (K, M, G, T; 0: up to the end)
//usage:{FEATURE_READAHEAD_LIST}-f,--files-from LIST	load what LIST names (-: standard input)
//usage:{FEATURE_READAHEAD_LIST}-0,--null	names in LIST end with NUL, not newline
//usage:{FEATURE_READAHEAD_TREES}-R,--recursive	load all files below FILEs that are directories
//usage:{FEATURE_READAHEAD_TREES}-x,--one-file-system	with -R: stay on the filesystem of each FILE
//usage:{FEATURE_READAHEAD_TREES}-X,--exclude GLOB...	with -R: leave out paths that match (* matches / too)
//usage:{FEATURE_READAHEAD_TREES}-m,--memory SIZE	load at most SIZE, or N% of free memory (with -R: 50%)
//usage:{FEATURE_READAHEAD_LIBRARIES}-L,--libraries	load the interpreters and libraries of programs and scripts too
//usage:-M,--max-size SIZE	skip files bigger than SIZE
//usage:{FEATURE_READAHEAD_VERBOSE}-n,--dry-run	load nothing, print what would be loaded
//usage:{FEATURE_READAHEAD_VERBOSE}-v,--verbose	print a line a file, and a total
//usage:-q,--quiet	no messages about single files, only the exit status
//usage:{FEATURE_READAHEAD_BACKGROUND}-i,--idle	idle I/O priority, and little in flight
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
//man:	readahead -b -R -M 10M /usr/share/app
//man:
//man:The same for files that find chooses:
//man:
//man:	find /usr/share/app -type f -name '*.so*' -print0 | readahead -0 -f -
//man:
//man:Load a program with its libraries, before it is started:
//man:
//man:	readahead -L -b firefox
//man:LISTS
//man:LIST is what readahead-list plays, or names, one a line; of names only -0 takes each as it is:
//man:without it those that begin with # or @ are passed over, and "12 /abs" means /abs.
//man:TREES
//man:With -R directories are gone through without following symbolic links but those named on the
//man:command line. A file with several links is loaded once. FIFOs, devices and sockets are left
//man:out, as are mounts of network filesystems, FUSE and kernel filesystems below FILE. GLOBs are
//man:matched with the whole path as it begins with FILE; a directory that matches is not entered.
//man:What would go over the budget of memory is skipped; that is no failure, and said with -v.
//man:LIBRARIES
//man:With -L a name without a slash is looked up in PATH. Of an ELF program or library its
//man:interpreter and, transitively, its libraries are loaded too; of a script the interpreter that
//man:#! names, what "env" would start there, and theirs. Nothing is run: they are looked for as the
//man:dynamic linker does, by DT_RPATH, LD_LIBRARY_PATH (not as root), DT_RUNPATH with $ORIGIN, $LIB
//man:and $PLATFORM, then in ld.so.cache and the usual directories, or those of musl's path file.
//man:For this the beginning of each file is read, a page or two, even with -n or bigger than -M.
//man:Left out are those for better processors (glibc-hwcaps), and what dlopen(3) opens. Files are
//man:loaded in the order they are found, each once; of a program one line says what is missing.
//man:They are loaded whole, but for the constants of big libraries that hold little else (ICU's);
//man:and on flash (rotational is 0 in the queue of the device) without -w: there a start reads the
//man:tenth of code and constants that it needs sooner than all of them. So of each file what is in
//man:front of the code is loaded, 64 KiB of that, and what can be written.
//man:Nothing is looked for on network filesystems, FUSE, kernel filesystems and tmpfs, nor missed.
//man:With -R the trees are loaded first, then the libraries of the programs in them.
//man:BLOCK DEVICES
//man:A block device that is named is loaded too (with -L it is not); but when nobody else has it
//man:open, neither as a mounted filesystem nor otherwise, the kernel drops its cache as readahead
//man:closes it.
//man:EXIT STATUS
//man:0 when everything was asked for (with -w: is resident), 1 when something was not, 2 for
//man:wrong usage. Without -w pages that are still being read, or could not be read, are taken for
//man:resident.
//man:SEE ALSO
//man:readahead(2), posix_fadvise(2), cachestat(2)

/* "Asked for" and "resident" are different things: the kernel queues the reads and returns.
 * Without -w this applet ends when everything has been asked for. */

#include "libbb.h"
#include "pc_many.h"
#include "pc_list.h"
#include "process.h"
#include "report.h"
#include "kabi.h"
#include "opts.h"

static struct {
	uint32_t opts;
	int64_t off;
	uint64_t len, max_size;
	uint64_t budget;		/* bytes that may still be asked for */
	unsigned files, bigger, over;
	uint64_t data;			/* bytes */
	bool heading;
	bool left_out;			/* the file */
} G;

#define OPT(c) (G.opts & READAHEAD_OPT_##c)

static bool look(struct pc_file *f, struct pc_task *t);
static void finish(const struct pc_task *t);
static struct pc_plan plan = { .look = look, .finish = finish, .error = bb_failed };

static void progress(uint64_t done)
{
	bb_progress(pc_plan_now->path, done, pc_plan_now->size);
}

/* Pages in flight count as resident: for -w they must have arrived. */
static bool all_there(struct pc_file *f, const struct pc_fetch *want)
{
	uint64_t off = MIN(want->off, f->size), len;

	return pc_missing(f, &off, off + MIN(want->len, f->size - off), &len) == 0;
}

/* Says what of the file to load. */
static bool look(struct pc_file *f, struct pc_task *t)
{
	struct pc_fetch *want = &t->fetch;
	uint64_t missing;
	struct pc_pages p;

	/* several ranges of a file come one by one */
	if (!t->more) {
		G.left_out = (OPT(L) || (OPT(R) && f->st.st_nlink > 1))
			&& (t->once || !want->len) && pc_seen(f->st.st_dev, f->st.st_ino);
		if (!G.left_out && f->size > G.max_size) {
			G.bigger++;
			G.left_out = true;
		}
	}
	if (G.left_out)
		return false;
	if (!want->len) {	/* no range of a list */
		want->len = G.len ? G.len : UINT64_MAX;
		want->off = (uint64_t)G.off;
		if (G.off < 0)
			want->off = f->size - MIN(f->size, -want->off);
	}
	want->flags = (OPT(n) ? PC_DRY : 0) | (OPT(i) ? PC_GENTLE : 0);
	want->tick = OPT(q) ? NULL : progress;
	want->was_known = pc_query(f, want->off, want->len, &p) != PC_UNKNOWN;
	want->was = p.resident * pc_pagesize();
	if (p.resident == p.total && want->was_known && (!OPT(w) || all_there(f, want))) {
		want->data = want->now = want->was;
		want->now_known = true;
		t->done = true;
	}
	if (G.budget == UINT64_MAX)
		return true;
	missing = pc_would_ask(f, want->off, want->len, &p);
	if (missing > G.budget) {
		G.over++;
		return false;
	}
	G.budget -= missing;
	return true;
}

static void report(const struct pc_task *t)
{
	const struct pc_fetch *f = &t->fetch;

	if (!G.heading)
		bb_printf("    SIZE      WAS %8s      NOW  FILE\n", OPT(n) ? "TO ASK" : "ASKED");
	G.heading = true;
	bb_printf("%8s %8s %8s %8s  %s\n", bb_amount(t->size, false),
		bb_amount(f->was, !f->was_known), bb_amount(f->asked, false),
		plan.wait ? bb_amount(f->now, !f->now_known) : "-", t->path);
}

static void finish(const struct pc_task *t)
{
	const struct pc_fetch *f = &t->fetch;
	int r = -t->result;

	bb_progress_end();
	if (OPT(v) || OPT(n))
		report(t);
	if (ENABLE_FEATURE_READAHEAD_VERBOSE) {
		G.files += !t->more;
		G.data += f->data;
		bb_loaded.was += f->was;
		bb_loaded.asked += f->asked;
		bb_loaded.more += f->now;
		bb_loaded.was_unknown |= !f->was_known;
		bb_loaded.more_unknown |= !f->now_known;
	}
	if (ENABLE_FEATURE_WAIT && r == PC_EEVICTED)
		bb_complain("%s: %s: %s of %s not resident", t->path, pc_strerror(r),
			bb_amount(f->data - f->now, false), bb_amount(f->data, false));
	else if (r)
		bb_failed_at(t->path, r, f->error_off);
}

static __attribute__((noinline)) void add(const char *path, const char *ranges, bool once,
	unsigned flags, dev_t dev, uint64_t ino)
{
	static struct pc_task t;

	t.path = path;
	t.ranges = ranges;
	t.once = once;
	pc_plan_add(&plan, &t, dev, ino, flags);
}

#if ENABLE_FEATURE_READAHEAD_TREES
static void found(struct pc_walk *w UNUSED_PARAM, const struct pc_entry *e)
{
	/* by its path it is opened later: what is safe in its directory now need not be then */
	add(e->path, NULL, false, e->flags & ~(unsigned)PC_SAFE_DIR, e->dev, e->ino);
}
#endif

#if ENABLE_FEATURE_READAHEAD_LIBRARIES
static void found_library(const char *path, const char *ranges)
{
	add(path, ranges, true, 0, 0, 0);
}

static void missing_library(const char *path, const char *name)
{
	bb_complain("%s: %s: %s", path, name, bb_strerror(ENOENT));
}

static const char *walked;	/* a program in a tree: of its file the first pass has told */

static void bad_program(const char *path, int err)
{
	if (path != walked || err == PC_EELF)
		bb_failed(path, err);
}

static struct pc_loader loader = { .path = "/usr/sbin:/usr/bin:/sbin:/bin", .platform = "",
	.found = found_library, .missing = missing_library, .error = bad_program };

static void read_environment(void)
{
	char **e;
	unsigned long *aux;

	for (e = environ; *e; e++) {
		const char *value = is_prefixed_with(*e, "PATH=");

		if (value)
			loader.path = value;
		value = is_prefixed_with(*e, "LD_LIBRARY_PATH=");
		if (value && sys_euid())
			loader.library_path = value;
	}
	/* behind it the kernel puts what getauxval(3) tells, which not every libc has */
	for (aux = (unsigned long *)(e + 1); *aux; aux += 2)
		if (*aux == KABI_AT_PLATFORM)
			loader.platform = (const char *)aux[1];
}

# if ENABLE_FEATURE_READAHEAD_TREES
static void found_program(struct pc_walk *w UNUSED_PARAM, const struct pc_entry *e)
{
	walked = e->path;
	pc_libraries(&loader, walked);
}

static void told_before(const char *path UNUSED_PARAM, int err UNUSED_PARAM)
{
}
# endif
#endif

static void load(const char *name)
{
#if ENABLE_FEATURE_READAHEAD_LIBRARIES
	if (OPT(L) && !OPT(R)) {
		pc_libraries(&loader, name);
		return;
	}
#endif
#if ENABLE_FEATURE_READAHEAD_TREES
	if (OPT(R)) {
		struct pc_walk w = { .one_fs = OPT(x), .file = found, .error = bb_failed,
			.exclude = opt_list[READAHEAD_ARG_X] };

		uint64_t meta = 0;

		if (ENABLE_FEATURE_READAHEAD_META && !OPT(n))
			meta = pc_meta_tree(name, w.exclude, G.budget);
		G.budget -= MIN(meta, G.budget);
		pc_walk(&w, name);
# if ENABLE_FEATURE_READAHEAD_LIBRARIES
		if (OPT(L)) {
			pc_plan_run(&plan);
			plan.one_by_one = true;
			w.file = found_program;
			w.error = told_before;
			pc_walk(&w, name);
			plan.one_by_one = false;
		}
# endif
		return;
	}
#endif
	add(name, NULL, false, PC_BLKDEV, 0, 0);
}

static void load_entry(struct pc_item *item)
{
	if (item->ranges)
		add(item->path, item->ranges, false, 0, 0, 0);
	else
		load(item->path);
}

static void total(void)
{
	bb_printf("total: %u file%s, %s", G.files, G.files == 1 ? "" : "s",
		bb_amount(G.data, false));
	if (plan.wait)
		bb_loaded.what = "resident";
	bb_put_loaded(OPT(n));
	if (G.bigger)
		bb_printf(", %u bigger skipped", G.bigger);
	if (G.over)
		bb_printf(", %u over the memory budget skipped", G.over);
	if (ENABLE_FEATURE_READAHEAD_TREES && pc_seen_forgotten)
		bb_printf(", links counted twice perhaps: more than %u such files", PC_SEEN_MAX);
	bb_printf("\n");
}

int readahead_main(int argc UNUSED_PARAM, char **argv)
{
	const char *list = NULL;
	int fd = -1;

	if (ENABLE_FEATURE_READAHEAD_VERBOSE)
		bb_loaded.begin = sys_now_ms();
	G.budget = UINT64_MAX;
	G.opts = getopt32(argv, READAHEAD_OPTSTR, READAHEAD_LONGS);
	if (OPT(o))
		G.off = xatosize(opt_arg[READAHEAD_ARG_o], SIZE_NEGATIVE, "offset");
	G.len = (uint64_t)bb_size_option(READAHEAD_ARG_l, 0, "length");
	G.max_size = (uint64_t)bb_size_option(READAHEAD_ARG_M, -1, "size");
	if (OPT(m) || OPT(R))
		G.budget = xatobudget(opt_arg[READAHEAD_ARG_m]);
	if (ENABLE_FEATURE_READAHEAD_LIST)
		list = opt_arg[READAHEAD_ARG_f];
	if (!argv[0] && !list)
		bb_show_usage();
	if (OPT(0) && !list)
		bb_usage_error("-0 needs -f");
	if ((OPT(x) || OPT(X)) && !OPT(R))
		bb_usage_error("-x and -X need -R");
	if (list) {
		fd = open_or_warn_stdin(list);
		if (fd < 0)
			bb_not_done = true;
	}
	if (OPT(b) && bb_daemonize())
		return EXIT_DONE;
	bb_quiet = OPT(q);
	if (OPT(i))
		bb_be_idle();
	plan.wait = OPT(w) && !OPT(n);
	plan.in_order = !list && !OPT(R);
	plan.one_by_one = plan.in_order && (!plan.wait || !argv[1]);
#if ENABLE_FEATURE_READAHEAD_LIBRARIES
	/* what a file needs is read from it when it has been asked for */
	plan.one_by_one |= OPT(L) && !OPT(R);
	loader.all = OPT(w);
	if (OPT(L))
		read_environment();
#endif
	for (; *argv; argv++)
		load(*argv);
	if (fd >= 0)
		bb_each_entry(fd, list, OPT(0), load_entry);
	pc_plan_run(&plan);
	if (OPT(v) || OPT(n))
		total();
	return EXIT_DONE;
}
