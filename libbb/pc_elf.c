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

#define OBJECTS 512		/* of a program */
#define SEGMENTS 128		/* of a file */
#define ENTRIES 4096		/* of a dynamic section */
#define TEXTS (128 << 10)	/* bytes of paths and names */
#define CACHE (1 << 20)		/* bytes of ld.so.cache */
#define DATA (4 << 20)		/* bytes of a library that are nothing special */
#define DEPTH 4			/* a script's interpreter may be a script */
#define PATH_LIMIT 4096

enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PF_R = 4 };
enum { DT_NULL = 0, DT_NEEDED = 1, DT_STRTAB = 5, DT_SONAME = 14, DT_RPATH = 15, DT_RUNPATH = 29 };

struct object {			/* a program or library */
	const struct object *parent;	/* that it was loaded for */
	const char *path, *name;
	const char *origin;		/* $ORIGIN is its directory */
	const char *rpath;		/* NULL: none */
	const char *needed;		/* names, one behind the other */
	unsigned count;			/* of them */
	bool runpath;			/* rpath is for what it needs itself only */
	dev_t dev;
	ino_t ino;
};

static const struct pc_loader *caller;
static struct object objects[OBJECTS];	/* of a program, in the order they are loaded */
static struct object *end;	/* behind the last */
static char texts[TEXTS];
static unsigned used;		/* bytes of them */
static bool told;		/* of a failure: the first one is enough */
static const char *interpreter;	/* of the program; NULL: none */
static bool musl;
static const struct object *needing;	/* NULL: a program is searched, in PATH */
static char path[PATH_LIMIT];	/* looked at */
static char defaults[3 * PATH_LIMIT];	/* directories to look in at last */
static const char *dir = "";	/* the interpreter's, below / or /usr */
static struct pc_root real;	/* the program, then the interpreter, by another name */

static struct {			/* a part of the file that is read */
	int fd;
	int error;		/* PC_EELF: what should be in it was not there; or of reading */
	uint64_t size, base;
	size_t have;
	unsigned char buf[PATH_LIMIT];
} window;

static unsigned char head[20];	/* of the program; class, byte order, machine are those of all */
static unsigned word;		/* bytes */

/* The bytes at off, until the next call; len 0: a string. NULL: they are not there. */
static const unsigned char *at(uint64_t off, size_t len)
{
	uint64_t skip = off - window.base;

	if (!len || skip > window.have || window.have - skip < len) {
		ssize_t n = off > INT64_MAX ? 0
			: sys_pread(window.fd, window.buf, sizeof(window.buf), off);

		window.base = off;
		window.have = (size_t)MAX(n, 0);
		skip = 0;
		if (len ? window.have < len : !memchr(window.buf, '\0', window.have)) {
			window.error = n < 0 ? (int)-n : PC_EELF;
			return NULL;
		}
	}
	return window.buf + skip;
}

static void look_into(const struct pc_file *f)
{
	window.fd = f->fd;
	window.size = f->size;
	window.have = 0;
	window.error = 0;
}

static uint64_t number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | p[head[5] == 2 ? i : bytes - 1 - i];
	return v;
}

static const char *keep(const char *s)
{
	size_t n = strlen(s) + 1;

	if (n > TEXTS - used) {
		window.error = PC_EELF;
		return "";
	}
	s = memcpy(texts + used, s, n);
	used += (unsigned)n;
	return s;
}

static const char *keep_at(uint64_t off)
{
	const unsigned char *s = at(off, 0);

	return keep(s ? (const char *)s : "");
}

/* A field of a structure whose fields are words, each as wide as an address. */
static uint64_t field(const unsigned char *p, unsigned nth)
{
	return number(p + nth * word, word);
}

/* Memory that has the address; or, for 0, that is most of the file and can only be read. */
static bool is_loaded(const unsigned char *p, uint64_t address)
{
	if (address)
		return address - field(p, 2) < field(p, 4);
	return number(p + (word == 8 ? 4 : 24), 4) == PF_R && field(p, 4) > window.size / 2;
}

/* The first program header of a type, and if that is PT_LOAD, for such memory. */
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
	if (n && (n > SEGMENTS || number(p, 2) != size))
		window.error = PC_EELF;
	for (; n && !window.error; n--, off += size) {
		p = at(off, size);
		if (p && number(p, 4) == type && (type != PT_LOAD || is_loaded(p, address)))
			return p;
	}
	return NULL;
}

