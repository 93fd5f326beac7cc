/* SPDX-License-Identifier: 0BSD */
/* link: -Wl,--wrap=read */
#include "libbb.h"
#include "pc_list.h"
#include "tap.h"
#include <sys/mman.h>
#include <unistd.h>

static struct pc_list list;
static struct pc_item item;
static size_t read_max;		/* bytes a read(2) gives at most, 0: as many as asked for */
static unsigned reads, read_fails_at;

ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	if (read_fails_at && ++reads >= read_fails_at) {
		errno = EIO;
		return -1;
	}
	return __real_read(fd, buf, read_max ? MIN(len, read_max) : len);
}

static void start_bytes(const void *text, size_t len, bool null)
{
	static int fd = -1;

	if (fd >= 0)
		close(fd);
	fd = memfd_create("list", 0);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))
		abort();
	reads = 0;
	pc_list_start(&list, fd, null);
}

static void start(const char *text)
{
	start_bytes(text, strlen(text), false);
}

static void end_is(uint64_t bad)
{
	for (int i = 0; i < 3; i++)
		CHECK(!pc_list_next(&list, &item), "an item behind the end: %s", item.path);
	EQ(list.bad, bad);
}

/* The item as docs/list-format.md shows it. */
static const char *shown(void)
{
	static char text[400000];
	struct bb_out o = { .fd = -1, .size = sizeof(text) - 1, .buf = text };
	static const char *const kinds[] = { "entry ", "at ", "fs ", "meta ", "other ", "bad" };
	char buf[64];
	struct pc_range r;

	if (item.kind == PC_ENTRY && list.plain)
		bb_putmem(&o, "plain ", 6);
	else
		bb_putmem(&o, kinds[item.kind], strlen(kinds[item.kind]));
	if (item.kind == PC_ENTRY || item.kind == PC_FS || item.kind == PC_META)
		pc_list_path(&o, item.path);
	if (item.kind == PC_ENTRY || item.kind == PC_META)
		while (pc_range_next(&item.ranges, &r) == 1) {
			bb_putmem(&o, " ", 1);
			pc_list_range(&o, true, &r);
		}
	if (item.kind == PC_ENTRY && item.size >= 0)
		bb_putmem(&o, buf, bb_snprintf(buf, sizeof(buf), " size=%lld",
			(long long)item.size));
	if (item.kind == PC_AT)
		bb_putmem(&o, buf, bb_snprintf(buf, sizeof(buf), "%llu",
			(unsigned long long)item.number));
	if (item.kind == PC_FS) {
		bb_putmem(&o, " ", 1);
		bb_putmem(&o, item.words, strlen(item.words));
	}
	if (item.kind == PC_OTHER)
		bb_putmem(&o, item.words, strlen(item.words));
	CHECK(item.kind != PC_BAD || (item.words && *item.words), "a bad line without a reason");
	text[o.len] = '\0';
	return text;
}

static void next_is(const char *want)
{
	bool got = pc_list_next(&list, &item);

	CHECK(got, "the end, wanted \"%.60s\"", want);
	if (got)
		STREQ(shown(), want);
}

/* A block of the page, from where *at stands; NULL: no more. */
static char *block(FILE *f, const char *mark)
{
	char *line = NULL, *text = calloc(1, 100000);
	size_t size = 0;
	bool inside = false;

	while (getline(&line, &size, f) > 0) {
		if (inside && !strcmp(line, "```\n")) {
			free(line);
			return text;
		}
		if (inside)
			strcat(text, line);
		else
			inside = !strncmp(line, "```", 3) && !strncmp(line + 3, mark, strlen(mark))
				&& line[3 + strlen(mark)] == '\n';
	}
	free(line);
	free(text);
	return NULL;
}

static void documented(void)
{
	FILE *f = fopen("../../docs/list-format.md", "r");
	char *text, *items, *line, *next;
	unsigned n = 0;

	CHECK(f, "cannot read ../../docs/list-format.md");
	if (!f)
		return;
	for (; (text = block(f, "list")) != NULL; n++) {
		unsigned bad = 0;

		items = block(f, "items");
		if (!items)
			abort();
		start(text);
		for (line = items; *line; line = next) {
			next = strchr(line, '\n');
			*next++ = '\0';
			next_is(line);
			bad += !strcmp(line, "bad");
		}
		end_is(bad);
		free(text);
		free(items);
	}
	CHECK(n >= 5, "only %u examples", n);
	fclose(f);
}

static struct bb_out out = { .fd = -1, .size = 1 << 20 };

static void write_entry(const char *path, const struct pc_range *r, int n)
{
	pc_list_path(&out, path);
	bb_putmem(&out, "\t", 1);
	for (int i = 0; i < n; i++)
		pc_list_range(&out, !i, &r[i]);
	bb_putmem(&out, "\n", 1);
}

static void begin_writing(bool header)
{
	if (!out.buf)
		out.buf = malloc(out.size);
	out.len = 0;
	if (header)
		pc_list_header(&out);
}

static void start_written(void)
{
	if (out.len >= out.size)
		abort();
	start_bytes(out.buf, out.len, false);
}

