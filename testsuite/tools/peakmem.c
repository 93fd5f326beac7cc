/* SPDX-License-Identifier: 0BSD */
/* peakmem - how much memory a command had resident
 *
 * usage: peakmem COMMAND [ARG...]
 * Stops the command as it exits (ptrace) and prints one line, in KiB: PEAK END, which are VmHWM
 * of /proc/PID/status and Rss of /proc/PID/smaps_rollup, its own program text and libraries
 * included. Not wait4's ru_maxrss: that begins with the size of the process that forked. VmHWM
 * is rough before Linux 6.16 (per-CPU counters that are not added up); END counts page tables. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static long field(pid_t pid, const char *file, const char *key)
{
	char name[64], line[256];
	long kib = -1;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/%s", (int)pid, file);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			sscanf(line + strlen(key), "%ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

int main(int argc, char **argv)
{
	int status, sig;
	pid_t pid = fork();

	if (argc < 2 || pid < 0)
		return 2;
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, 0,
		PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		sig = WSTOPSIG(status);
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
			printf("%ld %ld\n", field(pid, "status", "VmHWM:"),
			       field(pid, "smaps_rollup", "Rss:"));
		ptrace(PTRACE_CONT, pid, 0, sig == SIGTRAP ? 0 : sig);
	}
	return !WIFEXITED(status) || WEXITSTATUS(status);
}
