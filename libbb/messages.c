/* SPDX-License-Identifier: 0BSD */
/* messages.c - what is said on standard error, a line and a write(2) each. */

#include "libbb.h"

const char *applet_name = "warmbox";
bool bb_not_done, bb_quiet;

/* Own texts for what can happen here: musl's table of all costs 2.2 kB, and so the words are the
 * same with every libc. */
const char *bb_strerror(int err)
{
	static char buf[20];

#if ENABLE_FEATURE_ERROR_TEXTS
	static const unsigned char numbers[] = {
		EPERM, ENOENT, EINTR, EIO, ENXIO, EBADF, EAGAIN, ENOMEM, EACCES, EEXIST, ENODEV,
		ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, EFBIG, ENOSPC, EROFS, EPIPE,
		ENAMETOOLONG, ENOSYS, EBADMSG, EUCLEAN, ELOOP,
	};
	const char *text =
		"Operation not permitted\0" "No such file or directory\0"
		"Interrupted system call\0" "Input/output error\0"
		"No such device or address\0" "Bad file descriptor\0"
		"Resource temporarily unavailable\0" "Cannot allocate memory\0"
		"Permission denied\0" "File exists\0" "No such device\0"
		"Not a directory\0" "Is a directory\0" "Invalid argument\0"
		"Too many open files in system\0" "Too many open files\0" "File too large\0"
		"No space left on device\0" "Read-only file system\0" "Broken pipe\0"
		"File name too long\0" "Function not implemented\0" "Bad message\0"
		"Structure needs cleaning\0" "Too many levels of symbolic links";
	size_t i;

	for (i = 0; i < sizeof(numbers); i++, text += strlen(text) + 1)
		if (numbers[i] == err)
			return text;
#endif
	bb_snprintf(buf, sizeof(buf), "error %d", err);
	return buf;
}

static __attribute__((noinline)) void put(struct bb_out *o, const char *s)
{
	bb_putmem(o, s, strlen(s));
}

void bb_error_msg(const char *fmt, ...)
{
	/* holds the longest path that a system call takes, and a reason: one write for each line */
	char buf[4096 + 256];
	struct bb_out o = { .fd = 2, .size = sizeof(buf), .buf = buf };
	int how = *fmt > 0 && *fmt <= 8 ? *fmt++ : 0;
	const char *reason = how & 1 ? bb_strerror(errno) : NULL;
	va_list ap;

	if (how == 8) {
		bb_not_done = true;
		if (bb_quiet)
			return;
	}
	bb_progress_end();
	put(&o, applet_name);
	put(&o, ": ");
	va_start(ap, fmt);
	bb_vformat(&o, fmt, ap);
	va_end(ap);
	if (reason) {
		put(&o, ": ");
		put(&o, reason);
	}
	put(&o, "\n");
	if (bb_flush(&o))
		bb_not_done = true;
	if (how & 6)
		bb_exit(how / 2);
}
