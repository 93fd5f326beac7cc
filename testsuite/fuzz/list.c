/* SPDX-License-Identifier: 0BSD */
/* the reader of lists; what it took for an entry is written and read again, and must be the same.
 * Input: a byte that chooses NUL-separated or lines, and the list. */
#include "fuzz.h"
#include "pc_list.h"

static char written[1 << 20];

static void write_entry(struct bb_out *o, const struct pc_item *item)
{
	const char *ranges = item->ranges;
	struct pc_range r;
	bool first = true;

	pc_list_header(o);
	pc_list_path(o, item->path);
	bb_putmem(o, "\t", 1);
	for (; pc_range_next(&ranges, &r) == 1; first = false)
		pc_list_range(o, first, &r);
	bb_putmem(o, "\n", 1);
	HOLDS(o->len < o->size);
}

static void same_ranges(const char *a, const char *b)
{
	struct pc_range x, y;
	int more;

	do {
		more = pc_range_next(&a, &x);
		HOLDS(more >= 0 && pc_range_next(&b, &y) == more);
		if (more) {
			HOLDS(x.off == y.off && x.len == y.len);
			HOLDS(x.off <= INT64_MAX && x.len <= INT64_MAX - x.off);
		}
	} while (more);
}

/* In another place than the list it came from. */
static void read_again(const struct pc_item *item)
{
	static struct pc_list list;
	struct bb_out o = { .fd = -1, .size = sizeof(written), .buf = written };
	struct pc_item again;

	/* escaped, it may become longer than a line can be */
	if (strlen(item->path) > 10000 || (item->ranges && strlen(item->ranges) > 10000))
		return;
	write_entry(&o, item);
	fuzz_input(written, o.len, o.len);
	pc_list_start(&list, FUZZ_FD, false);
	HOLDS(pc_list_next(&list, &again) && again.kind == PC_ENTRY && !list.plain);
	HOLDS(!strcmp(again.path, item->path));
	same_ranges(item->ranges, again.ranges);
	HOLDS(!pc_list_next(&list, &again) && !list.bad);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pc_list list;
	struct pc_item item;
	bool null = fuzz_byte(&data, &size) & 1;
	size_t left = size;
	uint64_t bad = 0;

	pc_list_start(&list, FUZZ_FD, null);
	for (;;) {
		/* read_again() has used the descriptor for its own list */
		fuzz_input(data + size - left, left, size);
		if (!pc_list_next(&list, &item))
			break;
		left = fuzz_input_left();
		bad += item.kind == PC_BAD;
		HOLDS(item.kind != PC_BAD || item.words);
		HOLDS(item.size >= -1 && list.line <= size);
		if (item.kind == PC_ENTRY && *item.path)
			read_again(&item);
		if (item.kind == PC_META)
			same_ranges(item.ranges, item.ranges);
	}
	HOLDS(list.bad >= bad);
	return 0;
}
