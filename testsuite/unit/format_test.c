/* SPDX-License-Identifier: 0BSD */
#include "libbb.h"
#include "tap.h"

/* Formats chosen by the test are no literals. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

static void PRINTF_LIKE(2, 3) same(size_t size, const char *fmt, ...)
{
	char want[300], got[300];
	va_list ap;
	struct bb_out o = { .fd = -1, .size = size - 1, .buf = got };
	int saved = errno;

	memset(got, '~', sizeof(got));
	va_start(ap, fmt);
	vsnprintf(want, size, fmt, ap);
	va_end(ap);
	errno = saved;
	va_start(ap, fmt);
	bb_vformat(&o, fmt, ap);
	va_end(ap);
	EQ(errno, saved);
	EQ(o.len, strlen(want));
	CHECK(got[size - 1] == '~', "\"%s\" wrote behind the end", fmt);
	got[o.len] = '\0';
	CHECK(!strcmp(got, want), "\"%s\": \"%s\" instead of \"%s\"", fmt, got, want);
}

static uint64_t random64(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static unsigned below(unsigned n)
{
	return (unsigned)(random64() >> 33) % n;
}

/* A conversion with random flags, width and precision, and a value for it. */
static void one(void)
{
	static const char *const sizes[] = { "", "l", "ll", "z", "j" };
	static const char *const strings[] = { "", "x", "a longer string", "\xff\x01%d", "1234" };
	char fmt[64], *p = fmt;
	uint64_t v = random64() >> below(64);
	size_t size = 1 + below(40);

	p += sprintf(p, "%.*s%%", (int)below(4), "<<<");
	if (below(4)) {
		const char *s = strings[below(ARRAY_SIZE(strings))];
		unsigned k = below(5);
		char conversion = "dux"[below(3)];

		if (below(3) == 0) {
			if (below(2))
				*p++ = '-';
			if (below(2))
				p += sprintf(p, "%u", below(30));
			if (below(2))
				p += sprintf(p, ".%u", below(20));
			strcpy(p, "s>");
			same(size, fmt, s);
			return;
		}
		if (below(2))
			*p++ = "-0"[below(2)];
		if (below(2))
			p += sprintf(p, "%u", below(30) + 1);
		sprintf(p, "%s%c>", sizes[k], conversion);
		switch (k) {
		case 0: same(size, fmt, (unsigned)v); break;
		case 1: same(size, fmt, (unsigned long)v); break;
		case 2: same(size, fmt, (unsigned long long)v); break;
		case 3: same(size, fmt, (size_t)v); break;
		case 4: same(size, fmt, (uintmax_t)v); break;
		}
	} else {
		strcpy(p, below(2) ? "c>" : "-5c>");
		same(size, fmt, (int)(v % 255 + 1));
	}
}

static void to_descriptor(void)
{
	char want[5000], got[5000], small[7];
	struct bb_out o = { .size = sizeof(small), .buf = small };
	int fds[2], saved;
	size_t len = 0;

	for (size_t i = 0; i < sizeof(want) - 1; i++)
		want[i] = (char)('a' + i % 26);
	want[sizeof(want) - 1] = '\0';
	if (pipe(fds))
		abort();
	o.fd = fds[1];
	bb_putmem(&o, want, 3);
	bb_putmem(&o, want + 3, 0);
	for (size_t i = 3; i < sizeof(want) - 1; i += len) {
		len = MIN(i % 19, sizeof(want) - 1 - i);
		len += !len;
		bb_putmem(&o, want + i, len);
	}
	EQ(bb_flush(&o), 0);
	EQ(read(fds[0], got, sizeof(got)), sizeof(want) - 1);
	CHECK(!memcmp(got, want, sizeof(want) - 1), "other bytes");
	tap("output through a small buffer");

	close(fds[0]);
	close(fds[1]);
	o.error = 0;
	bb_putmem(&o, want, 100);
	saved = o.error;
	EQ(saved, EBADF);
	o.fd = open("/dev/null", O_WRONLY);
	EQ(bb_flush(&o), EBADF);
	tap("output: the first error is kept");
	close(o.fd);
}

int main(void)
{
	char buf[8];

	same(100, "nothing");
	same(100, "%s", "");
	same(100, "%%%d%%", 5);
	same(100, "%d %d %d", 0, INT32_MIN, INT32_MAX);
	same(100, "%lld %llu", (long long)INT64_MIN, (unsigned long long)UINT64_MAX);
	same(100, "%08x %-8x| %8x", 0xabcu, 0xabcu, 0xabcu);
	same(100, "%05d %-5d|", -42, -42);
	same(100, "%*d|%-*d|%*d", 6, 1, 6, 2, -6, 3);
	same(100, "%.*s|%*s|%-*.*s|", 2, "abc", 5, "abc", 5, 1, "abc");
	same(100, "%.*s", -1, "all of it");
	same(100, "%.3s", "not terminated"[0] ? (char[]){ 'a', 'b', 'c' } : "");
	same(100, "%c%c%c", 'a', 0x7f, 0xe9);
	tap("the conversions");

	for (int i = 0; i < 200000; i++)
		one();
	tap("200000 random conversions are snprintf's");

	EQ(bb_snprintf(buf, 8, "%s", "1234567"), 7);
	STREQ(buf, "1234567");
	EQ(bb_snprintf(buf, 8, "%s", "12345678"), 7);
	STREQ(buf, "1234567");
	EQ(bb_snprintf(buf, 1, "%d", 5), 0);
	STREQ(buf, "");
	tap("bb_snprintf says what was stored");
	to_descriptor();
	return tap_end();
}
