/* SPDX-License-Identifier: 0BSD */
/* openall <LIST - opens and closes every file of a NUL-separated list, in its order */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char *name = NULL;
	size_t size = 0;

	while (getdelim(&name, &size, 0, stdin) > 0) {
		int fd = open(name, O_RDONLY);

		if (fd < 0)
			err(1, "%s", name);
		close(fd);
	}
	return 0;
}
