/* SPDX-License-Identifier: 0BSD */
/* rows.c - files and numbers in columns.
 *
 * Lines up the columns of the first BATCH rows; what comes after is printed as it comes, with the
 * widths found by then, so that memory stays constant. What is sorted is kept until the end. */

#include <limits.h>
#include <sys/ioctl.h>

#include "process.h"
#include "rows.h"

#define BATCH 128
#define CELLS_MAX 200

struct rows rows;

/* The memory of what was printed, or fell out of the first, is used again. */
static struct {
	bool headed;
	unsigned char key;	/* to sort by, */
	unsigned top;		/* and so many of them */
	unsigned kept, have;
	unsigned printed;	/* of this table */
	int width[ARRAY_SIZE(rows.column)];
	struct slot {
		struct row row;
		size_t room;
		char text[];
	} **slot;
} G;

/* The place of those configured out stays empty. */
static const char headings[] = "PAGES\0SIZE\0FILE\0RES\0"
	IF_FEATURE_PAGECACHE_STAT_COLUMNS("DIRTY_PAGES\0DIRTY\0WRITEBACK_PAGES\0WRITEBACK\0"
		"EVICTED_PAGES\0EVICTED\0RECENTLY_EVICTED_PAGES\0RECENTLY_EVICTED\0")
	IF_NOT_FEATURE_PAGECACHE_STAT_COLUMNS("\0\0\0\0\0\0\0\0")
	"PCT\0" IF_FEATURE_PAGECACHE_STAT_REPEAT("CHANGE") "\0"
	IF_FEATURE_PAGECACHE_STAT_MAP("MAP");

#define JSON (ENABLE_FEATURE_PAGECACHE_STAT_JSON && rows.json)
#define SORTED (ENABLE_FEATURE_PAGECACHE_STAT_SORT && rows.sorted)

static const char *heading(unsigned c)
{
	const char *name = headings;

	if (ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM && rows.system && c == COL_FILE)
		return "NAME";
	while (c--)
		name += strlen(name) + 1;
	return name;
}

/* The number in a cell; that it cannot be known sorts last. */
#define UNKNOWN INT64_MIN

static int64_t number(const struct row *r, unsigned c)
{
	unsigned k = c < COL_DIRTY_PAGES || c > COL_RECENTLY_EVICTED ? 0 : c / 2 - 1;
	uint64_t v = r->count[k];
	bool known = k ? r->detailed : r->known;

	if (c == COL_SIZE)
		return (int64_t)r->size;
	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE) {
		v = (uint64_t)r->change;
		known = r->changed;
	} else if (c == COL_PCT) {	/* tenths; not rounded to none or all */
		if (v * 1000 >= r->pages)
			v = r->pages ? v * 1000 / r->pages : 1000;
		else
			v = !!v;
	} else if (c & 1) {
		v *= pc_pagesize();
	}
	return known ? (int64_t)v : UNKNOWN;
}

/* The text of a cell other than FILE. */
static const char *cell(const struct row *r, unsigned c)
{
	static char buf[32];
	const char *sign = "";
	char human[8];
	int64_t v = number(r, c);

	if (ENABLE_FEATURE_PAGECACHE_STAT_MAP && c == COL_MAP && r->map)
		return r->map;
	if (c == COL_MAP || v == UNKNOWN)
		return JSON ? "null" : "?";
	if (c == COL_PCT) {
		const char *format = JSON ? "%u.%u" : "%u.%u%%";

		if (v % 1000 == 0)
			format += 3;
		bb_snprintf(buf, sizeof(buf), format, (unsigned)v / 10, (unsigned)v % 10);
		return buf;
	}
	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE) {
		if (v < 0) {
			sign = "-";
			v = -v;
		} else if (v && !(JSON && rows.bytes)) {
			sign = "+";
		}
	}
	if (!(c & 1) || rows.bytes)
		bb_snprintf(buf, sizeof(buf), "%s%ju", sign, (uintmax_t)v);
	else
		bb_snprintf(buf, sizeof(buf), JSON ? "\"%s%s\"" : "%s%s", sign,
			bb_human(human, (uint64_t)v));
	return buf;
}

/* As util-linux has it: a column narrower than its heading is as wide as that, and those of bytes
 * are 5 wide from there on. */
static void measure(const struct row *r)
{
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		int width = c == COL_FILE ? bb_name_width(r->name) : (int)strlen(cell(r, c));
		int least = (int)strlen(heading(c));

		if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE)
			least = 8;	/* it has no number yet */
		else if (width >= least && c & 1)
			least = 5;
		width = MAX(width, least);
		G.width[i] = MAX(G.width[i], width);
	}
}

/* NULL: the headings */
static void print_row(const struct row *r)
{
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		bool left = c == COL_FILE || c == COL_MAP;
		int width = rows.raw || (left && i + 1 == rows.columns) ? 0 : G.width[i];
		const char *text = "";

		if (i)
			bb_printf(" ");
		if (!r) {
			text = heading(c);
		} else if (c != COL_FILE) {
			text = cell(r, c);
		} else {
			bb_put_name(r->name, rows.raw ? NAME_RAW : NAME_PLAIN);
			width -= bb_name_width(r->name);
			if (width < 0)
				width = 0;
		}
		bb_printf(left ? "%-*s" : "%*s", width, text);
	}
	bb_printf("\n");
}

static void print_json(const struct row *r)
{
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		const char *name = heading(c), *text = "";
		const char *quote = c == COL_FILE || (c == COL_MAP && r->map) ? "\"" : "";

		bb_printf("%c\n         \"", i ? ',' : '{');
		for (; *name; name++)
			bb_printf("%c", *name == '_' ? '_' : *name | 0x20);
		bb_printf("\": %s", quote);
		if (c == COL_FILE)
			bb_put_name(r->name, NAME_JSON);
		else
			text = cell(r, c);
		bb_printf("%s%s", text, quote);
	}
	bb_printf("\n      }");
}

