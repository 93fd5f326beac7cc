/* SPDX-License-Identifier: 0BSD */
/* rows.c - files and numbers in columns.
 *
 * Lines up the columns of the first BATCH rows; what comes after is printed as it comes, with the
 * widths found by then, so that memory stays constant. */

#include <sys/ioctl.h>

#include "pagecache.h"
#include "rows.h"

#define BATCH 128
#define NAMES 16384		/* bytes of their names */
#define CELLS_MAX 200

struct rows rows;

static struct {
	bool headed;
	unsigned rows;
	unsigned printed;	/* of this table */
	int width[ARRAY_SIZE(rows.column)];
	size_t names_len;
	char names[NAMES];
	struct row row[BATCH];
} G;

/* The place of those configured out stays empty. */
static const char headings[] = "PAGES\0SIZE\0FILE\0RES\0"
	IF_FEATURE_PAGECACHE_STAT_COLUMNS("DIRTY_PAGES\0DIRTY\0WRITEBACK_PAGES\0WRITEBACK\0"
		"EVICTED_PAGES\0EVICTED\0RECENTLY_EVICTED_PAGES\0RECENTLY_EVICTED\0")
	IF_NOT_FEATURE_PAGECACHE_STAT_COLUMNS("\0\0\0\0\0\0\0\0")
	"PCT\0" IF_FEATURE_PAGECACHE_STAT_REPEAT("CHANGE") "\0"
	IF_FEATURE_PAGECACHE_STAT_MAP("MAP");

#define JSON (ENABLE_FEATURE_PAGECACHE_STAT_JSON && rows.json)

static const char *heading(unsigned c)
{
	const char *name = headings;

	if (ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM && rows.system && c == COL_FILE)
		return "NAME";
	while (c--)
		name += strlen(name) + 1;
	return name;
}

/* The number in a cell; false: it cannot be known. */
static bool number(const struct row *r, unsigned c, uint64_t *v)
{
	unsigned k = c < COL_DIRTY_PAGES ? 0 : c / 2 - 1;

	if (c == COL_SIZE) {
		*v = r->size;
		return true;
	}
	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE) {
		*v = (uint64_t)r->change;
		return r->changed;
	}
	if (c == COL_PCT) {	/* tenths; not rounded to none or all */
		*v = r->pages ? r->count[0] * 1000 / r->pages : 1000;
		if (r->count[0] && !*v)
			*v = 1;
		return r->known;
	}
	*v = r->count[k] * (c & 1 ? pc_pagesize() : 1);
	return k ? r->detailed : r->known;
}

/* The text of a cell other than FILE. */
static const char *cell(char buf[32], const struct row *r, unsigned c)
{
	const char *sign = "";
	char human[8];
	uint64_t v = 0;

	if (ENABLE_FEATURE_PAGECACHE_STAT_MAP && c == COL_MAP && r->map)
		return r->map;
	if (c == COL_MAP || !number(r, c, &v))
		return JSON ? "null" : "?";
	if (c == COL_PCT) {
		sign = JSON ? "" : "%";
		if (v % 1000)
			bb_snprintf(buf, 32, "%u.%u%s", (unsigned)v / 10, (unsigned)v % 10, sign);
		else
			bb_snprintf(buf, 32, "%u%s", (unsigned)v / 10, sign);
		return buf;
	}
	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE) {
		bool less = (int64_t)v < 0;

		sign = less ? "-" : v && !(JSON && rows.bytes) ? "+" : "";
		v = less ? -v : v;
	}
	if (!(c & 1) || rows.bytes)
		bb_snprintf(buf, 32, "%s%ju", sign, (uintmax_t)v);
	else
		bb_snprintf(buf, 32, JSON ? "\"%s%s\"" : "%s%s", sign, bb_human(human, v));
	return buf;
}

static void measure(const struct row *r)
{
	char buf[32];
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		int width = c == COL_FILE ? bb_name_width(r->name) : (int)strlen(cell(buf, r, c));

		G.width[i] = MAX(G.width[i], width);
	}
}

/* As util-linux has it: a column narrower than its heading is as wide as that, and those of bytes
 * are 5 wide from there on. */
static int width_of(unsigned i)
{
	unsigned c = rows.column[i];
	int head = (int)strlen(heading(c));

	if (ENABLE_FEATURE_PAGECACHE_STAT_REPEAT && c == COL_CHANGE)
		return MAX(G.width[i], 8);	/* it has no number yet */
	return G.width[i] < head ? head : MAX(G.width[i], c & 1 ? 5 : 0);
}

/* NULL: the headings */
static void print_row(const struct row *r)
{
	char buf[32];
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		bool left = c == COL_FILE || c == COL_MAP;
		int width = rows.raw || (left && i + 1 == rows.columns) ? 0 : width_of(i);

		if (i)
			bb_putmem(&bb_stdout, " ", 1);
		if (c == COL_FILE && r) {
			bb_put_name(r->name, rows.raw ? NAME_RAW : NAME_PLAIN);
			bb_printf("%*s", MAX(width - bb_name_width(r->name), 0), "");
		} else {
			bb_printf(left ? "%-*s" : "%*s", width, r ? cell(buf, r, c) : heading(c));
		}
	}
	bb_putmem(&bb_stdout, "\n", 1);
}

