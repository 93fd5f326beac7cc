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
//man:What does not fit into what is left of the budget of memory is left out, and when that is
//man:less than 1 MiB, or free memory short, loading stops; that is no failure either.
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
//man:up; 1 when a list could not be read or a file had I/O errors; 2 for wrong usage; 3 when -c
//man:finds that a list no longer fits.
//man:SEE ALSO
//man:readahead(1), pagecache-stat(1), readahead(2)

/* Lists are played in batches of constant memory: those with ranges in the order they have, plain
 * ones as it suits the device, for nobody sorted them. The descriptors of /proc, /sys and /dev that
 * a changed root needs are opened after the fork: /proc/self is the parent's otherwise. */

#include <signal.h>
#include <sys/wait.h>

#include "libbb.h"
#include "pc_many.h"
#include "pc_list.h"
#include "pc_sort.h"
#include "process.h"
#include "replace.h"
#include "report.h"
#include "kabi.h"
#include "opts.h"

#define BATCH 96		/* planned entries: about 32 KiB with their names */
#define WORKERS 64
#define SHARE 16		/* entries in a row for one worker */
#define FLOOR (8u << 20)	/* bytes; with less memory free loading stops */
#define LOOK_AGAIN (16u << 20)	/* bytes asked for until free memory is looked at again */
#define LITTLE (1u << 20)	/* bytes; with less left of the budget loading stops */

/* -O; of these auto is 0, and with -s all but list are an enum pc_order */
#define ORDERS "auto\0disk\0access\0list\0"
#define ORDER_LIST 3

static struct {
	uint32_t opts;
	int order;
	uint64_t max_size;
	uint64_t seconds;			/* -t */
	uint64_t after, until, at;		/* milliseconds */
	uint64_t budget, look_at;		/* bytes: asked for at most; when to look again */
	bool stopped;
	bool swept;				/* the list is in the order of the disk */
	unsigned nth;				/* entry */
	unsigned workers, worker;		/* how many there are, and which we are */
	char fs[300];				/* the last @fs line: mount, NUL, uuid */
	struct pc_list list;
} G;

struct list {
	const char *name;	/* NULL: that was the last */
	int fd;
};

/* What is counted; for several workers in memory that all share. */
enum { MISSING, CHANGED, IRREGULAR, FOREIGN, BIGGER, FAILED, OTHER, ENTRIES, ASKED, WAS, META,
	UNKNOWN, STOPPED, COUNTS };
#define LEFT_OUT \
	"missing\0changed\0not regular\0not on a medium\0bigger\0failed\0other"	/* up to OTHER */
static uint64_t counts[COUNTS + 1], *S = counts;
/* bytes of the budget, of all workers: one update is lost when two of them meet */
static uint64_t *reserved = counts + COUNTS;

#define OPT(c) (G.opts & READAHEAD_LIST_OPT_##c)

/* An entry that is left out: counted, and named with -d. */
static bool left_out(unsigned kind, const char *path, const char *why)
{
	if (ENABLE_FEATURE_READAHEAD_LIST_REPORT)
		S[kind]++;
	if (OPT(d))
		bb_error_msg("%s: %s", path, why);
	return false;
}

static bool foreign(const char *path)
{
	return left_out(FOREIGN, path, "not on a medium of this machine");
}

static void cannot_open(const char *path, int err)
{
	unsigned kind = OTHER;

	switch (err) {
	case EIO:
	case EBADMSG:
	case EUCLEAN:
	case EMFILE:
	case ENFILE:
	case ENOMEM:	/* nothing that an entry is to blame for */
		bb_failed(path, err);
		S[FAILED]++;
		return;
	case ENOENT:
	case ENOTDIR:
		kind = MISSING;
		break;
	case PC_ENOTREG:
		kind = IRREGULAR;
	}
	left_out(kind, path, pc_strerror(err));
}

/* Whether so many more bytes may be asked for. */
static bool afford(uint64_t bytes)
{
	uint64_t sum = *reserved + bytes;

	if (sum >= G.look_at) {
		G.look_at = sum + LOOK_AGAIN;
		G.stopped = pc_budget(100) < FLOOR;
	}
	if (sum > G.budget && sum - bytes + LITTLE > G.budget)
		G.stopped = true;
	S[STOPPED] = G.stopped;
	if (G.stopped || sum > G.budget)
		return false;
	*reserved = sum;
	return true;
}

