/* SPDX-License-Identifier: 0BSD */
/* readahead-list - load what lists name into the page cache */
//config:config READAHEAD_LIST
//config:	bool "readahead-list"
//config:	default y
//config:	help
//config:	  Play lists of files and ranges, recorded or written by hand: what an init
//config:	  script or an initramfs calls so that a boot finds its files in memory.
//config:
//config:config FEATURE_READAHEAD_LIST_META
//config:	bool "Metadata ranges of lists (@meta)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  As root, load the ranges of the device that hold the metadata of the
//config:	  files before the files.
//config:
//config:config FEATURE_READAHEAD_LIST_REPORT
//config:	bool "Reports (-v, -d, -n)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  Say what was played and what was left out and why.
//config:
//config:config FEATURE_READAHEAD_LIST_WINDOW
//config:	bool "Parts of lists by time (-a, -u)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  Play only what was recorded before or after some time.
//config:
//config:config FEATURE_READAHEAD_LIST_PIDFILE
//config:	bool "PID file (-P)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  Write the number of the process, for init scripts that stop it.
//config:
//config:config FEATURE_READAHEAD_LIST_JOBS
//config:	bool "Several processes (-j)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  Play a list with several processes: of use where opening and decompressing
//config:	  files keeps one processor busy, as on xfs and btrfs on a fast device.
//config:
//config:config FEATURE_READAHEAD_LIST_TIMEOUT
//config:	bool "Return after some time (-t)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	help
//config:	  Return when the time is up, even if the device hangs.
//config:
//config:config FEATURE_READAHEAD_LIST_SORT
//config:	bool "Sort and check lists (-s, -o, -p, -c)"
//config:	default y
//config:	depends on READAHEAD_LIST
//config:	depends on FEATURE_DEVICE_ORDER
//config:	help
//config:	  Put a list into the order that plays best, with the metadata to load
//config:	  before, and say whether a list still fits.
//applet:APPLET(readahead-list, READAHEAD_LIST)
//usage:[OPTIONS] LIST...
//usage:
//usage:Load what LISTs name into the page cache (-: standard input)
//usage:
//usage:-C,--root DIR	the paths in LISTs belong to the root DIR
//usage:-m,--memory SIZE	load at most SIZE, or N% of free memory (default 50%)
//usage:-M,--max-size SIZE	skip files bigger than SIZE
//usage:{FEATURE_READAHEAD_LIST_TIMEOUT}-t,--timeout SECS	return after SECS, loaded or not
//usage:{FEATURE_READAHEAD_LIST_WINDOW}-a,--after MS	only what was recorded MS milliseconds or later
//usage:{FEATURE_READAHEAD_LIST_WINDOW}-u,--until MS	only what was recorded before MS milliseconds
//usage:{FEATURE_DEVICE_ORDER}-O,--order ORDER	auto (default), list (as listed); with -s: auto, disk, access
//usage:-0,--null	names in LISTs end with NUL, not newline
//usage:{FEATURE_READAHEAD_LIST_JOBS}-j,--jobs N	play with N processes
//usage:{FEATURE_WAIT}-w,--wait	wait until everything is resident
//usage:-i,--idle	idle I/O priority, and little in flight
//usage:-b,--background	go on in the background
//usage:{FEATURE_READAHEAD_LIST_PIDFILE}-P,--pidfile FILE	write the process number to FILE, remove it at the end
//usage:{FEATURE_READAHEAD_LIST_REPORT}-n,--dry-run	load nothing, print what would be loaded
//usage:{FEATURE_READAHEAD_LIST_REPORT}-v,--verbose	print a summary
//usage:{FEATURE_READAHEAD_LIST_REPORT}-d,--debug	print each entry left out, and why
//usage:{FEATURE_READAHEAD_LIST_SORT}-s,--sort	print LISTs as one, in the best order, with metadata
//usage:{FEATURE_READAHEAD_LIST_SORT}-o,--output FILE	with -s: replace FILE, which may be LIST
//usage:{FEATURE_READAHEAD_LIST_SORT}-p,--prune	with -s: drop entries that are gone, renew the sizes of others
//usage:{FEATURE_READAHEAD_LIST_SORT}-c,--check	say whether LISTs still fit; exit 3 when not
//man:ORDER
//man:Plain lists are played in the order that suits the device, other lists as they stand; with -O
//man:list all as they stand. With -s the order auto is that of the places on the device for a disk,
//man:and that of the times recorded for flash; disk and access force one. Root gets the metadata of
//man:ext2/3/4 filesystems in the sorted list as well: inode tables and directories, which cost
//man:more than small files themselves.
//man:LISTS
//man:A list names files, one a line, and perhaps the parts of them to load: what pagecache-stat -l
//man:writes, lists of other programs (Gentoo's readahead-list, Fedora's readahead), or the output
//man:of find; without -0 names that begin with # or @ are passed over, and "12 /abs" means /abs.
//man:
//man:Listed files that are gone, are no regular files, or are on network, FUSE or kernel
//man:filesystems are left out; that is no failure. Metadata ranges in a list are used by root
//man:only, while the filesystem is still the one they were recorded on.
//man:
//man:Loading stops when the budget of memory is used up; that is no failure either.
//man:
//man:-C needs root. With -b the standard descriptors and the working directory stay as they were: a
//man:script that waits for the end of the output redirects it.
//man:
//man:-j helps where the processor is what one waits for: xfs and btrfs on fast devices. A list that
//man:comes from a pipe is played by one process.
//man:EXAMPLES
//man:In an init script:
//man:
//man:	readahead-list -b -i -t 60 /var/lib/boot.list
//man:
//man:In an initramfs, before switch_root:
//man:
//man:	readahead-list -b -C /newroot /newroot/var/lib/boot.list
//man:
//man:After an upgrade, when more than a fifth of a list no longer fits:
//man:
//man:	readahead-list -c /var/lib/boot.list || readahead-list -s -p -o /var/lib/boot.list /var/lib/boot.list
//man:
//man:What find chooses:
//man:
//man:	find /usr/share/app -type f -print0 | readahead-list -0 -
//man:EXIT STATUS
//man:0 when the lists were played, however many of their entries are gone, or the time of -t was
//man:up; 1 when a list could not be read or a file had I/O errors; 2 for wrong usage.
//man:SEE ALSO
//man:readahead(1), pagecache-stat(1), readahead(2)

