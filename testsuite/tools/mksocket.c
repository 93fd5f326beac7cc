/* SPDX-License-Identifier: 0BSD */
/* mksocket NAME - leaves a Unix socket in the file system */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char **argv)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s", argc > 1 ? argv[1] : "");
	if (bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&sun, sizeof(sun)))
		err(1, "%s", sun.sun_path);
	return 0;
}
