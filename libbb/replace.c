/* SPDX-License-Identifier: 0BSD */
/* replace.c - a file is written whole or not at all: a new one beside it takes its name. */

#include <stdio.h>		/* renameat, of all places */

#include "kabi.h"
#include "replace.h"

/* The name in its directory. */
static char *base_of(struct bb_replace *r)
{
	char *slash = strrchr(r->target, '/');

	return slash ? slash + 1 : r->target;
}

/* Follows name to what it finally means, in r->target. */
static int resolve(struct bb_replace *r, const char *name)
{
	char *link = r->temp;
	size_t len = strlen(name) + 1;
	int hops;

	if (len > sizeof(r->target))
		return -ENAMETOOLONG;
	memcpy(r->target, name, len);
	for (hops = 0; hops < 40; hops++) {
		ssize_t n = readlinkat(AT_FDCWD, r->target, link, sizeof(r->target));
		char *at;

		if (n < 0)	/* no link, or nothing there */
			return 0;
		at = link[0] == '/' ? r->target : base_of(r);
		if (n >= r->target + sizeof(r->target) - at)
			return -ENAMETOOLONG;
		memcpy(at, link, (size_t)n);
		at[n] = '\0';
	}
	return -ELOOP;
}

int bb_replace_open(struct bb_replace *r, const char *name)
{
	sigset_t all;
	unsigned n = 0;
	int e;

	if (fstatat(AT_FDCWD, name, &r->old, 0)) {
		r->old.st_mode = 0644;
		r->old.st_uid = (uid_t)-1;
		r->old.st_gid = (gid_t)-1;
	} else if (!S_ISREG(r->old.st_mode)) {
		/* a pipe, /dev/null; /dev/stdout is a link that reads "pipe:[1]" */
		r->temp[0] = '\0';
		r->fd = openat(AT_FDCWD, name, O_WRONLY | O_CLOEXEC);
		return r->fd < 0 ? -errno : r->fd;
	}
	e = resolve(r, name);
	if (e)
		return e;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &r->mask);
	/* our number alone is not enough: other PID namespaces have it too */
	do {
		bb_snprintf(r->temp, sizeof(r->temp), "%.*s.warmbox-%d-%u",
			(int)(base_of(r) - r->target), r->target, (int)getpid(), n);
		r->fd = openat(AT_FDCWD, r->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (r->fd < 0 && errno == EEXIST && ++n < 1000);
	if (r->fd >= 0)
		return r->fd;
	e = -errno;
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	return e;
}

/* Ends it, with -errno or 0, and returns that. */
static int finish(struct bb_replace *r, int e)
{
	if (e)
		unlinkat(AT_FDCWD, r->temp, 0);
	close(r->fd);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	return e;
}

void bb_replace_abort(struct bb_replace *r)
{
	if (r->temp[0])
		finish(r, -EINTR);
	else
		close(r->fd);
}

int bb_replace_commit(struct bb_replace *r)
{
	int e, fd;

	if (!r->temp[0])
		return close(r->fd) ? -errno : 0;
	/* whose it was, where we may; the mode after that, for it takes set-id bits away */
	e = fchownat(r->fd, "", r->old.st_uid, r->old.st_gid, AT_EMPTY_PATH) && errno != EPERM
		? -errno : sys_fchmod(r->fd, r->old.st_mode & 07777);
	if (!e && (fsync(r->fd) || renameat(AT_FDCWD, r->temp, AT_FDCWD, r->target)))
		e = -errno;
	if (e)
		return finish(r, e);
	/* the new name has to last too */
	memcpy(base_of(r), ".", 2);
	fd = openat(AT_FDCWD, r->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	return finish(r, 0);
}