/* Entries with ranges are played as they come, in constant memory; plain lists are planned in
 * batches, for nobody sorted them. The descriptors of /proc, /sys and /dev that a changed root
 * needs are opened after the fork: /proc/self is the parent's otherwise. */

#include <signal.h>
#include <sys/wait.h>

#include "libbb.h"
#include "pc_many.h"
#include "pc_list.h"
#include "pc_sort.h"
#include "process.h"
#include "replace.h"
#include "kabi.h"
#include "opts.h"

#define BATCH 96		/* planned entries: about 32 KiB with their names */
#define WORKERS 64
#define SHARE 16		/* entries in a row for one worker */
#define FLOOR (8u << 20)	/* bytes; with less memory free loading stops */
#define LOOK_AGAIN (16u << 20)	/* bytes asked for until free memory is looked at again */

static struct {
	uint32_t opts;
	int status;
	int64_t max_size;
	enum pc_order order;			/* of -s */
	uint64_t after, until, at;		/* milliseconds */
	uint64_t budget, look_at;		/* bytes: asked for at most; when to look again */
	bool stopped;
	uint64_t reserved;			/* bytes */
	uint64_t nth;				/* entry */
	unsigned workers, worker;		/* how many there are, and which we are */
	char uuid[40];				/* of the last @fs line, and its mount */
	char mount[256];
	struct pc_list list;
} G;

