/* SPDX-License-Identifier: 0BSD */
/* process.h - background, PID files, an end after some time or by a signal. */
#ifndef PROCESS_H
#define PROCESS_H

#include "libbb.h"

/* Returns 0 in a child, in a session of its own, and in the parent, which is to exit, the child's
 * number. Failure ends the process. */
pid_t bb_daemonize(void);
/* A child that helps: it dies with its parent. Returns what fork(2) does; failure ends the
 * process. */
pid_t bb_fork_helper(void);

/* Opens a PID file; one that holds anything but a number is refused. Failure ends the process. */
void xpidfile_open(const char *name);
/* Failure ends the process, and the child whose number it is. */
void xpidfile_write(pid_t pid);

/* From here on HUP, INT, QUIT and TERM wait for bb_supervise. */
void bb_hold_signals(void);
/* Returns in a child, which is to do the work. The parent removes the PID file and ends as the
 * child does; with 0 when the time is up, with 128 + signal after one of those, even if the child
 * hangs in the kernel. */
void bb_supervise(uint64_t seconds, bool verbose);

/* Waits so long for INT or TERM, which from the first call on do nothing else. */
bool bb_told_to_end(uint64_t seconds);
/* Before writing: while standard output takes nothing, they end the process, up to the next call of
 * bb_told_to_end. */
void bb_may_stall(void);

#endif
