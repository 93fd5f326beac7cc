/* SPDX-License-Identifier: 0BSD */
/* fuzz.c - see fuzz.h. Linked with --wrap of what it replaces. */
#include "fuzz.h"
#include <setjmp.h>

static jmp_buf out;
static bool inside;

static const char *input;
static size_t input_left, input_step;

void __wrap__exit(int status);
void __real__exit(int status);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __real_read(int fd, void *buf, size_t len);

void __wrap__exit(int status)
{
	if (inside)
		longjmp(out, status + 1);
	__real__exit(status);
}

ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	if (!inside)
		return __real_write(fd, buf, len);
	HOLDS(fd != 2 || (len && ((const char *)buf)[len - 1] == '\n'));
	return (ssize_t)len;
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	if (fd != FUZZ_FD)
		return __real_read(fd, buf, len);
	len = MIN(len, MIN(input_left, input_step));
	memcpy(buf, input, len);
	input += len;
	input_left -= len;
	return (ssize_t)len;
}

void fuzz_input(const void *data, size_t size, size_t step)
{
	input = data;
	input_left = size;
	input_step = step;
}

size_t fuzz_input_left(void)
{
	return input_left;
}

int fuzz_call(void (*fn)(void *), void *arg)
{
	int r = setjmp(out);

	inside = !r;
	if (!r)
		fn(arg);
	inside = false;
	return r - 1;
}

void bb_show_usage(void)
{
	bb_error_msg("usage");
	bb_exit(EXIT_USAGE);
}

void bb_show_help(void)
{
	bb_exit(EXIT_DONE);
}
