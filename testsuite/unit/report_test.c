/* SPDX-License-Identifier: 0BSD */
/* The clock of fakesys.c goes 10 ms on with each look at it. */
#include "kabi.h"
#include "pagecache.h"
#include "report.h"
#include "child.h"

static char text[4096];

static void complain(void)
{
	bb_failed("a", ENOENT);
	bb_failed_at("b", EIO, 5);
	bb_failed_at("c", PC_ESHRUNK, 5);
	bb_exit(EXIT_DONE);
}

static void complain_quietly(void)
{
	bb_quiet = true;
	bb_failed("a", ENOENT);
	bb_error_msg("no complaint");
	bb_exit(EXIT_DONE);
}

static void unknown(void)
{
	bb_failed("a", ENOENT);
	bb_exit(EXIT_UNKNOWN);
}

static void found(struct pc_item *item)
{
	bb_error_msg("[%s] %s", item->path, item->ranges ? item->ranges : "all");
}

static void list(const char *what, size_t len, bool null)
{
	int fds[2];

	if (pipe(fds) || write(fds[1], what, len) != (ssize_t)len)
		abort();
	close(fds[1]);
	bb_each_entry(fds[0], "list", null, found);
	bb_exit(EXIT_DONE);
}

static void read_list(void)
{
	static const char what[] = "#warmbox-list 1\n/a\t0+5\n@at 7\n/b\tx\n\n/c\n";

	list(what, sizeof(what) - 1, false);
}

static void read_names(void)
{
	list("a\0@b", 5, true);
}

static void read_nothing(void)
{
	bb_each_entry(-1, "list", false, found);
	bb_exit(EXIT_DONE);
}

static void loaded(void)
{
	bb_stdout.fd = 2;
	bb_loaded.begin = sys_now_ms();
	bb_loaded.was = 1024;
	bb_loaded.asked = 123456;
	bb_put_loaded(false);
	bb_printf("\n");
	bb_loaded.was_unknown = true;
	bb_loaded.what = "metadata";
	bb_loaded.more = 2048;
	bb_put_loaded(true);
	bb_printf("\n");
	bb_loaded.more_unknown = true;
	bb_loaded.asked = 0;
	bb_loaded.begin -= 61230;
	bb_put_loaded(false);
	bb_exit(EXIT_DONE);
}

int main(void)
{
	EQ(WEXITSTATUS(in_child(complain, text, sizeof(text))), 1);
	STREQ(text, "warmbox: a: No such file or directory\n"
		"warmbox: b: Input/output error at byte 5\n"
		"warmbox: c: truncated while it was loaded\n");
	tap("complaints, and status 1");
	EQ(WEXITSTATUS(in_child(complain_quietly, text, sizeof(text))), 1);
	STREQ(text, "warmbox: no complaint\n");
	tap("quiet: the status only");
	EQ(WEXITSTATUS(in_child(unknown, text, sizeof(text))), 3);
	tap("another status stays");
	EQ(WEXITSTATUS(in_child(read_list, text, sizeof(text))), 1);
	STREQ(text, "warmbox: [/a] 0+5\n"
		"warmbox: list: line 4: a range that is not OFFSET+LENGTH\n"
		"warmbox: [/c] all\n");
	tap("the entries of a list, and its bad lines");
	EQ(WEXITSTATUS(in_child(read_names, text, sizeof(text))), 0);
	STREQ(text, "warmbox: [a] all\nwarmbox: [@b] all\n");
	tap("names that end with NUL");
	EQ(WEXITSTATUS(in_child(read_nothing, text, sizeof(text))), 1);
	STREQ(text, "warmbox: list: Bad file descriptor\n");
	tap("a list that cannot be read");
	EQ(WEXITSTATUS(in_child(loaded, text, sizeof(text))), 0);
	STREQ(text, "; was resident 1K, asked 120.6K; 0.01 s, 12.3 MB/s\n"
		"; was resident ?, would ask 120.6K, metadata 2K; 0.02 s\n"
		"; was resident ?, asked 0B, metadata ?; 61.26 s");
	tap("what was loaded, and how fast");
	return tap_end();
}
