/* SPDX-License-Identifier: 0BSD */
/* pc_walk.c - goes through a tree and hands out its regular files.
 *
 * Depth first, with one directory open: down by name, up by "..", which is then compared with
 * what was there before. So no path is looked up twice, none is too long, and a directory moved
 * away meanwhile is noticed. Memory: for each level the names of the directories that wait. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"

#define DENTS 32768		/* bytes of one getdents(2) */
#define WAITING_MAX 65536	/* bytes of waiting names, then reading a directory is put off */
#define SEEN_SLOTS 65536

struct level {
	struct level *up, *down;	/* down: NULL, or one to use again */
	dev_t dev;
	uint64_t ino;
	size_t path_len;
	size_t names;		/* where the waiting names of this level begin */
	int64_t cookie;		/* where to go on reading, -1: read to the end */
	bool safe;
	bool mounts;		/* on entries of it */
};

struct grown {			/* an array that grows */
	char *mem;
	size_t size;
};

struct walk {
	struct pc_walk *w;
	struct level *level;	/* the deepest */
	struct grown path, names;
	size_t names_len;
	unsigned below;		/* levels that the open directory is below it */
	int fd;
	struct level above;	/* the root's, itself none */
	struct pc_root root;
};

static struct {
	dev_t dev;
	uint64_t ino;
} seen[SEEN_SLOTS];
static size_t seen_count;
uint64_t pc_seen_forgotten;

bool pc_seen(dev_t dev, uint64_t ino)
{
	size_t slot;

	slot = (size_t)((ino * 0x9e3779b97f4a7c15ULL + (uint64_t)dev) >> 40) % SEEN_SLOTS;
	for (; seen[slot].ino; slot = (slot + 1) % SEEN_SLOTS)
		if (seen[slot].ino == ino && seen[slot].dev == dev)
			return true;
	if (seen_count == PC_SEEN_MAX) {
		pc_seen_forgotten++;
		return false;
	}
	seen_count++;
	seen[slot].dev = dev;
	seen[slot].ino = ino;
	return false;
}

void pc_seen_clear(void)
{
	if (seen_count)
		memset(seen, 0, sizeof(seen));
	seen_count = 0;
}

static char *grow(struct grown *g, size_t size)
{
	if (size > g->size) {
		char *mem = xalloc(size * 2);

		memcpy(mem, g->mem ? g->mem : "", g->size);
		g->mem = mem;
		g->size = size * 2;
	}
	return g->mem;
}

