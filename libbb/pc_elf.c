/* SPDX-License-Identifier: 0BSD */
/* pc_elf.c - what a program is started with: its interpreter and libraries, found as the dynamic
 * linkers of glibc and musl find them, without running anything.
 *
 * A file is handed out before more than its header is read: then the rest of what is looked at
 * comes with all of it, in one pass over the disk. What is needed of it later is copied; all of
 * that is forgotten with the next program. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"

#define OBJECTS 1024		/* of a program */
#define NEEDED 512		/* of an object */
#define ENTRIES 4096		/* of a dynamic section */
#define TEXTS (256 << 10)	/* bytes of paths and names */
#define CACHE (1 << 20)		/* bytes of ld.so.cache */
#define DEPTH 4			/* a script's interpreter may be a script */
#define PATH_LIMIT 4096

enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3 };
enum { DT_NULL = 0, DT_NEEDED = 1, DT_STRTAB = 5, DT_SONAME = 14, DT_RPATH = 15, DT_RUNPATH = 29 };

struct object {			/* a program or library */
	const struct object *parent;	/* that it was loaded for */
	const char *path, *name;
	const char *origin;		/* $ORIGIN is its directory */
	const char *rpath;		/* NULL: none */
	const char *needed;		/* names, one behind the other */
	size_t count;			/* of them */
	bool runpath;			/* rpath is for what it needs itself only */
	dev_t dev;
	ino_t ino;
};

static const struct pc_loader *caller;
static struct object *objects;	/* of this program, in the order they are loaded */
static char *texts;
static size_t count, used;
static bool told;		/* of a failure: the first one is enough */
static bool musl;
static const struct object *needing;	/* NULL: a program is searched, in PATH */
static char path[PATH_LIMIT];	/* looked at */
static char dir[PATH_LIMIT];	/* the dynamic linker's */
static char defaults[3 * PATH_LIMIT];	/* directories to look in at last */

static struct {			/* a part of the file that is read */
	int fd;
	bool broken;		/* what should be in it was not there */
	uint64_t base, have;
	unsigned char buf[PATH_LIMIT];
} window;

static unsigned char kind[4];	/* of all files of the program: class, byte order, machine */
static unsigned word;		/* bytes */

/* The bytes at off, until the next call; len 0: a string. NULL: they are not there. */
static const unsigned char *at(uint64_t off, size_t len)
{
	bool again = false;
	ssize_t n;

	for (;;) {
		uint64_t skip = off - window.base;

		if (skip < window.have) {
			const unsigned char *p = window.buf + skip;
			size_t have = (size_t)(window.have - skip);

			if (len ? len <= have : !!memchr(p, '\0', have))
				return p;
		}
		if (again || off > INT64_MAX)
			break;
		again = true;
		n = sys_pread(window.fd, window.buf, sizeof(window.buf), off);
		window.base = off;
		window.have = n > 0 ? (uint64_t)n : 0;
	}
	window.broken = true;
	return NULL;
}

static void look_into(const struct pc_file *f)
{
	window.fd = f->fd;
	window.have = 0;
	window.broken = false;
}

static uint64_t number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | p[kind[1] == 2 ? i : bytes - 1 - i];
	return v;
}

static const char *keep(const char *s)
{
	size_t n = strlen(s) + 1;

	if (n > TEXTS - used) {
		window.broken = true;
		return "";
	}
	used += n;
	return memcpy(texts + used - n, s, n);
}

static const char *keep_at(uint64_t off)
{
	const unsigned char *s = at(off, 0);

	return keep(s ? (const char *)s : "");
}

/* The first program header of a type, if it is PT_LOAD of the memory that has the address. In both
 * classes its fields lie alike, counted in words. */