static bool look(struct pc_file *f, struct pc_task *t)
{
	struct pc_fetch *want = &t->fetch;
	struct pc_pages p;

	if (G.stopped)
		return left_out(OTHER, t->path, "no memory left in the budget");
	if (pc_type_is_foreign(f->fs_type))
		return foreign(t->path);
	if (f->size > G.max_size)
		return !t->more && left_out(BIGGER, t->path, "bigger than -M");
	if (t->recorded >= 0 && f->size != (uint64_t)t->recorded)
		S[CHANGED]++;
	/* what grew was not used when the list was made; -1, not recorded: all */
	if (!want->len)
		want->len = (uint64_t)t->recorded;
	want->flags = OPT(n) ? PC_DRY : 0;
	/* On flash a full queue makes others wait. A disk needs it, to sort what all want; and the
	 * order of the disk brings what they want at any time. */
	if (OPT(i) || (!OPT(w) && !G.swept && !pc_seeks(f->st.st_dev)))
		want->flags |= PC_GENTLE;
	want->was_known = pc_query(f, want->off, want->len, &p) != PC_UNKNOWN;
	want->was = p.resident * pc_pagesize();
	if (want->was_known && p.resident == p.total && !OPT(w)) {
		t->done = true;
	} else if (!afford(pc_would_ask(f, want->off, want->len, &p))) {
		return left_out(OTHER, t->path, "no memory left in the budget");
	}
	return true;
}

static void finish(const struct pc_task *t)
{
	const struct pc_fetch *f = &t->fetch;

	if (ENABLE_FEATURE_READAHEAD_LIST_REPORT) {
		S[ASKED] += f->asked;
		S[WAS] += f->was;
		S[UNKNOWN] += !t->done && !f->was_known;
	}
	if (OPT(n) && f->asked) {
		pc_list_path(&bb_stdout, t->path);
		bb_printf("\t");
		if (f->len <= t->size || f->off)
			bb_printf("%llu+%llu", (unsigned long long)f->off,
				(unsigned long long)f->len);
		bb_printf("\tsize=%llu\n", (unsigned long long)t->size);
	}
	if (t->result) {
		S[FAILED]++;
		bb_failed_at(t->path, -t->result, f->error_off);
	}
}

static struct pc_plan plan = { .batch = BATCH, .look = look, .finish = finish,
	.error = cannot_open };

static void play(const struct pc_item *item)
{
	static struct pc_task t;
	bool as_listed = !G.list.plain || G.order;

	if (G.at < G.after || G.at >= G.until)
		return;
	/* neighbours stay together */
	if (G.nth++ / SHARE % G.workers != G.worker)
		return;
	S[ENTRIES]++;
	if (pc_path_is_foreign(item->path)) {
		foreign(item->path);
		return;
	}
	if (plan.in_order != as_listed)
		pc_plan_run(&plan);
	plan.in_order = as_listed;
	t.path = item->path;
	t.ranges = item->ranges;
	t.recorded = item->size;
	pc_plan_add(&plan, &t, 0, 0, 0);
}

static void remember_fs(const struct pc_item *item)
{
	size_t len = 0;
	const char *uuid = pc_word(item->words, "uuid", &len);

	bb_snprintf(G.fs, sizeof(G.fs), "%s%c%.*s", item->path, 0, uuid ? (int)len : 0,
		uuid ? uuid : "");
}

static void play_meta(const struct pc_item *item)
{
	uint64_t asked, left = G.budget - *reserved;

	pc_plan_run(&plan);
	if (!ENABLE_FEATURE_READAHEAD_LIST_META || OPT(n) || G.worker || *reserved >= G.budget
			|| strcmp(item->path, G.fs) || pc_path_is_foreign(item->path))
		return;
	asked = pc_meta_ranges(item->path, G.fs + strlen(G.fs) + 1, item->ranges, left);
	S[META] += asked;
	*reserved += MIN(asked, left);
}

static void play_list(const struct list *l)
{
	struct pc_item item;

	G.at = 0;
	G.swept = false;
	G.fs[0] = '\0';
	pc_list_start(&G.list, l->fd, OPT(0));
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
				bb_error_msg("%s: line %llu: %s", l->name,
					(unsigned long long)G.list.line, item.words);
			break;
		case PC_OTHER:
			G.swept = !strcmp(item.words, "@order disk");
			break;
		}
	}
	pc_plan_run(&plan);
	if (!G.worker)
		S[OTHER] += G.list.bad;
	if (G.list.lines.error)
		bb_failed(l->name, G.list.lines.error);
}