static void entry_is(const char *path, const struct pc_range *r, int n)
{
	struct pc_range got;

	if (!pc_list_next(&list, &item)) {
		CHECK(false, "the end, wanted \"%.60s\"", path);
		return;
	}
	EQ(item.kind, PC_ENTRY);
	EQ(list.plain, false);
	STREQ(item.path, path);
	EQ(!item.ranges, !n);
	for (int i = 0; i < n; i++) {
		EQ(pc_range_next(&item.ranges, &got), 1);
		EQ(got.off, r[i].off);
		EQ(got.len, r[i].len);
	}
	EQ(pc_range_next(&item.ranges, &got), 0);
}

/* Every byte in every place of a name, with and without the header. */
static void every_byte(bool header)
{
	static const char *const around[][2] = {
		{ "", "" }, { "", "x" }, { "/x", "y" }, { "/", "" },
	};
	char path[8];

	for (int c = 1; c < 256; c++)
		for (size_t i = 0; i < ARRAY_SIZE(around); i++) {
			if (!header && !*around[i][0])
				continue;
			snprintf(path, sizeof(path), "%s%c%s", around[i][0], c, around[i][1]);
			begin_writing(header);
			write_entry(path, NULL, 0);
			/* a line is a line */
			CHECK(memchr(out.buf + header * 16, '\n', out.len)
				== out.buf + out.len - 1, "byte %d", c);
			start_written();
			entry_is(path, NULL, 0);
			end_is(0);
		}
}

static void random_lists(void)
{
	static char path[50][300];
	static struct pc_range r[50][20];
	static int ranges[50];
	unsigned seed = 7;

	for (int round = 0; round < 300; round++) {
		bool header = round % 2;

		begin_writing(header);
		for (int i = 0; i < 50; i++) {
			size_t len = 1 + (size_t)(seed >> 9) % 290, k = 0;

			path[i][k++] = '/';
			for (; k < len; k++) {
				seed = seed * 1103515245 + 12345;
				path[i][k] = (char)(1 + (seed >> 16) % 255);
			}
			path[i][k] = '\0';
			ranges[i] = (int)(seed >> 20) % 20;
			for (int j = 0; j < ranges[i]; j++) {
				seed = seed * 1103515245 + 12345;
				r[i][j].off = (uint64_t)INT64_MAX >> seed % 64;
				r[i][j].len = ((uint64_t)INT64_MAX - r[i][j].off)
					>> (seed >> 8) % 64;
			}
			write_entry(path[i], r[i], ranges[i]);
		}
		read_max = round % 3 ? 0 : 1 + seed % 100;
		start_written();
		for (int i = 0; i < 50; i++)
			entry_is(path[i], r[i], ranges[i]);
		end_is(0);
	}
	read_max = 0;
}

/* Cut anywhere, what stands before the cut line is untouched. */
static void cut_anywhere(void)
{
	static const char text[] = "#warmbox-list 1\n@fs /\tuuid=1-2\n"
		"@meta /\t0+4096,8192+4096\n@at 7\n"
		"/usr/bin/a\\011b\t0+131072,262144+4096\tsize=5904904\n/etc/fstab\t\n";
	static const char *const items[] = {
		NULL, "fs / uuid=1-2", "meta / 0+4096 8192+4096", "at 7",
		"entry /usr/bin/a\\011b 0+131072 262144+4096 size=5904904", "entry /etc/fstab" };

	for (size_t n = 0; n < sizeof(text); n++) {
		size_t lines = 0;

		for (size_t i = 0; i < n; i++)
			lines += text[i] == '\n';
		start_bytes(text, n, false);
		for (size_t i = 1; i < lines; i++)
			next_is(items[i]);
		/* what is left of the cut line is one item at most */
		pc_list_next(&list, &item);
		CHECK(!pc_list_next(&list, &item), "two items of one line, cut at %zu", n);
		CHECK(list.bad <= 1, "cut at %zu", n);
	}
}

static void without_header(void)
{
	start("/a\t0+1\tsize=2\n/b\t\n/c\n/d\t1-2\nrel\t0+1\n/e\t\tsize=3\n/f\\040g\n/f\\040g\t\n");
	next_is("entry /a 0+1 size=2");
	next_is("entry /b");
	next_is("plain /c");
	next_is("plain /d\\0111-2");
	next_is("plain rel\\0110+1");
	next_is("entry /e size=3");
	next_is("plain /f\\134040g");
	next_is("entry /f g");
	end_is(0);
	/* a bad escape is one only where the line is ours */
	start("/a\\1\t0+1\n/a\\1\tx\n");
	next_is("bad");
	next_is("plain /a\\1341\\011x");
	end_is(1);
}