/* What is counted; for several workers in memory that all share. */
static struct counts {
	uint64_t entries, missing, changed, irregular, foreign, bigger, other, failed;
	uint64_t asked, was, meta;		/* bytes */
} counts, *S = &counts;

#define OPT(c) (G.opts & READAHEAD_LIST_OPT_##c)

/* An entry that is left out: counted, and named with -d. */
static bool left_out(uint64_t *count, const char *path, const char *why)
{
	if (ENABLE_FEATURE_READAHEAD_LIST_REPORT)
		++*count;
	if (OPT(d))
		bb_error_msg("%s: %s", path, why);
	return false;
}

static void cannot_open(const char *path, int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		left_out(&S->missing, path, pc_strerror(err));
		break;
	case PC_ENOTREG:
		left_out(&S->irregular, path, pc_strerror(err));
		break;
	case EIO:
	case EBADMSG:
	case EUCLEAN:
	case EMFILE:
	case ENFILE:
	case ENOMEM:	/* nothing that an entry is to blame for */
		bb_error_msg("%s: %s", path, pc_strerror(err));
		S->failed++;
		G.status = EXIT_NOT_DONE;
		break;
	default:
		left_out(&S->other, path, pc_strerror(err));
	}
}

/* Whether so many more bytes may be asked for. */
static bool afford(uint64_t bytes)
{
	uint64_t available;

	if (G.reserved + bytes >= G.look_at) {
		available = pc_budget(100);
		G.look_at = G.reserved + bytes + LOOK_AGAIN;
		if (available < FLOOR)
			G.stopped = true;
	}
	if (G.reserved + bytes > G.budget)
		G.stopped = true;
	if (!G.stopped)
		G.reserved += bytes;
	return !G.stopped;
}

static bool look(struct pc_file *f, struct pc_task *t)
{
	struct pc_fetch *want = &t->fetch;
	struct pc_pages p;

	if (G.stopped)
		return false;
	if (pc_type_is_foreign(f->fs_type))
		return left_out(&S->foreign, t->path, "not on a medium of this machine");
	if (G.max_size >= 0 && f->size > (uint64_t)G.max_size)
		return left_out(&S->bigger, t->path, "bigger than -M");
	if (t->recorded >= 0 && f->size != (uint64_t)t->recorded)
		S->changed++;
	/* what grew was not used when the list was made */
	if (!want->len)
		want->len = t->recorded >= 0 ? (uint64_t)t->recorded : UINT64_MAX;
	want->flags = OPT(n) ? PC_DRY : 0;
	/* on flash a full queue makes others wait; a disk needs it, to sort what all want */
	if (OPT(i) || (!OPT(w) && !pc_seeks(f->st.st_dev)))
		want->flags |= PC_GENTLE;
	if (pc_query(f, want->off, want->len, &p) != PC_UNKNOWN && p.resident == p.total
			&& !OPT(w)) {
		want->was = p.resident * pc_pagesize();
		t->done = true;
		return true;
	}
	if (!afford(pc_would_ask(f, want->off, want->len, &p)))
		return left_out(&S->other, t->path, "no memory left in the budget");
	return true;
}

static void finish(const struct pc_task *t)
{
	const struct pc_fetch *f = &t->fetch;
	struct pc_range r = { f->off, f->len };

	if (ENABLE_FEATURE_READAHEAD_LIST_REPORT) {
		S->asked += f->asked;
		S->was += f->was;
	}
	if (OPT(n) && f->asked) {
		pc_list_path(&bb_stdout, t->path);
		bb_printf("\t");
		if (r.len <= t->size || r.off)
			pc_list_range(&bb_stdout, true, &r);
		bb_printf("\tsize=%llu\n", (unsigned long long)t->size);
	}
	if (!t->result)
		return;
	S->failed++;
	G.status = EXIT_NOT_DONE;
	if (!ENABLE_FEATURE_WAIT || t->result > -PC_ENOTREG)
		bb_error_msg("%s: %s at byte %llu", t->path, pc_strerror(-t->result),
			(unsigned long long)f->error_off);
	else	/* with -w */
		bb_error_msg("%s: %s", t->path, pc_strerror(-t->result));
}