/* The value of the nth entry with a tag in the dynamic section; 0: there is none. */
static uint64_t dynamic(unsigned tag, unsigned nth)
{
	const unsigned char *p = segment(PT_DYNAMIC, 0);
	uint64_t off, n;

	if (!p)
		return 0;
	off = field(p, 1);
	n = MIN(field(p, 4) / word / 2, ENTRIES);
	for (; n && (p = at(off, 2 * word)) != NULL && field(p, 0) != DT_NULL; n--, off += 2 * word)
		if (field(p, 0) == tag && !nth--)
			return field(p, 1);
	return 0;
}

static void read_object(struct object *o)
{
	uint64_t strings = dynamic(DT_STRTAB, 0), v;
	const unsigned char *p = strings ? segment(PT_LOAD, strings) : NULL;

	if (p) {
		strings += field(p, 1) - field(p, 2);
		v = dynamic(DT_SONAME, 0);
		if (v)
			o->name = keep_at(strings + v);
		v = dynamic(DT_RUNPATH, 0);
		o->runpath = v && !musl;
		if (!v)
			v = dynamic(DT_RPATH, 0);
		if (v)
			o->rpath = keep_at(strings + v);
	}
	o->needed = texts + used;
	while (!window.error && (v = dynamic(DT_NEEDED, o->count)) != 0) {
		keep_at(strings + v);
		o->count++;
	}
	if (window.error)
		o->count = 0;
}

/* The file that is open becomes one of the program's. */
static void add(const struct stat *st, const char *file, const char *name)
{
	struct object *o = end;

	if (o == objects + OBJECTS) {
		window.error = PC_EELF;
	} else {
		end++;
		*o = (struct object){ .parent = needing, .dev = st->st_dev, .ino = st->st_ino };
		o->path = o->origin = keep(file);
		o->name = keep(name);
		/* $ORIGIN of a program, and the interpreter's directory, know no links */
		if (o < objects + 2) {
			pc_root_set(&real, window.fd, file);
			if (!real.real[0])
				bb_snprintf(real.real, sizeof(real.real), "%s", file);
			if (!needing)
				o->origin = keep(real.real);
		}
		read_object(o);
	}
	if (window.error && !told)
		caller->error(file, window.error);
	told |= window.error != 0;
}