static const unsigned char *segment(unsigned type, uint64_t address)
{
	const unsigned char *p = at(0, 64);
	unsigned size = word == 8 ? 56 : 32;
	uint64_t off, n;

	if (!p)
		return NULL;
	off = number(p + 24 + word, word);
	n = number(p + 32 + 3 * word, 2);
	if (n && number(p + 30 + 3 * word, 2) != size)
		window.broken = true;
	for (; n && !window.broken; n--, off += size) {
		p = at(off, size);
		if (p && number(p, 4) == type && (type != PT_LOAD
				|| address - number(p + 2 * word, word) < number(p + 4 * word, word)))
			return p;
	}
	return NULL;
}

static void read_dynamic(struct object *o)
{
	const unsigned char *p = segment(PT_DYNAMIC, 0);
	uint64_t needed[NEEDED], strings = 0, name = 0, rpath = 0, runpath = 0;
	uint64_t off, n;
	size_t i, names = 0;

	if (!p)
		return;
	off = number(p + word, word);
	n = MIN(number(p + 4 * word, word) / (2 * word), ENTRIES);
	for (; n && (p = at(off, 2 * word)) != NULL; n--, off += 2 * word) {
		uint64_t tag = number(p, word), v = number(p + word, word);

		if (tag == DT_NULL)
			break;
		if (tag == DT_NEEDED && names < NEEDED)
			needed[names++] = v;
		if (tag == DT_STRTAB)
			strings = v;
		if (tag == DT_SONAME)
			name = v;
		if (tag == DT_RPATH)
			rpath = v;
		if (tag == DT_RUNPATH)
			runpath = v;
	}
	if (!names && !name)
		return;
	p = segment(PT_LOAD, strings);
	if (!p) {
		window.broken = true;
		return;
	}
	strings += number(p + word, word) - number(p + 2 * word, word);
	if (name)
		o->name = keep_at(strings + name);
	o->runpath = runpath && !musl;
	if (runpath)
		rpath = runpath;
	if (rpath)
		o->rpath = keep_at(strings + rpath);
	o->needed = texts + used;
	for (i = 0; i < names && !window.broken; i++)
		keep_at(strings + needed[i]);
	o->count = window.broken ? 0 : names;
}

/* The file that is open becomes one of the program's. */
static void add(const struct stat *st, const char *file, const char *name, const char *origin)
{
	struct object *o = &objects[count];

	if (count == OBJECTS) {
		window.broken = true;
	} else {
		count++;
		memset(o, 0, sizeof(*o));
		o->parent = needing;
		o->dev = st->st_dev;
		o->ino = st->st_ino;
		o->path = o->origin = keep(file);
		o->name = keep(name);
		if (origin)
			o->origin = keep(origin);
		read_dynamic(o);
	}
	if (window.broken && !told)
		caller->error(file, PC_EELF);
	told |= window.broken;
}

/* Whether the file at path is what is searched; if so, it is handed out. */
static bool suits(const char *name)
{
	struct pc_file f;
	const unsigned char *p;
	bool good;
	size_t i;

	if (pc_open(&f, path, 0))
		return false;
	if (!needing) {
		good = f.st.st_mode & 0111;
	} else {
		look_into(&f);
		p = at(0, 64);
		good = p && !memcmp(p, "\177ELF", 4) && !memcmp(p + 4, kind, 2)
			&& !memcmp(p + 18, kind + 2, 2);
		for (i = 0; good && i < count; i++)
			if (objects[i].ino == f.st.st_ino && objects[i].dev == f.st.st_dev)
				break;
		if (good && i == count) {
			caller->found(path);
			add(&f.st, path, name, NULL);
		}
	}
	pc_close(&f);
	return good;
}

static size_t dir_len(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? (size_t)(slash - file) : 0;
}

