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
static const char *interpreter;	/* of the program; NULL: none */
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

static bool is_elf(const unsigned char *p)
{
	return !memcmp(p, "\177ELF", 4);
}

/* A field of a structure whose fields are words, each as wide as an address. */
static uint64_t field(const unsigned char *p, unsigned nth)
{
	return number(p + nth * word, word);
}

/* The first program header of a type, and if that is PT_LOAD, of memory that has the address. */
static const unsigned char *segment(unsigned type, uint64_t address)
{
	const unsigned char *p = at(0, 64);
	unsigned n, size = word == 8 ? 56 : 32;
	uint64_t off;

	if (!p)
		return NULL;
	off = field(p + 24, 1);
	p += 30 + 3 * word;
	n = (unsigned)number(p + 2, 2);
	if (n && number(p, 2) != size)
		window.broken = true;
	for (; n && !window.broken; n--, off += size) {
		p = at(off, size);
		if (p && number(p, 4) == type
				&& (type != PT_LOAD || address - field(p, 2) < field(p, 4)))
			return p;
	}
	return NULL;
}

static void read_object(struct object *o)
{
	const unsigned char *p = segment(PT_DYNAMIC, 0);
	uint64_t dynamic[DT_RUNPATH + 1] = { 0 }, needed[NEEDED], off, n;
	size_t i, names = 0;

	if (p) {
		off = field(p, 1);
		n = MIN(field(p, 4) / word / 2, ENTRIES);
		for (; n && (p = at(off, 2 * word)) != NULL; n--, off += 2 * word) {
			uint64_t tag = field(p, 0), v = field(p, 1);

			if (tag == DT_NULL)
				break;
			if (tag == DT_NEEDED && names < NEEDED)
				needed[names++] = v;
			if (tag <= DT_RUNPATH)
				dynamic[tag] = v;
		}
	}
	off = dynamic[DT_STRTAB];
	if (off) {
		p = segment(PT_LOAD, off);
		if (!p) {
			window.broken = true;
			return;
		}
		off += field(p, 1) - field(p, 2);
		if (dynamic[DT_SONAME])
			o->name = keep_at(off + dynamic[DT_SONAME]);
		o->runpath = dynamic[DT_RUNPATH];
		n = o->runpath ? dynamic[DT_RUNPATH] : dynamic[DT_RPATH];
		if (n)
			o->rpath = keep_at(off + n);
	}
	o->needed = texts + used;
	p = o->parent ? NULL : segment(PT_INTERP, 0);
	if (p) {
		interpreter = keep_at(field(p, 1));
		o->count++;
	}
	for (i = 0; i < names; i++)
		keep_at(off + needed[i]);
	o->count = window.broken ? 0 : o->count + names;
}

/* The file that is open becomes one of the program's. */
static void add(const struct stat *st, const char *file, const char *name)
{
	struct object *o = &objects[count];

	if (count == OBJECTS) {
		window.broken = true;
	} else {
		count++;
		*o = (struct object){ .parent = needing, .dev = st->st_dev, .ino = st->st_ino };
		o->path = o->origin = keep(file);
		o->name = keep(name);
		read_object(o);
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
		good = p && is_elf(p) && !memcmp(p + 4, kind, 2)
			&& !memcmp(p + 18, kind + 2, 2);
		for (i = 0; good && i < count; i++)
			if (objects[i].ino == f.st.st_ino && objects[i].dev == f.st.st_dev)
				break;
		if (good && i == count) {
			caller->found(path);
			add(&f.st, path, name);
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
			bool brace = list[0] == '$' && list[1] == '{';
			const char *s = list + 1 + brace, *k = "ORIGIN\0LIB\0PLATFORM\0";
			const char *value = list;
			size_t n = 1;

			if (*list == '$' && o)
				while (*k && strncmp(s, k, strlen(k)))
					k += strlen(k) + 1;
			else
				k = "";
			list = *k ? s + strlen(k) : list + 1;
			list += *k && brace && *list == '}';
			if (*k == 'O')
				value = o->origin;
			if (*k == 'L')
				value = dir + (strncmp(dir, "/usr/", 5) ? *dir == '/' : 5);
			if (*k == 'P')
				value = caller->platform;
			if (*k)
				n = *k == 'O' ? dir_len(value) : strlen(value);
			bb_putmem(&out, value, n);
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
	bool own = !o->runpath || musl;

	for (; own && o; o = o->parent)
		if ((!o->runpath || musl) && in_dirs(o->rpath, o, name))
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
	static const unsigned char *cache;
	static size_t size;
	const unsigned char *e;
	uint64_t n;

	if (!cache) {
		unsigned char *all = xalloc(CACHE + 1);

		size = read_file("/etc/ld.so.cache", all, CACHE);
		/* before glibc 2.32 an older form stands in front of it */
		for (cache = all; size >= 48 && memcmp(cache, "glibc-ld.so.cache1.1", 20); size -= 8)
			cache += 8;
	}
	if (size < 48)
		return false;
	n = MIN(number(cache + 20, 4), (size - 48) / 24);
	for (e = cache + 48; n; n--, e += 24) {
		uint64_t key = number(e + 4, 4), value = number(e + 8, 4);

		/* those for better processors have a number there */
		if (key >= size || value >= size || number(e + 16, 8)
				|| strcmp((const char *)cache + key, name))
			continue;
		bb_snprintf(path, sizeof(path), "%s", (const char *)cache + value);
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

/* What is built into the dynamic linker, file. musl has a list in a file instead. glibc begins with
 * the directory where it is itself, to which Debian has a symbolic link. */
static void set_defaults(const char *file)
{
	size_t n = dir_len(file), m;
	const char *base = file + n + 1;
	ssize_t r = sys_readlink(AT_FDCWD, file, path, sizeof(path) - 1);

	if (musl) {
		/* of /lib/ld-musl-ARCH.so.1 it is /etc/ld-musl-ARCH.path */
		while (n && file[n - 1] != '/')
			n--;
		bb_snprintf(path, sizeof(path), "%.*setc/%.*s.path", (int)n, file,
			(int)strcspn(base, "."), base);
		n = read_file(path, defaults, sizeof(defaults) - 1);
		defaults[n] = '\0';
		if (n)
			return;
	}
	path[r > 0 ? r : 0] = '\0';
	m = dir_len(path);
	if (path[0] == '/')
		n = 0;
	bb_snprintf(dir, sizeof(dir), "%.*s%s%.*s", (int)n, file, n && m ? "/" : "", (int)m, path);
	bb_snprintf(defaults, sizeof(defaults), musl ? "/lib:/usr/local/lib:/usr/lib"
		: "%s:/usr%s:/lib64:/usr/lib64:/lib:/usr/lib", dir, dir);
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
	const unsigned char *p;
	const char *s;
	struct pc_root real;
	struct pc_file f;
	char line[256];
	size_t i, n;

	count = used = 0;
	told = musl = false;
	needing = NULL;
	interpreter = NULL;
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
	if (p && is_elf(p)) {
		p = at(0, 64);
		if (p && p[4] - 1u < 2 && p[5] - 1u < 2) {
			memcpy(kind, p + 4, 2);
			memcpy(kind + 2, p + 18, 2);
			word = 4 * kind[0];
			add(&f.st, name, "");
			pc_root_set(&real, f.fd, name);
			if (real.real[0])
				objects[0].origin = keep(real.real);
		} else {
			caller->error(name, PC_EELF);
		}
	}
	pc_close(&f);
	if (!count)
		return;
	musl = interpreter && bb_strstr(interpreter, "/ld-musl-");
	set_defaults(interpreter ? interpreter : objects[0].path);
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