static void headers(void)
{
	static const char *const no[] = { "#warmbox-list 10", "#warmbox-list 2", "#warmbox-list",
		"#warmbox-list 1x", " #warmbox-list 1", "#WARMBOX-LIST 1", "warmbox-list 1" };
	char text[100];

	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		snprintf(text, sizeof(text), "%s\n/a\\101\n", no[i]);
		start(text);
		if (*no[i] != '#')
			CHECK(pc_list_next(&list, &item), "%s", no[i]);
		next_is("plain /a\\134101");
		end_is(0);
	}
	start("/a\\101\n#warmbox-list 1 by hand\n/a\\101\n");
	next_is("plain /a\\134101");
	next_is("entry /aA");
	end_is(0);
	/* what is known of one list is forgotten with the next */
	start("/a\\101\n");
	next_is("plain /a\\134101");
	end_is(0);
}

static void null_separated(void)
{
	static const char text[] = "/a\nb\0\0#c\0@at 0\0#warmbox-list 1\0/d\t0+1\t\0""12 /e\0/last";

	start_bytes(text, sizeof(text) - 1, true);
	next_is("plain /a\\012b");
	next_is("plain \\043c");
	next_is("plain \\100at 0");
	next_is("plain \\043warmbox-list 1");
	next_is("plain /d\\0110+1\\011");
	next_is("plain 12 /e");
	next_is("plain /last");
	end_is(0);
	/* and without -0 */
	start_bytes("/a\0b\n/c\n\0\n", 9, false);
	next_is("bad");
	EQ(list.line, 1);
	next_is("plain /c");
	next_is("bad");
	EQ(list.line, 3);
	end_is(2);
}

static void long_lines(void)
{
	static char text[5 * BB_LINE_MAX], want[BB_LINE_MAX + 10];
	char *p;

	/* path of n - 2 bytes and TAB: n with the newline */
	for (size_t n = BB_LINE_MAX - 2; n <= BB_LINE_MAX + 2; n++) {
		bool fits = n <= BB_LINE_MAX;

		p = stpcpy(text, "/a\t\n");
		memset(p, 'x', n);
		*p = '/';
		memcpy(p + n - 2, "\t\n/b\t\n", 7);
		start(text);
		next_is("entry /a");
		sprintf(want, "entry %.*s", (int)(n - 2), p);
		next_is(fits ? want : "bad");
		EQ(list.line, 2);
		next_is("entry /b");
		EQ(list.line, 3);
		end_is(!fits);
		/* as the last line, without newline */
		p[n - 1] = '\0';
		start(text);
		next_is("entry /a");
		next_is(fits ? want : "bad");
		end_is(!fits);
	}
	/* several in a row are told at once */
	memset(text, 'x', sizeof(text));
	text[BB_LINE_MAX + 5] = text[2 * BB_LINE_MAX + 50] = '\n';
	strcpy(text + 3 * BB_LINE_MAX + 500, "\n@at x\n/b\t\n");
	start(text);
	next_is("bad");
	EQ(list.line, 3);
	next_is("bad");
	EQ(list.line, 4);
	next_is("entry /b");
	end_is(4);
	/* no header is looked for in the middle of one */
	strcpy(text + 2 * BB_LINE_MAX + 51, "#warmbox-list 1");
	start(text);
	next_is("bad");
	end_is(2);
	/* names with NUL */
	memset(text, 'x', BB_LINE_MAX);
	memcpy(text + BB_LINE_MAX, "\0/b", 4);
	start_bytes(text, BB_LINE_MAX + 4, true);
	next_is("bad");
	next_is("plain /b");
	end_is(1);
}

static void read_errors(void)
{
	read_fails_at = 2;
	start("#warmbox-list 1\n/a\t\n/cu");
	next_is("entry /a");
	end_is(0);
	EQ(list.lines.error, EIO);
	read_fails_at = 0;
	pc_list_start(&list, -1, false);
	end_is(0);
	EQ(list.lines.error, EBADF);
}

static void words(void)
{
	size_t len = 0;
	const char *v;

	v = pc_word("type=ext4 uuid=1-2  x=y", "uuid", &len);
	CHECK(v && len == 3 && !memcmp(v, "1-2", 3), "uuid");
	v = pc_word("type=ext4 uuid=1-2  x=y", "x", &len);
	CHECK(v && len == 1 && *v == 'y', "x");
	CHECK(!pc_word("size=1", "siz", &len) && !pc_word("xsize=1", "size", &len)
	      && !pc_word("size", "size", &len) && !pc_word("", "size", &len)
	      && !pc_word(NULL, "size", &len), "what is not there");
	v = pc_word("size=", "size", &len);
	CHECK(v && !len, "empty");
}

int main(void)
{
	documented();
	tap("the examples of docs/list-format.md");
	read_max = 1;
	documented();
	read_max = 0;
	tap("the same read byte by byte");
	every_byte(true);
	every_byte(false);
	tap("every byte in a name survives");
	random_lists();
	tap("random names and ranges survive, with and without the header");
	cut_anywhere();
	tap("a list cut anywhere keeps what stands before the cut line");
	without_header();
	tap("lines that lost their header");
	headers();
	tap("what is a header, and where");
	null_separated();
	tap("NUL-separated names; NUL in a line");
	long_lines();
	tap("lines of 64 KiB, and longer ones");
	read_errors();
	tap("read errors");
	words();
	tap("key=value words");
	return tap_end();
}