static struct pc_plan plan = { .batch = BATCH, .look = look, .finish = finish,
	.error = cannot_open };

static void play(const struct pc_item *item)
{
	struct pc_task t = { .path = item->path, .ranges = item->ranges, .recorded = item->size };
	bool as_listed = !G.list.plain || OPT(O);

	if (G.stopped || G.at < G.after || G.at >= G.until)
		return;
	/* neighbours stay together */
	if (G.nth++ / SHARE % G.workers != G.worker)
		return;
	S->entries++;
	if (pc_path_is_foreign(item->path)) {
		left_out(&S->foreign, item->path, "not on a medium of this machine");
		return;
	}
	if (plan.in_order != as_listed)
		pc_plan_run(&plan);
	plan.in_order = as_listed;
	plan.one_by_one = as_listed && !plan.wait;
	pc_plan_add(&plan, &t, 0, 0, 0);
}

static void remember_fs(const struct pc_item *item)
{
	size_t len;
	const char *uuid = pc_word(item->words, "uuid", &len);

	bb_snprintf(G.mount, sizeof(G.mount), "%s", item->path);
	bb_snprintf(G.uuid, sizeof(G.uuid), "%.*s", uuid ? (int)len : 0, uuid ? uuid : "");
}

static void play_meta(const struct pc_item *item)
{
	uint64_t asked;

	if (!ENABLE_FEATURE_READAHEAD_LIST_META || OPT(n) || G.worker || G.reserved >= G.budget
			|| strcmp(item->path, G.mount) || pc_path_is_foreign(item->path))
		return;
	asked = pc_meta_ranges(item->path, G.uuid, item->ranges,
		G.budget - G.reserved);
	S->meta += asked;
	G.reserved += MIN(asked, G.budget - G.reserved);
}

static void play_list(int fd, const char *name)
{
	struct pc_item item;

	G.at = 0;
	G.mount[0] = '\0';
	pc_list_start(&G.list, fd, OPT(0));
	while (pc_list_next(&G.list, &item) && !G.stopped) {
		switch (item.kind) {
		case PC_ENTRY:
			play(&item);
			break;
		case PC_AT:
			G.at = item.number;
			break;
		case PC_FS:
			if (ENABLE_FEATURE_READAHEAD_LIST_META)
				remember_fs(&item);
			break;
		case PC_META:
			play_meta(&item);
			break;
		case PC_BAD:
			if (OPT(d) && !G.worker)
				bb_error_msg("%s: line %llu: %s", name,
					(unsigned long long)G.list.line, item.words);
			break;
		case PC_OTHER:
			break;
		}
	}
	pc_plan_run(&plan);
	if (!G.worker)
		S->other += G.list.bad;
	if (G.list.lines.error) {
		bb_error_msg("%s: %s", name, bb_strerror(G.list.lines.error));
		G.status = EXIT_NOT_DONE;
	}
}

