/* SPDX-License-Identifier: 0BSD */
/* replace.c - a file is written whole or not at all: a new one beside it takes its name. */

#include <stdio.h>		/* renameat, of all places */

#include "replace.h"

/* Follows name to what it finally means, in r->target. */
static int resolve(struct bb_replace *r, const char *name)
{
	char link[sizeof(r->target)];
	int hops;

	if (bb_snprintf(r->target, sizeof(r->target), "%s", name) != strlen(name))
		return -ENAMETOOLONG;
	for (hops = 0; hops < 40; hops++) {
		ssize_t n = readlinkat(AT_FDCWD, r->target, link, sizeof(link) - 1);
		char *slash = strrchr(r->target, '/');
		size_t dir;

		if (n < 0)	/* no link, or nothing there */
			return 0;
		link[n] = '\0';
		dir = link[0] == '/' || !slash ? 0 : (size_t)(slash - r->target) + 1;
		if (dir + (size_t)n >= sizeof(r->target))
			return -ENAMETOOLONG;
		memcpy(r->target + dir, link, (size_t)n + 1);
	}
	return -ELOOP;
}

int bb_replace_open(struct bb_replace *r, const char *name)
{
	const char *slash;
	struct stat st;
	sigset_t ends;
	unsigned n = 0;
	int e;

	r->temp[0] = '\0';
	r->mode = 0644;
	r->uid = (uid_t)-1;
	r->gid = (gid_t)-1;
	if (fstatat(AT_FDCWD, name, &st, 0) == 0) {
		/* a pipe, /dev/null; /dev/stdout is a link that reads "pipe:[1]" */
		if (!S_ISREG(st.st_mode)) {
			r->fd = openat(AT_FDCWD, name, O_WRONLY | O_CLOEXEC);
			return r->fd < 0 ? -errno : r->fd;
		}
		r->mode = st.st_mode & 07777;
		r->uid = st.st_uid;
		r->gid = st.st_gid;
	}
	e = resolve(r, name);
	if (e)
		return e;
	slash = strrchr(r->target, '/');
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &r->mask);
	/* our number alone is not enough: other PID namespaces have it too */
	do {
		bb_snprintf(r->temp, sizeof(r->temp), "%.*s.warmbox-%d-%u",
			slash ? (int)(slash + 1 - r->target) : 0, r->target, (int)getpid(), n);
		r->fd = openat(AT_FDCWD, r->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (r->fd < 0 && errno == EEXIST && ++n < 1000);
	if (r->fd < 0) {
		e = -errno;
		r->temp[0] = '\0';
		sigprocmask(SIG_SETMASK, &r->mask, NULL);
		return e;
	}
	return r->fd;
}

void bb_replace_abort(struct bb_replace *r)
{
	close(r->fd);
	if (!r->temp[0])
		return;
	unlinkat(AT_FDCWD, r->temp, 0);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
}

int bb_replace_commit(struct bb_replace *r)
{
	char *slash;
	int e = 0, fd;

	if (!r->temp[0])
		return close(r->fd) ? -errno : 0;
	/* whose it was, where we may; the mode after that, for it takes set-id bits away */
	if (fchown(r->fd, r->uid, r->gid) && errno != EPERM)
		e = -errno;
	if (e || fchmod(r->fd, r->mode) || fsync(r->fd)
			|| renameat(AT_FDCWD, r->temp, AT_FDCWD, r->target)) {
		e = e ? e : -errno;
		bb_replace_abort(r);
		return e;
	}
	close(r->fd);
	/* the new name has to last too */
	slash = strrchr(r->target, '/');
	if (slash)
		slash[slash == r->target] = '\0';
	fd = openat(AT_FDCWD, slash ? r->target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	return 0;
}
