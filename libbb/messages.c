/* SPDX-License-Identifier: 0BSD */
/* messages.c - what is said on standard error, a line and a write(2) each. */

#include "libbb.h"

const char *applet_name = "warmbox";
bool bb_stderr_failed;

/* Own texts for what can happen here: musl's table of all costs 2.2 kB, and so the words are the
 * same with every libc. */
const char *bb_strerror(int err)
{
	static char buf[20];

#if ENABLE_FEATURE_ERROR_TEXTS
	switch (err) {
	case EPERM: return "Operation not permitted";
	case ENOENT: return "No such file or directory";
	case EINTR: return "Interrupted system call";
	case EIO: return "Input/output error";
	case ENXIO: return "No such device or address";
	case EBADF: return "Bad file descriptor";
	case EAGAIN: return "Resource temporarily unavailable";
	case ENOMEM: return "Cannot allocate memory";
	case EACCES: return "Permission denied";
	case EEXIST: return "File exists";
	case ENODEV: return "No such device";
	case ENOTDIR: return "Not a directory";
	case EISDIR: return "Is a directory";
	case EINVAL: return "Invalid argument";
	case ENFILE: return "Too many open files in system";
	case EMFILE: return "Too many open files";
	case EFBIG: return "File too large";
	case ENOSPC: return "No space left on device";
	case EROFS: return "Read-only file system";
	case EPIPE: return "Broken pipe";
	case ENAMETOOLONG: return "File name too long";
	case ENOSYS: return "Function not implemented";
	case EBADMSG: return "Bad message";
	case EUCLEAN: return "Structure needs cleaning";
	case ELOOP: return "Too many levels of symbolic links";
	}
#endif
	bb_snprintf(buf, sizeof(buf), "error %d", err);
	return buf;
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