static void summary(uint64_t ms)
{
	char a[8], b[8], c[8];
	uint64_t rate = S->asked / 100 / (ms ? ms : 1);	/* tenths of 10^6 bytes a second */
	const struct {
		uint64_t n;
		const char *what;
	} left[] = {
		{ S->missing, "missing" }, { S->changed, "changed" },
		{ S->irregular, "not regular" },
		{ S->foreign, "not on a medium" }, { S->bigger, "bigger" }, { S->failed, "failed" },
		{ S->other, "other" },
	};
	size_t i;

	bb_printf("%llu entr%s", (unsigned long long)S->entries, S->entries == 1 ? "y" : "ies");
	for (i = 0; i < ARRAY_SIZE(left); i++)
		if (left[i].n)
			bb_printf(", %llu %s", (unsigned long long)left[i].n, left[i].what);
	bb_printf("; was resident %s, %s %s", bb_human(a, S->was), OPT(n) ? "would ask" : "asked",
		bb_human(b, S->asked));
	if (S->meta)
		bb_printf(", metadata %s", bb_human(c, S->meta));
	bb_printf("; %llu.%02u s", (unsigned long long)ms / 1000, (unsigned)(ms % 1000) / 10);
	if (S->asked && !OPT(n))
		bb_printf(", %llu.%u MB/s", (unsigned long long)rate / 10, (unsigned)(rate % 10));
	bb_printf("%s\n", G.stopped ? "; stopped: memory" : "");
}

#if ENABLE_FEATURE_READAHEAD_LIST_SORT
static struct pc_book book;

static void read_book(const int *fds, char **names)
{
	size_t i;
	int r;

	for (i = 0; names[i]; i++) {
		r = fds[i] < 0 ? 0 : pc_book_read(&book, fds[i], OPT(0));
		if (!r)
			continue;
		bb_error_msg("%s: %s", names[i], bb_strerror(-r));
		G.status = EXIT_NOT_DONE;
	}
	pc_book_locate(&book, OPT(c));
}

static int sort_lists(const char *target)
{
	static struct bb_replace replace;
	struct bb_out file = { .size = bb_stdout.size, .buf = bb_stdout.buf };
	int r = 0;

	if (!target) {
		pc_book_write(&book, &bb_stdout, G.order, OPT(p));
	} else {
		file.fd = r = bb_replace_open(&replace, target);
		if (r >= 0) {
			pc_book_write(&book, &file, G.order, OPT(p));
			r = -bb_flush(&file);
			if (!r && replace.temp[0] && (lseek(file.fd, 0, SEEK_SET) < 0
					|| !pc_book_check(file.fd)))
				r = -EIO;
			if (r)
				bb_replace_abort(&replace);
			else
				r = bb_replace_commit(&replace);
		}
		if (r)
			bb_error_msg_and_die("%s: %s, left as it was", target, bb_strerror(-r));
	}
	if (book.bad)
		bb_error_msg("%llu bad lines left out", (unsigned long long)book.bad);
	if (OPT(p) && book.missing)
		bb_error_msg("%llu of %llu entries are gone and were dropped",
			(unsigned long long)book.missing, (unsigned long long)book.entries);
	return EXIT_DONE;
}

static int check_lists(void)
{
	const struct {
		uint64_t n;
		const char *what;
		bool size;
	} rows[] = {
		{ book.entries, "entries", false }, { book.missing, "missing", false },
		{ book.changed, "changed", false }, { book.unreadable, "unreadable", false },
		{ book.bad, "bad lines", false }, { book.bytes, "to load", true },
		{ book.resident, "resident now", true },
		{ book.runs_listed, "runs as listed", false },
		{ book.runs_best, "runs at best", false }, { book.meta, "metadata", true },
		{ book.meta_runs, "runs of metadata", false },
	};
	uint64_t stale = book.missing + book.changed + book.unreadable;
	unsigned percent;
	char human[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].size)
			bb_printf("%10s  %s\n", bb_human(human, rows[i].n), rows[i].what);
		else
			bb_printf("%10llu  %s\n", (unsigned long long)rows[i].n, rows[i].what);
	percent = book.entries ? (unsigned)(stale * 100 / book.entries) : 0;
	bb_printf("%s: %u%% of the entries do not fit any more\n",
		stale * 5 > book.entries ? "stale" : "good", percent);
	return stale * 5 > book.entries ? EXIT_UNKNOWN : EXIT_DONE;
}

