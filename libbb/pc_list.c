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
	l->headed = false;
	l->null = l->plain = null;
	l->line = l->bad = 0;
}

int pc_range_next(const char **text, struct pc_range *r)
{
	const char *p = *text;

	if (!p || !*p || *p == '\t')
		return 0;
	if (bb_parse_u64(text, &r->off) || *(*text)++ != '+' || bb_parse_u64(text, &r->len)
			/* either too large, or the end of them */
			|| (int64_t)(r->off | r->len | (r->off + r->len)) < 0)
		return -EINVAL;
	p = *text;
	if (!*p || *p == '\t')
		return 1;
	/* a comma is followed by a range */
	++*text;
	return *p == ',' && p[1] >= '0' ? 1 : -EINVAL;
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
		words = end + (*end == ' ');
	}
	return NULL;
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

/* These return what is wrong with the line, or NULL. */
static const char *directive(struct pc_item *item)
{
	char *rest = bb_strchrnul(item->path, ' ');
	const char *number = rest + 1;
	int i;

	item->kind = PC_OTHER;
	item->words = item->path;
	if (!USES_DIRECTIVES || !*rest)
		return NULL;
	*rest = '\0';
	/* in the order of pc_list.h */
	i = index_in_strings("@at\0@fs\0@meta\0", item->path);
	*rest++ = ' ';
	if (i < 0)
		return NULL;
	item->kind = PC_AT + (unsigned)i;
	if (item->kind == PC_AT)
		return bb_parse_u64(&number, &item->number) || *number ? "no time" : NULL;
	item->path = rest;
	item->words = item->ranges = cut(rest);
	if (*rest != '/' || !bb_unescape(rest))
		return "no mount point";
	return item->kind == PC_FS || (item->ranges && good_ranges(item->ranges)) ? NULL
		: "no ranges";
}

/* An entry of this format */
static const char *entry(struct pc_item *item)
{
	char *fields = cut(item->path);
	const char *value;
	uint64_t size;
	size_t len;

	if (fields) {
		item->words = cut(fields);
		if (*fields)
			item->ranges = fields;
	}
	if (!good_ranges(item->ranges))
		return "a range that is not OFFSET+LENGTH";
	if (!*item->path || !bb_unescape(item->path))
		return "no path, or a bad escape in it";
	value = pc_word(item->words, "size", &len);
	if (value && !bb_parse_u64(&value, &size) && size <= INT64_MAX)
		item->size = (int64_t)size;
	return NULL;
}

/* Fedora's sorted form: a number, a blank, an absolute path */
static char *plain_path(char *line)
{
	char *p = line;

	while (*p >= '0' && *p <= '9')
		p++;
	return p > line && p[0] == ' ' && p[1] == '/' ? p + 1 : line;
}

bool pc_list_next(struct pc_list *l, struct pc_item *item)
{
	const char *wrong = NULL;
	char *line, *p;
	size_t len;

	for (;;) {
		line = bb_lines_next(&l->lines, &len);
		*item = (struct pc_item){ .kind = PC_ENTRY, .path = line, .size = -1 };
		if (l->lines.too_long) {
			/* told of first: the line that came behind is put back */
			if (line) {
				line[len] = l->lines.delim;
				l->lines.start = (size_t)(line - l->lines.buf);
			}
			l->line += l->lines.too_long;
			l->bad += l->lines.too_long - 1;
			l->lines.too_long = 0;
			wrong = "longer than 64 KiB";
			break;
		}
		if (!line)
			return false;
		l->line++;
		if (!len)
			continue;
		if (l->null)
			break;
		if (strlen(line) != len) {
			wrong = "NUL in a line (for such lists there is -0)";
			break;
		}
		p = is_prefixed_with(line, "#warmbox-list 1");
		if (p && (!*p || *p == ' '))
			l->headed = true;
		if (*line == '#')
			continue;
		if (*line == '@') {
			wrong = directive(item);
			break;
		}
		p = bb_strchrnul(line, '\t');
		l->plain = !l->headed && (*line != '/' || !*p || !good_ranges(p + 1));
		if (l->plain)
			item->path = plain_path(line);
		else
			wrong = entry(item);
		break;
	}
	if (wrong) {
		l->bad++;
		item->kind = PC_BAD;
		item->words = wrong;
	}
	return true;
}

void pc_list_header(struct bb_out *o)
{
	bb_putmem(o, "#warmbox-list 1\n", 16);
}

void pc_list_path(struct bb_out *o, const char *path)
{
	const char *p;

	for (p = path; *p; p++) {
		unsigned char c = (unsigned char)*p;
		char s[4] = "\\";
		int i;

		if (c >= 0x20 && c != 0x7f && c != '\\' && (p > path || (c != '@' && c != '#'))) {
			bb_putmem(o, p, 1);
			continue;
		}
		for (i = 3; i; c >>= 3)
			s[i--] = (char)('0' + (c & 7));
		bb_putmem(o, s, 4);
	}
}

void pc_list_range(struct bb_out *o, bool first, const struct pc_range *r)
{
	char buf[48];

	bb_putmem(o, buf, bb_snprintf(buf, sizeof(buf), &",%llu+%llu"[first],
		(unsigned long long)r->off, (unsigned long long)r->len));
}