static void print(const struct row *r)
{
	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && rows.repeats)
		bb_may_stall();
	if (JSON) {
		bb_printf(G.printed ? "," : "      ");
		print_json(r);
	} else {
		if (!G.headed && !rows.no_headings)
			print_row(NULL);
		print_row(r);
	}
	G.headed = true;
	G.printed++;
}

static void flush_rows(void)
{
	unsigned i;

	for (i = 0; i < G.kept; i++)
		measure(&G.slot[i]->row);
	for (i = 0; i < G.kept; i++)
		print(&G.slot[i]->row);
	G.kept = 0;
}

/* Upper or lower case, and as a whole. */
static bool same_word(const char *name, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!name[i] || name[i] != (word[i] == '_' ? '_' : word[i] & ~0x20))
			return false;
	return !name[len];
}

/* One of the first count. */
static unsigned char column(const char *word, size_t len, unsigned count)
{
	unsigned char c;

	for (c = 0; c < count; c++)
		if (len && same_word(heading(c), word, len))
			return c;
	bb_usage_error("unknown column '%.*s'", (int)len, word);
}

static void add_column(unsigned char c)
{
	if (rows.columns == ARRAY_SIZE(rows.column))
		bb_usage_error("more than %u columns", rows.columns);
	if (c != COL_CHANGE || rows.repeats)
		rows.column[rows.columns++] = c;
}

static void add_columns(const char *list)
{
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = (size_t)(bb_strchrnul(list, ',') - list);
		add_column(column(list, len, COL_COUNT));
	}
}

/* What the other columns, none of them wider than usual, leave of the terminal, or of 80. */
static void fit_map(int name_width)
{
	struct winsize w = { .ws_col = 0 };
	int left;
	unsigned i;

	ioctl(1, TIOCGWINSZ, &w);
	left = (w.ws_col ? w.ws_col : 80) + 1;
	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		int width = (int)strlen(heading(c));
		int usual = c == COL_FILE ? name_width : rows.bytes && c & 1 ? 12 : 7;

		left--;
		if (c == COL_MAP)
			rows.cells = 1;
		else
			left -= MAX(width, usual);
	}
	if (rows.cells)
		rows.cells = (unsigned)MIN(MAX(left, 10), CELLS_MAX);
}

void rows_columns(const char *standard, const char *list, int name_width)
{
	unsigned char c;

	if (list && *list != '+')
		standard = "";
	if (standard)
		add_columns(standard);
	else
		for (c = 0; c < (rows.fincore ? COL_PCT : COL_COUNT); c++)
			if (*heading(c))
				add_column(c);
	if (list)
		add_columns(list + (*list == '+'));
	if (!rows.columns)
		bb_usage_error("no columns");
	if (ENABLE_FEATURE_PAGECACHE_STAT_MAP)
		fit_map(name_width);
}

#if ENABLE_FEATURE_PAGECACHE_STAT_SORT
static int compare(const void *a, const void *b)
{
	const struct row *x = &(*(struct slot *const *)a)->row;
	const struct row *y = &(*(struct slot *const *)b)->row;
	int64_t v, w;

	if (G.key != COL_FILE) {
		v = number(x, G.key);
		w = number(y, G.key);
		if (v != w)
			return v > w ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

void rows_sort(const char *key, uint64_t top)
{
	rows.sorted = true;
	/* MAP is no number */
	G.key = column(key, strlen(key), COL_MAP);
	G.top = (unsigned)MIN(top, INT_MAX);
}
#endif

static void cut(void)
{
#if ENABLE_FEATURE_PAGECACHE_STAT_SORT
	bb_sort(G.slot, G.kept, sizeof(*G.slot), compare);
	G.kept = MIN(G.kept, G.top);
#endif
}

void rows_begin(void)
{
	if (ENABLE_FEATURE_PAGECACHE_STAT_JSON && rows.json)
		bb_printf("{\n   \"%s\": [\n", rows.system ? "system" : "fincore");
	else if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && G.printed > 1)
		bb_printf("\n");
	G.printed = 0;
}

void rows_add(const struct row *r)
{
	size_t name = strlen(r->name) + 1, map = r->map ? strlen(r->map) + 1 : 0;
	struct slot *s;

	if (!SORTED && G.headed) {
		measure(r);
		print(r);
		return;
	}
	if (SORTED && G.kept / 2 == G.top)
		cut();
	if (G.kept == G.have) {
		struct slot **more = xalloc((G.have * 2 + BATCH) * sizeof(*more));

		if (G.have)
			memcpy(more, G.slot, G.have * sizeof(*more));
		G.slot = more;
		G.have = G.have * 2 + BATCH;
	}
	s = G.slot[G.kept];
	if (!s || name + map > s->room) {
		s = G.slot[G.kept] = xalloc(sizeof(*s) + (name + map) * 2);
		s->room = (name + map) * 2;
	}
	s->row = *r;
	s->row.name = memcpy(s->text, r->name, name);
	if (map)
		s->row.map = memcpy(s->text + name, r->map, map);
	G.kept++;
	if (!SORTED && G.kept == BATCH)
		flush_rows();
}

void rows_end(const struct row *total)
{
	if (SORTED)
		cut();
	/* a row like the others is what util-linux has, a trap for those who add up */
	if (total && (!JSON || rows.fincore)) {
		rows_add(total);
		total = NULL;
	}
	flush_rows();
	if (JSON) {
		bb_printf(G.printed ? "\n   ]" : "   ]");
		if (total) {
			bb_printf(",\n   \"total\": ");
			print_json(total);
		}
		bb_printf("\n}\n");
	}
}
