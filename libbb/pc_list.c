/* SPDX-License-Identifier: 0BSD */
/* pc_list.c - reads and writes lists of files (docs/list-format.md). A bad line costs that line,
 * never the list. */

#include "pc_list.h"

/* Who plays no metadata, and not by time, passes over all directives. */
#define USES_DIRECTIVES (ENABLE_FEATURE_READAHEAD_LIST_META \
	|| ENABLE_FEATURE_READAHEAD_LIST_WINDOW || ENABLE_FEATURE_READAHEAD_LIST_SORT)

void pc_list_start(struct pc_list *l, int fd, bool null)
{
	bb_lines_start(&l->lines, fd, null ? '\0' : '\n');
	l->headed = l->plain = l->held = false;
	l->null = null;
	l->line = l->bad = 0;
}

int pc_range_next(const char **text, struct pc_range *r)
{
	const char *p = *text;

	if (!p || !*p || *p == '\t')
		return 0;
	if (bb_parse_u64(&p, &r->off) || *p++ != '+' || bb_parse_u64(&p, &r->len)
			|| r->off > INT64_MAX || r->len > INT64_MAX - r->off)
		return -EINVAL;
	if (*p == ',') {
		p++;
		/* a comma is followed by a range */
		if (*p < '0' || *p > '9')
			return -EINVAL;
	} else if (*p && *p != '\t') {
		return -EINVAL;
	}
	*text = p;
	return 1;
}

static bool good_ranges(const char *text)
{
	struct pc_range r;
	int e;

	while ((e = pc_range_next(&text, &r)) > 0)
		;
	return !e;
}

const char *pc_word(const char *words, const char *key, size_t *len)
{
	while (words && *words) {
		const char *value = is_prefixed_with(words, key);
		const char *end = bb_strchrnul(words, ' ');

		if (value && *value++ == '=') {
			*len = (size_t)(end - value);
			return value;
		}
		words = end;
		while (*words == ' ')
			words++;
	}
	return NULL;
}

static bool bad(struct pc_list *l, struct pc_item *item, const char *why)
{
	l->bad++;
	item->kind = PC_BAD;
	item->words = why;
	return true;
}

/* Cuts the line at its next TAB; returns what is behind it, or NULL. */
static char *cut(char *s)
{
	char *tab = bb_strchrnul(s, '\t');

	if (!*tab)
		return NULL;
	*tab = '\0';
	return tab + 1;
}

static bool directive(struct pc_list *l, struct pc_item *item, char *line)
{
	const char *number = is_prefixed_with(line, "@at ");
	char *fs = is_prefixed_with(line, "@fs ");
	char *mount = fs ? fs : is_prefixed_with(line, "@meta ");

	if (USES_DIRECTIVES && number) {
		item->kind = PC_AT;
		if (bb_parse_u64(&number, &item->number) || *number)
			return bad(l, item, "no time");
		return true;
	}
	if (!USES_DIRECTIVES || !mount) {
		item->kind = PC_OTHER;
		item->words = line;
		return true;
	}
	item->kind = fs ? PC_FS : PC_META;
	item->path = mount;
	item->words = item->ranges = cut(item->path);
	if (item->path[0] != '/' || !bb_unescape(item->path))
		return bad(l, item, "no mount point");
	if (!fs && (!item->ranges || !good_ranges(item->ranges)))
		return bad(l, item, "no ranges");
	return true;
}

/* An entry of this format; fields is what stands behind its first TAB, or NULL. */
static bool entry(struct pc_list *l, struct pc_item *item, char *fields)
{
	const char *value;
	uint64_t size;
	size_t len;

	if (fields) {
		item->words = cut(fields);
		if (*fields)
			item->ranges = fields;
	}
	if (!good_ranges(item->ranges))
		return bad(l, item, "a range that is not OFFSET+LENGTH");
	if (!*item->path || !bb_unescape(item->path))
		return bad(l, item, "no path, or a bad escape in it");
	value = pc_word(item->words, "size", &len);
	if (value && !bb_parse_u64(&value, &size) && size <= INT64_MAX)
		item->size = (int64_t)size;
	return true;
}

bool pc_list_next(struct pc_list *l, struct pc_item *item)
{
	char *line, *tab, *p;
	size_t len;

	for (;;) {
		unsigned too_long = l->lines.too_long;

		line = l->held ? l->held_line : bb_lines_next(&l->lines, &len);
		len = l->held ? l->held_len : len;
		l->held = false;
		too_long = l->lines.too_long - too_long;
		*item = (struct pc_item){ .kind = PC_ENTRY, .path = line, .size = -1 };
		if (too_long) {
			l->held = true;
			l->held_line = line;
			l->held_len = len;
			l->line += too_long;
			l->bad += too_long - 1;
			return bad(l, item, "longer than 64 KiB");
		}
		if (!line)
			return false;
		l->line++;
		if (l->null) {
			l->plain = true;
			if (len)
				return true;
			continue;
		}
		if (strlen(line) != len)
			return bad(l, item, "NUL in a line (for such lists there is -0)");
		p = is_prefixed_with(line, "#warmbox-list 1");
		if (p && (!*p || *p == ' ')) {
			l->headed = true;
			continue;
		}
		if (!len || line[0] == '#')
			continue;
		if (line[0] == '@')
			return directive(l, item, line);
		tab = bb_strchrnul(line, '\t');
		l->plain = !l->headed && (line[0] != '/' || !*tab || !good_ranges(tab + 1));
		if (!l->plain)
			return entry(l, item, cut(line));
		/* Fedora's sorted form: a number, a blank, an absolute path */
		for (p = line; *p >= '0' && *p <= '9'; p++)
			;
		if (p > line && p[0] == ' ' && p[1] == '/')
			item->path = p + 1;
		return true;
	}
}

void pc_list_header(struct bb_out *o)
{
	bb_putmem(o, "#warmbox-list 1\n", 16);
}

void pc_list_path(struct bb_out *o, const char *path)
{
	const unsigned char *p;

	for (p = (const unsigned char *)path; *p; p++) {
		char octal[4] = { '\\', (char)('0' + (*p >> 6)), (char)('0' + (*p >> 3 & 7)),
			(char)('0' + (*p & 7)) };
		bool first = p == (const unsigned char *)path;

		if (*p < 0x20 || *p == 0x7f || *p == '\\' || (first && (*p == '@' || *p == '#')))
			bb_putmem(o, octal, 4);
		else
			bb_putmem(o, p, 1);
	}
}

void pc_list_range(struct bb_out *o, bool first, const struct pc_range *r)
{
	char buf[48];

	bb_putmem(o, buf, bb_snprintf(buf, sizeof(buf), first ? "%llu+%llu" : ",%llu+%llu",
		(unsigned long long)r->off, (unsigned long long)r->len));
}