static void summary(void)
{
	const char *what = LEFT_OUT;
	unsigned i;

	bb_printf("%llu entr%s", (unsigned long long)S[ENTRIES], S[ENTRIES] == 1 ? "y" : "ies");
	for (i = 0; i <= OTHER; i++, what += strlen(what) + 1)
		if (S[i])
			bb_printf(", %llu %s", (unsigned long long)S[i], what);
	bb_loaded.was = S[WAS];
	bb_loaded.was_unknown = S[UNKNOWN];
	bb_loaded.asked = S[ASKED];
	bb_loaded.more = S[META];
	if (S[META])
		bb_loaded.what = "metadata";
	bb_put_loaded(OPT(n));
	bb_printf("%s\n", S[STOPPED] ? "; stopped: memory" : "");
}

#if ENABLE_FEATURE_READAHEAD_LIST_SORT
static struct pc_book book;

static void sort_lists(const char *target)
{
	static struct bb_replace replace;
	int r = 0;

	/* nothing else is written: standard output's buffer serves the file */
	if (target)
		bb_stdout.fd = r = bb_replace_open(&replace, target);
	if (r >= 0)
		pc_book_write(&book, &bb_stdout, (enum pc_order)G.order, OPT(p));
	if (target && r >= 0) {
		r = -bb_flush(&bb_stdout);
		bb_stdout.error = 0;
		if (!r && replace.temp[0] && (lseek(replace.fd, 0, SEEK_SET) < 0
				|| !pc_book_check(replace.fd)))
			r = -EIO;
		if (r)
			bb_replace_abort(&replace);
		else
			r = bb_replace_commit(&replace);
	}
	if (r)
		bb_error_msg_and_die("%s: %s, left as it was", target, bb_strerror(-r));
	if (book.bad)
		bb_error_msg("%llu bad lines left out", (unsigned long long)book.bad);
	if (OPT(p) && book.missing)
		bb_error_msg("%llu of %llu entries are gone and were dropped",
			(unsigned long long)book.missing, (unsigned long long)book.entries);
}

static int check_lists(void)
{
	/* as struct pc_book has them; + is an amount */
	const char *what = "entries\0missing\0changed\0unreadable\0bad lines\0+to load\0"
		"+resident now\0runs as listed\0runs at best\0+metadata\0runs of metadata\0";
	const uint64_t *n = &book.entries;
	uint64_t stale = book.missing + book.changed + book.unreadable;
	bool bad = stale * 5 > book.entries;

	for (; *what; n++, what += strlen(what) + 1)
		if (*what == '+')
			bb_printf("%10s  %s\n", bb_amount(*n, *n == UINT64_MAX), ++what);
		else
			bb_printf("%10llu  %s\n", (unsigned long long)*n, what);
	bb_printf("%s: %u%% of the entries do not fit any more\n", bad ? "stale" : "good",
		book.entries ? (unsigned)(stale * 100 / book.entries) : 0);
	return bad ? EXIT_UNKNOWN : EXIT_DONE;
}

static int sort_or_check(const struct list *l)
{
	int r;

	for (; l->name; l++) {
		r = pc_book_read(&book, l->fd, OPT(0));
		if (r)
			bb_failed(l->name, -r);
	}
	pc_book_locate(&book, OPT(c));
	/* half a list must not take the place of a whole one, nor be judged */
	if (bb_not_done)
		return EXIT_NOT_DONE;
	if (OPT(s)) {
		sort_lists(opt_arg[READAHEAD_LIST_ARG_o]);
		return EXIT_DONE;
	}
	pc_book_write(&book, NULL, PC_AUTO, false);
	return check_lists();
}
#endif

static void parse_options(void)
{
	const char *order = opt_arg[READAHEAD_LIST_ARG_O];
	const bool sorts = OPT(s), checks = OPT(c);
	int64_t n;

	if ((OPT(o) || OPT(p)) && !sorts)
		bb_usage_error("-o and -p need -s");
	if (sorts && checks)
		bb_usage_error("-s or -c, not both");
	if ((sorts || checks) && (G.opts & ~(uint32_t)(READAHEAD_LIST_OPT_s | READAHEAD_LIST_OPT_c
			| READAHEAD_LIST_OPT_o | READAHEAD_LIST_OPT_p | READAHEAD_LIST_OPT_O
			| READAHEAD_LIST_OPT_0 | READAHEAD_LIST_OPT_C)))
		bb_usage_error("with -s and -c go only -C, -O, -o, -p and -0");
	if (OPT(C) && OPT(o))
		bb_usage_error("with -C there is no -o");
	n = bb_size_option(READAHEAD_LIST_ARG_j, 1, "number of processes");
	if (n < 1 || n > WORKERS)
		bb_usage_error("bad number of processes '%s': 1 to %u",
			opt_arg[READAHEAD_LIST_ARG_j], WORKERS);
	G.workers = (unsigned)n;
	G.max_size = (uint64_t)bb_size_option(READAHEAD_LIST_ARG_M, -1, "size");
	G.after = (uint64_t)bb_size_option(READAHEAD_LIST_ARG_a, 0, "time");
	G.until = (uint64_t)bb_size_option(READAHEAD_LIST_ARG_u, -1, "time");
	if (OPT(O)) {
		G.order = index_in_strings(ORDERS, order);
		if (sorts ? G.order < 0 || G.order == ORDER_LIST : G.order && G.order != ORDER_LIST)
			bb_usage_error("bad order '%s': %s", order, sorts ? "disk, access or auto"
				: "list or auto");
	}
	G.budget = xatobudget(opt_arg[READAHEAD_LIST_ARG_m]);
	plan.wait = OPT(w) && !OPT(n);
	G.seconds = (uint64_t)bb_size_option(READAHEAD_LIST_ARG_t, -1, "time");
}

