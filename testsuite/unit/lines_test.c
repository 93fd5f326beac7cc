/* SPDX-License-Identifier: 0BSD */
/* link: -Wl,--wrap=read */
#include "libbb.h"
#include "tap.h"

static struct bb_lines lines;
static unsigned read_calls, read_max, read_fails_at;

/* Linked in place of read(2): short reads, EINTR before each good one, an error when told. */
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	read_calls++;
	errno = EINTR;
	if (read_max && read_calls % 2)
		return -1;
	if (read_fails_at && read_calls >= read_fails_at) {
		errno = EIO;
		return -1;
	}
	return __real_read(fd, buf, read_max ? MIN(len, read_max) : len);
}

static void start(const void *text, size_t len, char delim)
{
	FILE *f = tmpfile();

	if (!f || fwrite(text, 1, len, f) != len || fflush(f))
		abort();
	lines.fd = dup(fileno(f));
	lseek(lines.fd, 0, SEEK_SET);
	fclose(f);
	read_calls = 0;
	bb_lines_start(&lines, lines.fd, delim);
}

static void next_is(const char *want, size_t want_len)
{
	size_t len = 12345;
	char *got = bb_lines_next(&lines, &len);

	CHECK(got, "no record, wanted \"%.40s\"", want);
	if (!got)
		return;
	EQ(len, want_len);
	CHECK(len != want_len || !memcmp(got, want, len), "\"%.40s\" instead of \"%.40s\"", got,
	      want);
	CHECK(!got[len], "not NUL-terminated");
}

static void end_is(int error, unsigned too_long)
{
	size_t len;

	for (int i = 0; i < 3; i++)
		CHECK(!bb_lines_next(&lines, &len), "a record behind the end");
	EQ(lines.error, error);
	EQ(lines.too_long, too_long);
	close(lines.fd);
}

static void plain(void)
{
	static const char text[] = "one\ntwo words\n\n\n\xff\x01\ttab\nno newline";

	start(text, sizeof(text) - 1, '\n');
	next_is("one", 3);
	next_is("two words", 9);
	next_is("", 0);
	next_is("", 0);
	next_is("\xff\x01\ttab", 6);
	next_is("no newline", 10);
	end_is(0, 0);
	start("", 0, '\n');
	end_is(0, 0);
	start("\n", 1, '\n');
	next_is("", 0);
	end_is(0, 0);
	start("a\nb", 3, '\0');
	next_is("a\nb", 3);
	end_is(0, 0);
	start("a\nb\0\0c\0", 7, '\0');
	next_is("a\nb", 3);
	next_is("", 0);
	next_is("c", 1);
	end_is(0, 0);
	start("x\0y\nz", 5, '\n');
	next_is("x\0y", 3);
	next_is("z", 1);
	end_is(0, 0);
}

/* A record of every size around size, between two short ones. */
static void sizes_around(size_t size, bool last_ends)
{
	static char text[3 * BB_LINE_MAX];

	for (size_t n = size - 3; n <= size + 3; n++) {
		bool fits = n + 1 <= BB_LINE_MAX;

		memset(text, 'm', sizeof(text));
		memcpy(text, "ab\n", 3);
		text[3 + n] = '\n';
		memcpy(text + 3 + n + 1, "cd\n", 3);
		start(text, 3 + n + 4, '\n');
		next_is("ab", 2);
		if (fits)
			next_is(text + 3, n);
		next_is("cd", 2);
		end_is(0, !fits);

		/* and as the last one */
		start(text, 3 + n + last_ends, '\n');
		next_is("ab", 2);
		if (fits)
			next_is(text + 3, n);
		end_is(0, !fits);
	}
}

static void read_errors(void)
{
	read_fails_at = 1;
	start("ab\ncd", 5, '\n');
	end_is(EIO, 0);
	read_fails_at = 2;
	start("ab\ncd\nef", 8, '\n');
	next_is("ab", 2);
	next_is("cd", 2);
	/* What came of "ef" may be the beginning of another name. */
	end_is(EIO, 0);
	read_fails_at = 0;
	bb_lines_start(&lines, -1, '\n');
	end_is(EBADF, 0);
}

/* Against the obvious way to do it, with lengths that meet every border of the buffer. */
static void random_records(void)
{
	static char text[1 << 20];
	unsigned seed = 1;
	size_t at = 0, begin;

	while (at < sizeof(text) - 200000) {
		size_t n;

		seed = seed * 1103515245 + 12345;
		n = seed >> 16 & 15 ? (seed >> 20) % 200 : (seed >> 8) % 140000;
		memset(text + at, 'a' + (int)(seed >> 24) % 26, n);
		at += n;
		text[at++] = '\n';
	}
	for (read_max = 0; read_max <= 9973; read_max += 3324) {
		unsigned too_long = 0;

		start(text, at, '\n');
		for (begin = 0; begin < at;) {
			size_t n = (size_t)((char *)memchr(text + begin, '\n', at - begin) -
					    (text + begin));

			if (n + 1 <= BB_LINE_MAX)
				next_is(text + begin, n);
			else
				too_long++;
			begin += n + 1;
		}
		end_is(0, too_long);
	}
	read_max = 0;
}

int main(void)
{
	plain();
	tap("records, empty ones, and a last one without delimiter");
	read_max = 1;
	plain();
	tap("the same a byte at a time, with EINTR");
	for (read_max = 0; read_max <= 4097; read_max += 4097)
		for (int last_ends = 0; last_ends < 2; last_ends++) {
			sizes_around(4096, last_ends);
			sizes_around(8192, last_ends);
			sizes_around(BB_LINE_MAX, last_ends);
			sizes_around(BB_LINE_MAX + 4096, last_ends);
			sizes_around(2 * BB_LINE_MAX, last_ends);
		}
	read_max = 0;
	tap("records around the size of the buffer, and longer ones left out");
	read_errors();
	tap("read errors end it, and what was cut by one is not taken for a record");
	random_records();
	tap("random records against memchr");
	return tap_end();
}
