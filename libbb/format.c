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

/* The next argument. size: 0 int, 1 long or a pointer, 2 long long. Each va_arg is 30 bytes, so an
 * int is read as what has its place: a long on machines of 32 bits, 8 bytes on those of 64. */
static __attribute__((noinline)) uint64_t argument(va_list *ap, int size)
{
	long long v;

	if (sizeof(long) != sizeof(long long) && size < 2)
		return (uint64_t)va_arg(*ap, long);
	v = va_arg(*ap, long long);
	return (uint64_t)(size ? v : (int)v);
}

/* A number at fmt, or the argument that * stands for. Returns what is behind it. */
static const char *number_at(const char *fmt, va_list *ap, int *n)
{
	*n = 0;
	if (*fmt == '*') {
		*n = (int)argument(ap, 0);
		return fmt + 1;
	}
	for (; *fmt >= '0' && *fmt <= '9'; fmt++)
		*n = *n * 10 + *fmt - '0';
	return fmt;
}

void bb_vformat(struct bb_out *o, const char *fmt, va_list args)
{
	char digits[24];
	va_list ap;

	/* A va_list parameter may be an array that decayed: its address is no va_list *. */
	va_copy(ap, args);
	for (;;) {
		const char *s = fmt;
		int width, precision = -1, size = 0;
		size_t len;
		char fill = ' ', sign = 0;	/* fill '-': blanks, behind */
		unsigned base = 10;
		uint64_t v;
		char *p;

		fmt = bb_strchrnul(fmt, '%');
		bb_putmem(o, s, (size_t)(fmt - s));
		if (!*fmt)
			break;
		while (*++fmt == '-' || *fmt == '0')
			if (fill != '-')
				fill = *fmt;
		fmt = number_at(fmt, &ap, &width);
		if (width < 0) {
			fill = '-';
			width = -width;
		}
		if (*fmt == '.')
			fmt = number_at(fmt + 1, &ap, &precision);
		for (; *fmt == 'l' || *fmt == 'z' || *fmt == 'j'; fmt++)
			size += *fmt == 'j' ? 2 : 1;

		s = digits;
		len = 1;
		switch (*fmt) {
		case 's':
			s = (const char *)(uintptr_t)argument(&ap, 1);
			for (len = 0; len < (size_t)precision && s[len]; )
				len++;
			break;
		case '%':
			s = fmt;
			break;
		case 'c':
			digits[0] = (char)argument(&ap, 0);
			break;
		default:
			v = argument(&ap, size);
			if (*fmt == 'd') {
				if ((int64_t)v < 0) {
					sign = '-';
					v = -v;
				}
			} else if (size == 0) {
				v = (unsigned)v;
			} else if (size == 1) {
				v = (unsigned long)v;
			}
			if (*fmt == 'x')
				base = 16;
			p = digits + sizeof(digits);
			do {
				*--p = "0123456789abcdef"[v % base];
				v /= base;
			} while (v);
			s = p;
			len = (size_t)(digits + sizeof(digits) - p);
		}
		fmt++;
		width -= (int)len + !!sign;
		if (fill == ' ')
			pad(o, ' ', width);
		pad(o, sign, !!sign);
		if (fill == '0')
			pad(o, '0', width);
		bb_putmem(o, s, len);
		if (fill == '-')
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
		bb_not_done = true;
	}
	if (bb_not_done && status == EXIT_DONE)
		status = EXIT_NOT_DONE;
	_exit(status);
}
