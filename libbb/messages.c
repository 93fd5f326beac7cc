/* SPDX-License-Identifier: 0BSD */
/* messages.c - what is said on standard error, a line and a write(2) each. */

#include "libbb.h"

const char *applet_name = "warmbox";
bool bb_stderr_failed;

const char *bb_strerror(int err)
{
#if ENABLE_FEATURE_ERROR_TEXTS
	return strerror(err);
#else
	static char buf[20];

	bb_snprintf(buf, sizeof(buf), "error %d", err);
	return buf;
#endif
}

static void message(const char *fmt, va_list ap, const char *end)
{
	/* holds the longest path that a system call takes, and a reason: one write for each line */
	char buf[4096 + 256];
	struct bb_out o = { .fd = 2, .size = sizeof(buf), .buf = buf };

	bb_progress_end();
	bb_putmem(&o, applet_name, strlen(applet_name));
	bb_putmem(&o, ": ", 2);
	bb_vformat(&o, fmt, ap);
	if (end) {
		bb_putmem(&o, ": ", 2);
		bb_putmem(&o, end, strlen(end));
	}
	bb_putmem(&o, "\n", 1);
	if (bb_flush(&o))
		bb_stderr_failed = true;
}

void bb_verror_msg(const char *fmt, va_list ap)
{
	message(fmt, ap, NULL);
}

void bb_error_msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, NULL);
	va_end(ap);
}

void bb_perror_msg(const char *fmt, ...)
{
	const char *reason = bb_strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, reason);
	va_end(ap);
}

void bb_error_msg_and_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, NULL);
	va_end(ap);
	bb_exit(EXIT_NOT_DONE);
}

void bb_perror_msg_and_die(const char *fmt, ...)
{
	const char *reason = bb_strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, reason);
	va_end(ap);
	bb_exit(EXIT_NOT_DONE);
}

void bb_usage_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(fmt, ap, NULL);
	va_end(ap);
	bb_exit(EXIT_USAGE);
}