static int sort_or_check(const int *fds, char **names)
{
	read_book(fds, names);
	/* half a list must not take the place of a whole one, nor be judged */
	if (G.status)
		return G.status;
	if (OPT(s))
		return sort_lists(opt_arg[READAHEAD_LIST_ARG_o]);
	pc_book_write(&book, NULL, PC_AUTO, false);
	return check_lists();
}
#endif

static void parse_options(void)
{
	const char *order = opt_arg[READAHEAD_LIST_ARG_O];

	if ((OPT(o) || OPT(p)) && !OPT(s))
		bb_usage_error("-o and -p need -s");
	if (OPT(s) && OPT(c))
		bb_usage_error("-s or -c, not both");
	if ((OPT(s) || OPT(c)) && (G.opts & ~(uint32_t)(READAHEAD_LIST_OPT_s | READAHEAD_LIST_OPT_c
			| READAHEAD_LIST_OPT_o | READAHEAD_LIST_OPT_p | READAHEAD_LIST_OPT_O
			| READAHEAD_LIST_OPT_0 | READAHEAD_LIST_OPT_C)))
		bb_usage_error("with -s and -c go only -C, -O, -o, -p and -0");
	if (OPT(C) && OPT(o))
		bb_usage_error("with -C the sorted list is printed, -o cannot be");
	if (OPT(j)) {
		int64_t n = xatosize(opt_arg[READAHEAD_LIST_ARG_j], 0, "number of processes");

		if (n < 1 || n > WORKERS)
			bb_usage_error("bad number of processes '%s': 1 to %u",
				opt_arg[READAHEAD_LIST_ARG_j], WORKERS);
		G.workers = (unsigned)n;
	}
	if (OPT(M))
		G.max_size = xatosize(opt_arg[READAHEAD_LIST_ARG_M], 0, "size");
	if (OPT(a))
		G.after = (uint64_t)xatosize(opt_arg[READAHEAD_LIST_ARG_a], 0, "time");
	if (OPT(u))
		G.until = (uint64_t)xatosize(opt_arg[READAHEAD_LIST_ARG_u], 0, "time");
	if (OPT(O)) {
		if (!strcmp(order, "auto"))
			G.opts &= ~(uint32_t)READAHEAD_LIST_OPT_O;
		else if (OPT(s) && !strcmp(order, "disk"))
			G.order = PC_DISK;
		else if (OPT(s) && !strcmp(order, "access"))
			G.order = PC_ACCESS;
		else if (OPT(s) || strcmp(order, "list"))
			bb_usage_error("bad order '%s': %s", order, OPT(s) ? "disk, access or auto"
				: "list or auto");
	}
	G.budget = OPT(m) ? xatobudget(opt_arg[READAHEAD_LIST_ARG_m]) : pc_budget(50);
	plan.wait = OPT(w) && !OPT(n);
}

/* In the process that is to play. */
static void go_on_as_asked(int64_t seconds)
{
	pid_t pid;
	int r;

	if (OPT(P))
		xpidfile_open(opt_arg[READAHEAD_LIST_ARG_P]);
	/* before the fork: the child may be told to stop at once */
	if (OPT(P) || OPT(t))
		bb_catch_signals();
	pid = OPT(b) ? bb_daemonize() : sys_getpid();
	if (OPT(P) && pid) {
		/* whoever started us finds it written */
		r = bb_pidfile_write(pid);
		if (r) {
			bb_error_msg("%s: %s", opt_arg[READAHEAD_LIST_ARG_P], bb_strerror(-r));
			bb_pidfile_remove();
			if (OPT(b))
				kill(pid, SIGTERM);
			bb_exit(EXIT_NOT_DONE);
		}
	} else if (OPT(P)) {
		bb_pidfile_inherited();
	}
	if (OPT(b) && pid)
		bb_exit(G.status);
	if (OPT(t))
		bb_supervise((uint64_t)seconds, OPT(v));
	if (OPT(i)) {
		r = sys_ioprio_idle();
		if (r) {
			bb_error_msg("idle I/O priority: %s", bb_strerror(-r));
			G.status = EXIT_NOT_DONE;
		}
	}
}

