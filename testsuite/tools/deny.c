/* SPDX-License-Identifier: 0BSD */
/* deny NUMBER ERRNO COMMAND... - runs COMMAND where the system call NUMBER fails with ERRNO. (An
 * strace that is older than the call cannot do it.) */
#define _GNU_SOURCE
#include <err.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		errx(2, "usage: deny NUMBER ERRNO COMMAND...");
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(argv[1]), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[2])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
			|| prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		err(1, "seccomp");
	execvp(argv[3], argv + 3);
	err(127, "%s", argv[3]);
}
