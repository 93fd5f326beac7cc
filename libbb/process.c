/* SPDX-License-Identifier: 0BSD */
/* process.c - going on in the background. */

#include "kabi.h"
#include "libbb.h"
#include "pagecache.h"

pid_t bb_daemonize(void)
{
	pid_t pid = sys_fork();

	if (pid < 0)
		bb_error_msg_and_die("fork: %s", bb_strerror(-pid));
	if (pid)
		return pid;
	setsid();
	pc_forked();
	return 0;
}