/* Whether the file at path is what is searched; if so, it is handed out. */
static bool suits(const char *name)
{
	struct pc_file f;
	const struct object *o = objects;
	const unsigned char *p;
	bool good;

	if (pc_open(&f, path, 0))
		return false;
	if (!needing) {
		good = f.st.st_mode & 0111;
	} else {
		look_into(&f);
		p = at(0, 64);
		good = p && !memcmp(p, head, 6) && !memcmp(p + 18, head + 18, 2);
		while (o < end && (o->ino != f.st.st_ino || o->dev != f.st.st_dev))
			o++;
		if (good && o == end) {
			/* a library that is little but data (ICU's) is hardly read at the start */
			p = f.size > DATA ? segment(PT_LOAD, 0) : NULL;
			caller->found(path, p ? field(p, 1) : 0);
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
	if (!list || !*list)
		return false;
	for (;; list++) {
		char *to = path, *const stop = path + sizeof(path) - 1;

		while (*list && !*bb_strchrnul(":;\n", *list)) {
			const char *value = list, *after = NULL, *k = "ORIGIN\0LIB\0PLATFORM\0";
			bool brace = list[1] == '{';
			size_t n = 1;

			if (*list++ == '$' && o) {
				while (*k && !(after = is_prefixed_with(list + brace, k)))
					k += strlen(k) + 1;
				if (*k) {
					list = after + (brace && *after == '}');
					value = caller->platform;
					if (*k == 'L')
						value = dir;
					if (*k == 'O')
						value = o->origin;
					n = *k == 'O' ? dir_len(value) : strlen(value);
				}
			}
			while (n-- && to < stop)
				*to++ = *value++;
		}
		if (to == path && !musl)
			*to++ = '.';
		bb_snprintf(to, (size_t)(stop - to) + 1, "%s%s", name ? "/" : "", name ? name : "");
		if (suits(name ? name : path))
			return true;
		if (!*list)
			return false;
	}
}

/* In the directories of an object and, if that is how it says it, of those it was loaded for. */
static bool in_chain(const struct object *o, const char *name)
{
	const struct object *p = o;

	do {
		if ((p == o || !p->runpath) && in_dirs(p->rpath, p, name))
			return true;
		p = p->parent;
	} while (p && !o->runpath);
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
	static const char *cache;
	static size_t size;
	const uint32_t *e;
	size_t n;

	if (!cache) {
		char *all = xalloc(CACHE + 1);

		size = read_file("/etc/ld.so.cache", all, CACHE);
		/* before glibc 2.32 an older form stands in front of it */
		cache = all;
		while (size >= 48 && memcmp(cache, "glibc-ld.so.cache1.1", 20)) {
			cache += 8;
			size -= 8;
		}
	}
	if (size < 48)
		return false;
	e = (const void *)cache;
	n = MIN(e[5], (size - 48) / 24);
	for (e += 12; n; n--, e += 6) {
		/* those for better processors have a number in the last two */
		if (e[1] >= size || e[2] >= size || e[4] || e[5] || strcmp(cache + e[1], name))
			continue;
		bb_snprintf(path, sizeof(path), "%s", cache + e[2]);
		if (suits(name))
			return true;
	}
	return false;
}

static bool search(const struct object *o, const char *name)
{
	bool late = !musl && !o->runpath;
	const struct object *known;

	for (known = objects; known < end; known++)
		if (!strcmp(known->name, name))
			return true;
	needing = o;
	if (*bb_strchrnul(name, '/'))
		return in_dirs(name, o, NULL);
	/* musl's dynamic linker is libc */
	return (musl && is_prefixed_with(name, "libc."))
		|| (!late && in_dirs(caller->library_path, objects, name)) || in_chain(o, name)
		|| (late && in_dirs(caller->library_path, objects, name))
		|| (!musl && in_cache(name)) || in_dirs(defaults, o, name);
}

static void find(const struct object *o, const char *name)
{
	if (search(o, name) || told)
		return;
	told = true;
	caller->missing(o->path, name);
}

/* What is built into the dynamic linker: of glibc it begins with the directory where it is itself,
 * musl has a list in a file. */
static void set_defaults(void)
{
	const char *ld = interpreter;
	size_t n = 0;

	real.real[dir_len(real.real)] = '\0';
	dir = is_prefixed_with(real.real, "/usr/");
	if (!dir)
		dir = real.real + (real.real[0] == '/');
	if (musl) {
		/* of /lib/ld-musl-ARCH.so.1 it is /etc/ld-musl-ARCH.path */
		ld += dir_len(ld);
		bb_snprintf(path, sizeof(path), "/etc%.*s.path",
			(int)(bb_strchrnul(ld, '.') - ld), ld);
		n = read_file(path, defaults, sizeof(defaults) - 1);
	}
	defaults[n] = '\0';
	if (!n)
		bb_snprintf(defaults, sizeof(defaults), musl ? "/lib:/usr/local/lib:/usr/lib"
			: "%s:/usr%s:/lib64:/usr/lib64:/lib:/usr/lib", real.real, real.real);
}

static void program(const char *name, unsigned depth);

/* The line behind "#!": the interpreter, and what env is to look for. */
static void script(char *line, unsigned depth)
{
	char *next = line, *s;
	bool env = false;

	*bb_strchrnul(line, '\n') = '\0';
	while (depth < DEPTH && *next) {
		s = next;
		while (*next && *next != ' ' && *next != '\t')
			next++;
		if (*next)
			*next++ = '\0';
		if (!*s || (env && (*s == '-' || *bb_strchrnul(s, '='))))
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
	const struct object *o;
	const char *s;
	struct pc_file f;
	char line[256];
	unsigned n;
	int r;

	end = objects;
	used = 0;
	told = musl = false;
	needing = NULL;
	interpreter = NULL;
	if (!*bb_strchrnul(name, '/') && in_dirs(caller->path, NULL, name))
		name = path;
	r = pc_open(&f, name, 0);
	if (r) {
		caller->error(name, -r);
		return;
	}
	caller->found(name, 0);
	look_into(&f);
	p = at(0, 4);
	if (!p && window.error != PC_EELF)
		caller->error(name, window.error);
	line[0] = '\0';
	if (p && p[0] == '#' && p[1] == '!')
		bb_snprintf(line, sizeof(line), "%.*s", (int)window.have - 2, p + 2);
	if (p && !memcmp(p, "\177ELF", 4)) {
		p = at(0, 64);
		if (p && p[4] - 1u < 2 && p[5] - 1u < 2) {
			memcpy(head, p, sizeof(head));
			word = 4 * head[4];
			p = segment(PT_INTERP, 0);
			if (p)
				interpreter = keep_at(field(p, 1));
			musl = p && bb_strstr(interpreter, "/ld-musl-");
			add(&f.st, name, "");
		} else {
			caller->error(name, PC_EELF);
		}
	}
	pc_close(&f);
	if (end > objects) {
		if (interpreter)
			find(objects, interpreter);
		set_defaults();
	}
	for (o = objects; o < end; o++)
		for (s = o->needed, n = o->count; n; n--, s += strlen(s) + 1)
			find(o, s);
	script(line, depth);
}

void pc_libraries(const struct pc_loader *l, const char *name)
{
	caller = l;
	program(name, 0);
}