/* In the process that is to play. */
static void go_on_as_asked(void)
{
	pid_t pid;

	if (OPT(P))
		xpidfile_open(opt_arg[READAHEAD_LIST_ARG_P]);
	/* before the fork: the child may be told to stop at once */
	if (OPT(P) || OPT(t))
		bb_hold_signals();
	pid = OPT(b) ? bb_daemonize() : sys_getpid();
	/* whoever started us finds it written */
	if (OPT(P) && pid)
		xpidfile_write(pid);
	if (OPT(b) && pid)
		bb_exit(EXIT_DONE);
	if (OPT(P) || OPT(t))
		bb_supervise(G.seconds, OPT(v));
	if (OPT(i))
		bb_be_idle();
}

#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
/* Forks the other workers; each goes through the whole lists and plays its share of them. */
static void share_out(struct list *lists)
{
	struct list *l;

	/* What cannot be read twice cannot be shared, nor can the offset of standard input; what is
	 * printed would be mixed up. */
	for (l = lists; l->name; l++)
		if (OPT(n) || !l->fd || lseek(l->fd, 0, SEEK_CUR) < 0)
			G.workers = 1;
	if (G.workers == 1)
		return;
	S = xalloc_shared((G.workers * COUNTS + 1) * sizeof(*S));
	reserved = S + G.workers * COUNTS;
	while (++G.worker < G.workers) {
		if (bb_fork_helper())
			continue;
		S += G.worker * COUNTS;
		/* for an offset of our own */
		for (l = lists; l->name; l++)
			l->fd = open_or_warn_stdin(l->name);
		return;
	}
	G.worker = 0;
}

/* The parent's sums, once all have ended. */
static void gather(void)
{
	unsigned i;
	int status;

	while (waitpid(-1, &status, 0) > 0)
		if (status)
			bb_not_done = true;
	/* from the last one on each adds to the one before */
	for (i = COUNTS * G.workers; --i >= COUNTS; )
		S[i - COUNTS] += S[i];
}
#endif

static void change_root(void)
{
	const char *root = opt_arg[READAHEAD_LIST_ARG_C];
	int r = root ? pc_chroot(root) : 0;

	if (r)
		bb_error_msg_and_die("%s: %s", root, bb_strerror(-r));
}

int readahead_list_main(int argc, char **argv)
{
	struct list *lists, *l;

	if (ENABLE_FEATURE_READAHEAD_LIST_REPORT)
		bb_loaded.begin = sys_now_ms();
	G.opts = getopt32(argv, READAHEAD_LIST_OPTSTR, READAHEAD_LIST_LONGS);
	if (!argv[0])
		bb_show_usage();
	parse_options();
	l = lists = xalloc((size_t)argc * sizeof(*l));
	for (; *argv; argv++) {
		l->fd = open_or_warn_stdin(*argv);
		if (l->fd < 0)
			bb_not_done = true;
		else
			l++->name = *argv;
	}
	go_on_as_asked();
#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
	share_out(lists);
#endif
	change_root();
#if ENABLE_FEATURE_READAHEAD_LIST_SORT
	if (OPT(s) || OPT(c))
		return sort_or_check(lists);
#endif
	for (l = lists; l->name; l++)
		play_list(l);
	if (G.worker)
		return EXIT_DONE;
#if ENABLE_FEATURE_READAHEAD_LIST_JOBS
	if (G.workers > 1)
		gather();
#endif
	if (OPT(v))
		summary();
	return EXIT_DONE;
}
