/* SPDX-License-Identifier: 0BSD */
/* format.c - a small printf into a buffer that a descriptor may stand behind. With musl the
 * printf of libc costs 16 kB. */

#include "libbb.h"

static char stdout_buf[4096];
struct bb_out bb_stdout = { .fd = 1, .size = sizeof(stdout_buf), .buf = stdout_buf };

int bb_flush(struct bb_out *o)
{
	if (o->fd >= 0 && o->len) {
		int r = full_write(o->fd, o->buf, o->len);

		if (r && !o->error)
			o->error = -r;
		o->len = 0;
	}
	return o->error;
}

void bb_putmem(struct bb_out *o, const void *mem, size_t len)
{
	const char *p = mem;

	while (len) {
		size_t n = MIN(len, o->size - o->len);

		memcpy(o->buf + o->len, p, n);
		o->len += n;
		p += n;
		len -= n;
		if (len) {
			if (o->fd < 0)
				return;
			bb_flush(o);
		}
	}
}

static void pad(struct bb_out *o, char c, int n)
{
	while (n-- > 0)
		bb_putmem(o, &c, 1);
}

/* One conversion's number, by its size: 0 int, 1 long, 2 long long. */
static uint64_t number(va_list *ap, int size, bool is_signed)
{
	if (is_signed)
		return size == 2 ? (uint64_t)va_arg(*ap, long long)
			: size == 1 ? (uint64_t)va_arg(*ap, long) : (uint64_t)va_arg(*ap, int);
	return size == 2 ? va_arg(*ap, unsigned long long)
		: size == 1 ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned);
}

void bb_vformat(struct bb_out *o, const char *fmt, va_list args)
{
	char digits[24];
	va_list ap;

	/* A va_list parameter may be an array that decayed: its address is no va_list *. */
	va_copy(ap, args);
	while (*fmt) {
		const char *s = bb_strchrnul(fmt, '%');
		int width = 0, precision = -1, size = 0, len;
		bool left = false, zero = false, negative = false;

		bb_putmem(o, fmt, (size_t)(s - fmt));
		if (!*s)
			break;
		fmt = s + 1;
		for (; *fmt == '-' || *fmt == '0'; fmt++)
			*(*fmt == '-' ? &left : &zero) = true;
		if (*fmt == '*') {
			width = va_arg(ap, int);
			if (width < 0) {
				left = true;
				width = -width;
			}
			fmt++;
		} else {
			while (*fmt >= '0' && *fmt <= '9')
				width = width * 10 + *fmt++ - '0';
		}
		if (*fmt == '.') {
			precision = 0;
			if (*++fmt == '*') {
				precision = va_arg(ap, int);
				fmt++;
			} else {
				while (*fmt >= '0' && *fmt <= '9')
					precision = precision * 10 + *fmt++ - '0';
			}
		}
		for (; *fmt == 'l' || *fmt == 'z' || *fmt == 'j'; fmt++)
			size += *fmt == 'j' ? 2 : 1;

		switch (*fmt++) {
		case 'c':
			digits[0] = (char)va_arg(ap, int);
			s = digits;
			len = 1;
			break;
		case 's':
			s = va_arg(ap, const char *);
			len = precision >= 0 ? (int)strnlen(s, (size_t)precision)
				: (int)strlen(s);
			break;
		case '%':
			s = "%";
			len = 1;
			break;
		default: {
			bool hex = fmt[-1] == 'x';
			bool is_signed = fmt[-1] == 'd';
			uint64_t v = number(&ap, size, is_signed);
			char *p = digits + sizeof(digits);

			if (is_signed && (int64_t)v < 0) {
				negative = true;
				v = -v;
			}
			do {
				*--p = "0123456789abcdef"[v % (hex ? 16 : 10)];
				v /= hex ? 16 : 10;
			} while (v);
			s = p;
			len = (int)(digits + sizeof(digits) - p);
		}
		}
		width -= len + negative;
		if (!left && !zero)
			pad(o, ' ', width);
		if (negative)
			bb_putmem(o, "-", 1);
		if (!left && zero)
			pad(o, '0', width);
		bb_putmem(o, s, (size_t)len);
		if (left)
			pad(o, ' ', width);
	}
	va_end(ap);
}

size_t bb_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	struct bb_out o = { .fd = -1, .size = size - 1, .buf = buf };
	va_list ap;

	va_start(ap, fmt);
	bb_vformat(&o, fmt, ap);
	va_end(ap);
	buf[o.len] = '\0';
	return o.len;
}

void bb_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	bb_vformat(&bb_stdout, fmt, ap);
	va_end(ap);
}

void bb_exit(int status)
{
	errno = bb_flush(&bb_stdout);
	if (errno) {
		bb_perror_msg("write error");
		if (status == EXIT_DONE)
			status = EXIT_NOT_DONE;
	}
	if (bb_stderr_failed && status == EXIT_DONE)
		status = EXIT_NOT_DONE;
	_exit(status);
}
