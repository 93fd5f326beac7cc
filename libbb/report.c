/* SPDX-License-Identifier: 0BSD */
/* report.c - what several applets do and say alike. */

#include "kabi.h"
#include "pagecache.h"
#include "report.h"

void bb_failed(const char *name, int err)
{
	bb_complain("%s: %s", name, pc_strerror(err));
}

void bb_failed_at(const char *name, int err, uint64_t off)
{
	if (err < PC_ENOTREG)
		bb_complain("%s: %s at byte %llu", name, pc_strerror(err), (unsigned long long)off);
	else
		bb_failed(name, err);
}

void bb_each_entry(int fd, const char *name, bool null, void (*found)(struct pc_item *item))
{
	static struct pc_list list;
	struct pc_item item;

	pc_list_start(&list, fd, null);
	while (pc_list_next(&list, &item)) {
		if (item.kind == PC_ENTRY)
			found(&item);
		if (item.kind == PC_BAD)
			bb_complain("%s: line %llu: %s", name, (unsigned long long)list.line,
				item.words);
	}
	if (list.lines.error)
		bb_failed(name, list.lines.error);
}

void bb_be_idle(void)
{
	int r = sys_ioprio_idle();

	if (r)
		bb_failed("idle I/O priority", -r);
}

struct bb_loaded bb_loaded;

void bb_put_loaded(bool dry)
{
	const struct bb_loaded *l = &bb_loaded;
	unsigned ms = (unsigned)(sys_now_ms() - l->begin);
	unsigned rate;		/* 10^5 bytes a second */

	ms += !ms;
	rate = (unsigned)(l->asked / (UINT64_C(100) * ms));
	bb_printf("; was resident %s, %s %s", bb_amount(l->was, l->was_unknown),
		dry ? "would ask" : "asked", bb_amount(l->asked, false));
	if (l->what)
		bb_printf(", %s %s", l->what, bb_amount(l->more, l->more_unknown));
	bb_printf("; %u.%02u s", ms / 1000, ms % 1000 / 10);
	if (l->asked && !dry)
		bb_printf(", %u.%u MB/s", rate / 10, rate % 10);
}