static int compare_ino(const void *a, const void *b)
{
	const struct kabi_dirent *x = *(const struct kabi_dirent *const *)a;
	const struct kabi_dirent *y = *(const struct kabi_dirent *const *)b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Puts name, if any, behind the path of the deepest level; returns the whole path. */
static const char *path_of(struct walk *k, const char *name)
{
	size_t len = k->level->path_len, n = strlen(name);
	char *path = grow(&k->path, len + n + 2);

	if (n && len && path[len - 1] != '/')
		path[len++] = '/';
	memcpy(path + len, name, n + 1);
	return path;
}

/* Whether it is a file to be handed out. A directory is one of those that wait from here on. */
static __attribute__((noinline)) bool is_file(struct walk *k, const struct kabi_dirent *d)
{
	unsigned type = d->type;
	struct stat st;
	const char *path;
	size_t n = strlen(d->name) + 1;

	if (d->name[0] == '.' && (!d->name[1] || (d->name[1] == '.' && !d->name[2])))
		return false;
	path = path_of(k, d->name);
	/* a file may be a mount point too, of a FUSE daemon that does not answer */
	if (k->level->mounts) {
		char kind = pc_root_mount(&k->root, path);

		if (kind && (kind != '/' || (k->w->one_fs && type != KABI_DT_DIR)))
			return false;
	}
	if (type == KABI_DT_UNKNOWN && !sys_stat(k->fd, d->name, false, &st))
		type = (st.st_mode & S_IFMT) >> 12;
	if ((type != KABI_DT_REG && type != KABI_DT_DIR) || bb_glob_any(k->w->exclude, path))
		return false;
	if (type == KABI_DT_REG)
		return true;
	memcpy(grow(&k->names, k->names_len + n) + k->names_len, d->name, n);
	k->names_len += n;
	return false;
}

/* Reads the open directory, the deepest level, up to its end or until enough wait. */
static void read_level(struct walk *k)
{
	static char buf[DENTS] __attribute__((aligned(8)));
	static const struct kabi_dirent *files[DENTS / sizeof(struct kabi_dirent)];
	struct level *l = k->level;
	size_t i, count;
	ssize_t n, off;

	do {
		n = sys_getdents(k->fd, buf, DENTS);
		if (n <= 0) {
			if (n < 0)
				k->w->error(path_of(k, ""), (int)-n);
			l->cookie = -1;
			return;
		}
		count = 0;
		for (off = 0; off < n; ) {
			const struct kabi_dirent *d = (const void *)(buf + off);

			if (is_file(k, d))
				files[count++] = d;
			l->cookie = d->off;
			off += d->reclen;
		}
		bb_sort(files, count, sizeof(*files), compare_ino);
		for (i = 0; i < count; i++) {
			struct pc_entry e = {
				.path = path_of(k, files[i]->name), .dirfd = k->fd,
				.name = files[i]->name, .dev = l->dev, .ino = files[i]->ino,
				.flags = PC_NOFOLLOW | (l->safe ? PC_SAFE_DIR : 0),
			};

			k->w->file(k->w, &e);
		}
	} while (k->names_len - l->names < WAITING_MAX);
}

/* Makes the open directory fd, of the path so far, the deepest level. */
static int enter(struct walk *k, int fd)
{
	struct level *l, *parent = k->level;
	struct stat st;
	static uint32_t type;
	int r = sys_fstat(fd, &st);

	if (r)
		return r;
	if (parent->up && st.st_dev != parent->dev
			&& (k->w->one_fs || sys_fs_type(fd, &type) || pc_type_is_foreign(type)))
		return 0;
	for (l = parent; l; l = l->up)
		if (l->ino == st.st_ino && l->dev == st.st_dev)
			return 0;
	l = parent->down;
	if (!l) {
		l = parent->down = xalloc(sizeof(*l));
		l->up = parent;
	}
	k->level = l;
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	l->names = k->names_len;
	l->path_len = strlen(k->path.mem);
	l->mounts = pc_root_has_mounts(&k->root, k->path.mem);
	l->safe = !st.st_uid && !(st.st_mode & (S_IWGRP | S_IWOTH));
	if (k->fd >= 0)
		sys_close(k->fd);
	k->fd = fd;
	k->below = 0;
	read_level(k);
	return 1;
}

/* Opens the deepest level again, from one below it. */
static int go_up(struct walk *k)
{
	static struct stat st;
	int fd, r;

	for (; k->below; k->below--) {
		fd = pc_opendir(k->fd, "..", O_NOFOLLOW);
		if (fd < 0)
			return fd;
		sys_close(k->fd);
		k->fd = fd;
	}
	r = sys_fstat(k->fd, &st);
	if (!r && (st.st_ino != k->level->ino || st.st_dev != k->level->dev))
		r = -PC_ECHANGED;
	return r;
}

/* Takes the last waiting name of the deepest level. */
static void next_directory(struct walk *k)
{
	char *names = k->names.mem;
	const char *path;
	int fd, r;

	do
		k->names_len--;
	while (k->names_len > k->level->names && names[k->names_len - 1]);
	names += k->names_len;
	path = path_of(k, names);
	r = fd = pc_opendir(k->fd, names, O_NOFOLLOW);
	if (fd >= 0) {
		r = enter(k, fd);
		if (r <= 0)
			sys_close(fd);
	}
	/* it may have gone, or have become something else, since the directory was read */
	if (r < 0 && r != -ENOENT && r != -ENOTDIR && r != -ELOOP)
		k->w->error(path, -r);
}

/* What is left to read of all levels, the deepest first. */
static __attribute__((noinline)) void go_through(struct walk *k)
{
	while (k->level->up) {
		struct level *l = k->level;
		bool waiting = k->names_len > l->names;

		if (waiting || l->cookie >= 0) {
			int r = go_up(k);

			if (!r && waiting) {
				next_directory(k);
				continue;
			}
			if (!r)
				r = sys_seek(k->fd, l->cookie);
			if (!r) {
				read_level(k);
				continue;
			}
			k->w->error(path_of(k, ""), -r);
			k->names_len = l->names;
		}
		k->level = l->up;
		k->below++;
	}
}

/* A file named as root: handed out as one. */
static void root_file(struct pc_walk *w, const char *root)
{
	static struct pc_entry e;

	e.path = e.name = root;
	e.dirfd = AT_FDCWD;
	w->file(w, &e);
}

void pc_walk(struct pc_walk *w, const char *root)
{
	struct walk k = { .w = w, .fd = -1 };
	size_t len = strlen(root);
	int r, fd = pc_opendir(AT_FDCWD, root, 0);

	if (fd == -ENOTDIR) {
		root_file(w, root);
		return;
	}
	r = fd;
	if (fd >= 0) {
		pc_root_set(&k.root, fd, root);
		memcpy(grow(&k.path, len + 1), root, len + 1);
		k.level = &k.above;
		r = enter(&k, fd);
		if (r < 0)
			sys_close(fd);
	}
	if (r < 0) {
		w->error(root, -r);
		return;
	}
	go_through(&k);
	sys_close(k.fd);
}