#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
/* Forks the other workers; each goes through the whole lists and plays its share of them. */
static void share_out(char **names, int *fds)
{
	pid_t parent = sys_getpid();
	unsigned n;
	int i;

	/* what cannot be read twice cannot be shared; what is printed would be mixed up */
	for (i = 0; names[i]; i++)
		if (fds[i] >= 0 && lseek(fds[i], 0, SEEK_CUR) < 0)
			G.workers = 1;
	if (OPT(n))
		G.workers = 1;
	if (G.workers == 1)
		return;
	S = xalloc_shared(G.workers * sizeof(*S));
	G.budget /= G.workers;
	bb_flush(&bb_stdout);
	for (n = 1; n < G.workers; n++) {
		pid_t pid = sys_fork();

		if (pid < 0)
			bb_error_msg_and_die("fork: %s", bb_strerror(-pid));
		if (pid)
			continue;
		pc_forked();
		bb_pidfile_forget();
		if (sys_die_with_parent() || getppid() != parent)
			_exit(EXIT_NOT_DONE);
		G.worker = n;
		S += n;
		/* for an offset of our own */
		for (i = 0; names[i]; i++)
			if (fds[i] >= 0)
				fds[i] = open_or_warn_stdin(names[i]);
		break;
	}
}

/* The parent's sums, once all have ended. */
static void gather(void)
{
	uint64_t *sum = (uint64_t *)S;
	const size_t fields = sizeof(*S) / sizeof(*sum);
	size_t i;
	int status;

	while (waitpid(-1, &status, 0) > 0)
		if (status)
			G.status = EXIT_NOT_DONE;
	for (i = fields; i < fields * G.workers; i++)
		sum[i % fields] += sum[i];
}

#endif

static void change_root(void)
{
	int r = OPT(C) ? pc_chroot(opt_arg[READAHEAD_LIST_ARG_C]) : 0;

	if (!r)
		return;
	if (OPT(P))
		bb_pidfile_remove();
	bb_error_msg_and_die("%s: %s", opt_arg[READAHEAD_LIST_ARG_C], bb_strerror(-r));
}

int readahead_list_main(int argc, char **argv)
{
	uint64_t begin = ENABLE_FEATURE_READAHEAD_LIST_REPORT ? sys_now_ms() : 0;
	int64_t seconds = 0;
	int *fds, i;

	G.until = UINT64_MAX;
	G.max_size = -1;
	G.workers = 1;
	G.opts = getopt32(argv, READAHEAD_LIST_OPTSTR, READAHEAD_LIST_LONGS);
	if (!argv[0])
		bb_show_usage();
	parse_options();
	if (OPT(t))
		seconds = xatosize(opt_arg[READAHEAD_LIST_ARG_t], 0, "time");
	fds = xalloc((size_t)argc * sizeof(*fds));
	for (i = 0; argv[i]; i++) {
		fds[i] = open_or_warn_stdin(argv[i]);
		if (fds[i] < 0)
			G.status = EXIT_NOT_DONE;
	}
#if ENABLE_FEATURE_READAHEAD_LIST_SORT
	if (OPT(s) || OPT(c)) {
		change_root();
		return sort_or_check(fds, argv);
	}
#endif
	go_on_as_asked(seconds);
#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
	share_out(argv, fds);
#endif
	change_root();
	for (i = 0; argv[i]; i++)
		if (fds[i] >= 0)
			play_list(fds[i], argv[i]);
	if (G.worker)
		return G.status;
#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
	if (G.workers > 1)
		gather();
#endif
	if (OPT(v))
		summary(sys_now_ms() - begin);
	if (OPT(P))
		bb_pidfile_remove();
	return G.status;
}