/* Looks for name in the directories of a list that o has; or, without a name, at the paths. */
static bool in_dirs(const char *list, const struct object *o, const char *name)
{
	struct bb_out out = { .fd = -1, .size = sizeof(path), .buf = path };

	if (!list || !*list)
		return false;
	for (;; list++) {
		out.len = 0;
		while (!strchr(":;\n", *list)) {
			const char *s = list + 1 + (list[0] == '$' && list[1] == '{');
			const char *value = list;
			size_t n = 1, len = 0;

			if (*list == '$' && o) {
				if (!strncmp(s, "ORIGIN", 6)) {
					value = o->origin;
					n = dir_len(value);
					len = 6;
				} else if (!strncmp(s, "LIB", 3)) {
					value = dir + (strncmp(dir, "/usr/", 5) ? *dir == '/' : 5);
					n = strlen(value);
					len = 3;
				} else if (!strncmp(s, "PLATFORM", 8)) {
					value = caller->platform;
					n = strlen(value);
					len = 8;
				}
			}
			bb_putmem(&out, value, n);
			list = len ? s + len + (list[1] == '{' && s[len] == '}') : list + 1;
		}
		if (name) {
			if (!out.len && !musl)
				bb_putmem(&out, ".", 1);
			bb_putmem(&out, "/", 1);
			bb_putmem(&out, name, strlen(name));
		}
		bb_putmem(&out, "", 1);
		if (!path[out.len - 1] && suits(name ? name : path))
			return true;
		if (!*list)
			return false;
	}
}

/* In the directories of an object and of those it was loaded for. */
static bool in_chain(const struct object *o, const char *name)
{
	if (o->runpath)
		return false;
	for (; o; o = o->parent)
		if (!o->runpath && in_dirs(o->rpath, o, name))
			return true;
	return false;
}

static size_t read_file(const char *name, void *buf, size_t size)
{
	struct pc_file f;
	ssize_t n;

	if (pc_open(&f, name, 0))
		return 0;
	n = sys_pread(f.fd, buf, size, 0);
	pc_close(&f);
	return n > 0 ? (size_t)n : 0;
}

/* The index that ldconfig writes of all libraries, for all machines. */
static bool in_cache(const char *name)
{
	static unsigned char *cache;
	static size_t size;
	const unsigned char *c, *e;
	uint64_t skip = 0, n, key, value;
	size_t left;

	if (!cache) {
		cache = xalloc(CACHE + 1);
		size = read_file("/etc/ld.so.cache", cache, CACHE);
	}
	if (!size)
		return false;
	/* before glibc 2.32 an older form stands in front of it */
	if (!memcmp(cache, "ld.so-1.7.0", 11))
		skip = (16 + 12 * number(cache + 12, 4) + 7) & ~7ULL;
	if (skip > size)
		return false;
	c = cache + skip;
	left = size - (size_t)skip;
	if (left < 48 || memcmp(c, "glibc-ld.so.cache1.1", 20))
		return false;
	n = MIN(number(c + 20, 4), (left - 48) / 24);
	for (e = c + 48; n; n--, e += 24) {
		key = number(e + 4, 4);
		value = number(e + 8, 4);
		/* those for better processors have a number there */
		if (key >= left || value >= left || number(e + 16, 8)
				|| strcmp((const char *)c + key, name))
			continue;
		bb_snprintf(path, sizeof(path), "%s", (const char *)c + value);
		if (suits(name))
			return true;
	}
	return false;
}

static bool search(const struct object *o, const char *name)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(objects[i].name, name))
			return true;
	needing = o;
	if (strchr(name, '/'))
		return in_dirs(name, o, NULL);
	/* musl's dynamic linker is libc */
	if (musl && !strncmp(name, "libc.", 5))
		return true;
	return (!musl && in_chain(o, name)) || in_dirs(caller->library_path, o, name)
		|| (musl && in_chain(o, name)) || (o->runpath && in_dirs(o->rpath, o, name))
		|| (!musl && in_cache(name)) || in_dirs(defaults, o, name);
}

static void find(const struct object *o, const char *name)
{
	if (search(o, name) || told)
		return;
	told = true;
	caller->missing(o->path, name);
}

/* The directories that are built into the dynamic linker at file. musl has a list in a file
 * instead. Of glibc they begin with that where it is itself, which is known by Debian's symbolic
 * link to it. */
