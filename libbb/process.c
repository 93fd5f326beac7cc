/* SPDX-License-Identifier: 0BSD */
/* process.c - going on in the background. */

#include "kabi.h"
#include "libbb.h"
#include "pagecache.h"

void bb_daemonize(void)
{
	pid_t pid = sys_fork();

	if (pid < 0)
		bb_error_msg_and_die("fork: %s", bb_strerror(-pid));
	if (pid)
		_exit(EXIT_DONE);
	setsid();
	pc_forked();
}
