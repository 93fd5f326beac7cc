/* SPDX-License-Identifier: 0BSD */
/* progress.c - the line that tells a waiting person how far it is. */

#include <sys/ioctl.h>

#include "kabi.h"
#include "libbb.h"

static bool shown;

void bb_progress(const char *name, uint64_t done, uint64_t total)
{
#if ENABLE_FEATURE_PROGRESS
	static uint64_t next;
	char buf[80];
	uint64_t now = sys_now_ms();
	size_t i, len;
	pid_t group;

	if (!next)
		next = now + 1000;
	if (now < next)
		return;
	next = now + 200;
	/* fails too when stderr is no terminal, or not ours (a serial console at boot) */
	if (ioctl(2, TIOCGPGRP, &group) || group != getpgrp())
		return;
	len = bb_snprintf(buf, sizeof(buf), "\r\033[K%6s of %6s  %.50s", bb_amount(done, false),
		bb_amount(total, false), name);
	/* a name must not move the cursor */
	for (i = 4; i < len; i++)
		if ((unsigned char)buf[i] < ' ' || buf[i] == 0x7f)
			buf[i] = '?';
	shown = full_write(2, buf, len) == 0;
#else
	(void)name, (void)done, (void)total;
#endif
}

void bb_progress_end(void)
{
	if (ENABLE_FEATURE_PROGRESS && shown)
		full_write(2, "\r\033[K", 4);
	shown = false;
}