static void print_json(const struct row *r)
{
	char buf[32];
	unsigned i;

	for (i = 0; i < rows.columns; i++) {
		unsigned c = rows.column[i];
		const char *name = heading(c);
		bool quoted = c == COL_FILE || (c == COL_MAP && r->map);

		bb_printf(i ? ",\n         \"" : "{\n         \"");
		for (; *name; name++)
			bb_printf("%c", *name == '_' ? '_' : *name | 0x20);
		bb_printf(quoted ? "\": \"" : "\": ");
		if (c == COL_FILE)
			bb_put_name(r->name, NAME_JSON);
		else
			bb_printf("%s", cell(buf, r, c));
		if (quoted)
			bb_printf("\"");
	}
	bb_printf("\n      }");
}

static void flush_rows(void)
{
	unsigned i;

	if (!G.headed && G.rows && !rows.no_headings && !JSON)
		print_row(NULL);
	G.headed |= G.rows;
	for (i = 0; i < G.rows; i++, G.printed++) {
		if (!JSON) {
			print_row(&G.row[i]);
			continue;
		}
		bb_printf(G.printed ? "," : "      ");
		print_json(&G.row[i]);
	}
	G.rows = 0;
	G.names_len = 0;
}

static size_t room_for(const struct row *r)
{
	return strlen(r->name) + 1 + (r->map ? strlen(r->map) + 1 : 0);
}

static void copy_row(struct row *to, const struct row *r, char *buf)
{
	size_t n = strlen(r->name) + 1;

	*to = *r;
	to->name = memcpy(buf, r->name, n);
	if (r->map)
		to->map = memcpy(buf + n, r->map, strlen(r->map) + 1);
}

static void emit(const struct row *r)
{
	size_t n = room_for(r);

	if (n > NAMES - G.names_len)
		flush_rows();
	if (!JSON && !rows.raw)
		measure(r);
	G.row[G.rows] = *r;
	if (n <= NAMES) {
		copy_row(&G.row[G.rows], r, G.names + G.names_len);
		G.names_len += n;
	}
	G.rows++;
	if (G.rows == BATCH || G.headed || n > NAMES)
		flush_rows();
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

static unsigned char column(const char *word, size_t len)
{
	unsigned char c;

	for (c = 0; c < COL_COUNT; c++)
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
		len = strcspn(list, ",");
		add_column(column(list, len));
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
		int usual = rows.bytes && c & 1 ? 12 : 7;

		left -= 1 + (c == COL_MAP ? 0 : MAX((int)strlen(heading(c)),
			c == COL_FILE ? name_width : usual));
		if (c == COL_MAP)
			rows.cells = 1;
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
/* The memory of what fell out of the first is used again. */
static struct {
	size_t top, kept, have;
	unsigned char key;
	struct slot {
		struct row row;
		size_t room;
		char *buf;
	} **slot;
} S;

static int compare(const void *a, const void *b)
{
	const struct row *x = &(*(struct slot *const *)a)->row;
	const struct row *y = &(*(struct slot *const *)b)->row;
	uint64_t v = 0, w = 0;
	bool known, other;

	if (S.key != COL_FILE) {
		known = number(x, S.key, &v);
		other = number(y, S.key, &w);
		if (known != other)
			return known ? -1 : 1;
		if (v != w)
			return (int64_t)v > (int64_t)w ? -1 : 1;
	}
	return strcmp(x->name, y->name);
}

static void cut(void)
{
	bb_sort(S.slot, S.kept, sizeof(*S.slot), compare);
	S.kept = MIN(S.kept, S.top);
}

static void keep(const struct row *r)
{
	size_t n = room_for(r);
	struct slot *s;

	if (S.kept / 2 == S.top)
		cut();
	if (S.kept == S.have) {
		struct slot **more = xalloc((S.have * 2 + BATCH) * sizeof(*more));

		if (S.have)
			memcpy(more, S.slot, S.have * sizeof(*more));
		S.slot = more;
		S.have = S.have * 2 + BATCH;
	}
	s = S.slot[S.kept];
	if (!s)
		s = S.slot[S.kept] = xalloc(sizeof(*s));
	S.kept++;
	if (n > s->room) {
		s->room = n * 2;
		s->buf = xalloc(s->room);
	}
	copy_row(&s->row, r, s->buf);
}

void rows_sort(const char *key, uint64_t top)
{
	rows.sorted = true;
	S.key = column(key, strlen(key));
	S.top = (size_t)MIN(top, SIZE_MAX / 2);
}

static void emit_kept(void)
{
	size_t i;

	cut();
	for (i = 0; i < S.kept; i++)
		measure(&S.slot[i]->row);
	for (i = 0; i < S.kept; i++)
		emit(&S.slot[i]->row);
	S.kept = 0;
}
#endif

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
#if ENABLE_FEATURE_PAGECACHE_STAT_SORT
	if (rows.sorted) {
		keep(r);
		return;
	}
#endif
	emit(r);
}

void rows_end(const struct row *total)
{
#if ENABLE_FEATURE_PAGECACHE_STAT_SORT
	if (rows.sorted)
		emit_kept();
#endif
	/* a row like the others is what util-linux has, a trap for those who add up */
	if (total && (!JSON || rows.fincore)) {
		emit(total);
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