static void set_defaults(const char *file)
{
	size_t n = dir_len(file), m;
	const char *base;
	ssize_t r;

	r = sys_readlink(AT_FDCWD, file, path, sizeof(path) - 1);
	path[r > 0 ? r : 0] = '\0';
	m = dir_len(path);
	bb_snprintf(dir, sizeof(dir), "%.*s%s%.*s", path[0] == '/' ? 0 : (int)n, file,
		m && path[0] != '/' ? "/" : "", (int)m, path);
	bb_snprintf(defaults, sizeof(defaults), "%s:/usr%s:/lib64:/usr/lib64:/lib:/usr/lib", dir,
		dir);
	if (!musl)
		return;
	/* of /lib/ld-musl-ARCH.so.1 it is /etc/ld-musl-ARCH.path */
	base = file + n + 1;
	while (n && file[n - 1] != '/')
		n--;
	bb_snprintf(path, sizeof(path), "%.*setc/%.*s.path", (int)n, file,
		(int)strcspn(base, "."), base);
	n = read_file(path, defaults, sizeof(defaults) - 1);
	while (n && defaults[n - 1] == '\n')
		n--;
	defaults[n] = '\0';
	if (!n)
		strcpy(defaults, "/lib:/usr/local/lib:/usr/lib");
}

static void program(const char *name, unsigned depth);

/* The line behind "#!": the interpreter, and what env is to look for. */
static void script(char *line, unsigned depth)
{
	char *next = line, *s;
	bool env = false;

	line[strcspn(line, "\n")] = '\0';
	while (depth < DEPTH && *next) {
		s = next;
		next += strcspn(next, " \t");
		if (*next)
			*next++ = '\0';
		if (!*s || (env && (*s == '-' || strchr(s, '='))))
			continue;
		program(s, depth + 1);
		if (env || strcmp(s + dir_len(s), "/env"))
			break;
		env = true;
	}
}

static void program(const char *name, unsigned depth)
{
	const char *interp = NULL, *s;
	const unsigned char *p;
	struct pc_root real;
	struct pc_file f;
	char line[256];
	size_t i, n;

	count = used = 0;
	told = musl = false;
	needing = NULL;
	if (!strchr(name, '/') && in_dirs(caller->path, NULL, name))
		name = path;
	caller->found(name);
	if (pc_open(&f, name, 0))
		return;
	look_into(&f);
	p = at(0, 4);
	if (p && p[0] == '#' && p[1] == '!') {
		n = MIN((size_t)window.have, sizeof(line)) - 2;
		memcpy(line, p + 2, n);
		line[n] = '\0';
		pc_close(&f);
		script(line, depth);
		return;
	}
	if (p && !memcmp(p, "\177ELF", 4)) {
		window.broken = false;
		p = at(0, 64);
		if (p && p[4] - 1u < 2 && p[5] - 1u < 2) {
			memcpy(kind, p + 4, 2);
			memcpy(kind + 2, p + 18, 2);
			word = 4 * kind[0];
			p = segment(PT_INTERP, 0);
			if (p)
				interp = keep_at(number(p + word, word));
			musl = interp && bb_strstr(interp, "/ld-musl-");
		} else {
			window.broken = true;
		}
		pc_root_set(&real, f.fd, name);
		add(&f.st, name, "", real.real[0] ? real.real : name);
	}
	pc_close(&f);
	if (!count)
		return;
	set_defaults(interp ? interp : objects[0].path);
	if (interp)
		find(objects, interp);
	for (i = 0; i < count; i++)
		for (s = objects[i].needed, n = objects[i].count; n; n--, s += strlen(s) + 1)
			find(&objects[i], s);
}

void pc_libraries(const struct pc_loader *l, const char *name)
{
	caller = l;
	if (!objects) {
		objects = xalloc(OBJECTS * sizeof(*objects));
		texts = xalloc(TEXTS);
	}
	program(name, 0);
}
