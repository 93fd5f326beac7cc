/* SPDX-License-Identifier: 0BSD */
/* pc_elf.c - what a program is started with: its interpreter and libraries, found as the dynamic
 * linkers of glibc and musl find them, without running anything.
 *
 * A file is handed out before more than its first page is read: then the rest of what is looked at
 * comes with all of it, in one pass over the disk. What is needed of it later is copied; all of
 * that is forgotten with the next program. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"

#define OBJECTS 512		/* of a program */
#define SEGMENTS 128		/* of a file */
#define DYNAMIC 65536		/* bytes of a dynamic section */
#define TEXTS (128 << 10)	/* bytes of paths and names */
#define CACHE (1 << 20)		/* bytes of ld.so.cache */
#define CODE (64 << 10)		/* bytes of code that a start uses more of than of the rest */
#define DATA (4 << 20)		/* bytes of constants that are nothing special */
#define TRIES 65536		/* paths looked at for a program */
#define DEPTH 4			/* a script's interpreter may be a script */
#define PATH_LIMIT 4096

enum { ET_EXEC = 2, ET_DYN = 3 };
enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_INTERP = 3, PF_X = 1, PF_W = 2 };
enum { DT_NEEDED = 1, DT_STRTAB = 5, DT_SONAME = 14, DT_RPATH = 15, DT_RUNPATH = 29 };

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

static struct pc_loader caller;
static struct object objects[OBJECTS];	/* of a program, in the order they are loaded */
static struct object *end;	/* behind the last */
static char texts[TEXTS];
static char *unused;		/* of them */
static unsigned tries;
static bool told;		/* of a failure: the first one is enough */
static bool musl;
static const struct object *needing;	/* NULL: a program is searched, in PATH */
static const char *wanted;	/* its name; NULL: it is a path */
static char path[PATH_LIMIT];	/* looked at */
static char defaults[3 * PATH_LIMIT];	/* directories to look in at last; "": not yet known */
static const char *dir = "";	/* the interpreter's, below / or /usr */
static struct pc_root real;	/* the program, then the interpreter, by another name */

static struct pc_file file;	/* that is read */
static struct {			/* a part of it */
	int error;		/* PC_EELF: what should be in it was not there; or of reading */
	ssize_t have;		/* bytes, or -errno */
	uint64_t base;
	unsigned char buf[PATH_LIMIT + 1];	/* the last one is always 0 */
} window;

static uint64_t kind;		/* of the program */
static bool big;		/* its byte order */
static unsigned word;		/* bytes */

/* known: nothing that was read has led here; else it must not wait for others. */
static int open_file(const char *name, bool known)
{
	int r;

	window.error = 0;
	window.base = PATH_LIMIT;	/* what is looked at first is at 0 */
	if (known || !pc_path_is_foreign(name)) {
		r = pc_open(&file, name, 0);
		if (r)
			return r;
		/* else the kernel reads ahead, of files that are perhaps not to be loaded */
		sys_fadvise(file.fd, 0, 0, POSIX_FADV_RANDOM);
		if (known || !pc_type_is_foreign(file.fs_type))
			return r;
		pc_close(&file);
	}
	/* what may be there is not missing */
	told = true;
	return 1;
}

/* The bytes at off, at most 64, until the next call; len 0: a string. NULL: they are not there. */
static const unsigned char *at(uint64_t off, size_t len)
{
	uint64_t skip = off - window.base;

	if (!len || skip > PATH_LIMIT - 64) {
		window.have = off > INT64_MAX - PATH_LIMIT ? 0
			: sys_pread(file.fd, window.buf, PATH_LIMIT, off);
		window.base = off;
		skip = 0;
		if (!len)
			len = strlen((const char *)window.buf) + 1;
	}
	if ((ssize_t)(skip + len) > window.have) {
		window.error = window.have < 0 ? (int)-window.have : PC_EELF;
		return NULL;
	}
	return window.buf + skip;
}

/* Magic, class, byte order and machine, which are those of all files of a program. */
static __attribute__((noinline)) uint64_t kind_of(const unsigned char *header)
{
	uint64_t v;

	memcpy(&v, header, 8);
	memcpy((char *)&v + 6, header + 18, 2);
	return v;
}

static uint64_t number(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | p[big ? i : bytes - 1 - i];
	return v;
}

static const char *keep(const char *s)
{
	size_t n = strlen(s) + 1;
	char *to = unused;

	if (n > (size_t)(texts + TEXTS - to)) {
		window.error = PC_EELF;
		return "";
	}
	unused = to + n;
	return memcpy(to, s, n);
}

static __attribute__((noinline)) const char *keep_at(uint64_t off)
{
	const unsigned char *s = at(off, 0);

	return keep(s ? (const char *)s : "");
}

/* A field of a structure whose fields are words, each as wide as an address. */
static uint64_t field(const unsigned char *p, unsigned nth)
{
	return number(p + nth * word, word);
}

static struct {			/* a part of the file, as a program header says */
	uint64_t off, size;	/* bytes */
	uint64_t address;
} segment;

/* Finds the first one of a type, and if that is PT_LOAD, of memory that has the address; or, for 0,
 * that has the flag. If there is none, segment is the last one of that type. */
static bool find_segment(unsigned type, uint64_t address, unsigned flag)
{
	const unsigned char *p = at(0, 64);
	unsigned n, size = 8 + 6 * word;
	uint64_t off;

	if (!p)
		return false;
	off = field(p + 24, 1);
	p += 30 + 3 * word;
	n = (unsigned)number(p + 2, 2);
	if (n && (n > SEGMENTS || number(p, 2) != size))
		window.error = PC_EELF;
	for (; n && !window.error; n--, off += size) {
		p = at(off, size);
		if (!p || number(p, 4) != type)
			continue;
		segment.off = field(p, 1);
		segment.address = field(p, 2);
		segment.size = field(p, 4);
		if (type != PT_LOAD || (address ? address - segment.address < segment.size
				: number(p + 44 - 5 * word, 4) & flag))
			return true;
	}
	return false;
}

/* The value of the nth entry with a tag in the dynamic section; 0: there is none. */
static uint64_t dynamic(unsigned tag, unsigned nth)
{
	const unsigned char *p;
	uint64_t n;

	if (!find_segment(PT_DYNAMIC, 0, 0))
		return 0;
	n = MIN(segment.size, DYNAMIC);
	for (; n >= 2 * word && (p = at(segment.off, 2 * word)) != NULL && field(p, 0);
			n -= 2 * word) {
		if (field(p, 0) == tag && !nth--)
			return field(p, 1);
		segment.off += 2 * word;
	}
	return 0;
}

/* The string whose place among the strings is such a value; NULL: there is none. */
static const char *text(uint64_t strings, unsigned tag, unsigned nth)
{
	uint64_t v = dynamic(tag, nth);

	return v ? keep_at(strings + v) : NULL;
}

static void read_object(struct object *o)
{
	uint64_t strings = dynamic(DT_STRTAB, 0);
	const char *soname;

	if (!strings || !find_segment(PT_LOAD, strings, 0))
		return;
	strings += segment.off - segment.address;
	soname = text(strings, DT_SONAME, 0);
	if (soname)
		o->name = soname;
	o->rpath = text(strings, DT_RUNPATH, 0);
	if (o->rpath)
		o->runpath = !musl;
	else
		o->rpath = text(strings, DT_RPATH, 0);
	o->needed = unused;
	while (!window.error && text(strings, DT_NEEDED, o->count))
		o->count++;
	if (window.error)
		o->count = 0;
}

/* The ranges of the file that a start reads; NULL: all. It reads nearly all of the symbols and
 * relocations, which are in front of the code, and of what can be written, but a tenth of the code
 * and of the constants behind it, in no order. On a disk reading all is quicker than seeking for
 * that, but for a library that is little else than data (ICU's); on flash it is not. */
static const char *worth(void)
{
	static char ranges[88];
	bool whole = caller.all || pc_seeks(file.st.st_dev);
	uint64_t len, data, size;

	if (!find_segment(PT_LOAD, 0, PF_X) || !segment.off)
		return NULL;
	len = segment.off + (whole ? segment.size : CODE);
	if (!find_segment(PT_LOAD, 0, PF_W))
		return NULL;
	data = segment.off;
	find_segment(PT_LOAD, 0, 0);	/* none: what is left is the last */
	size = segment.off + segment.size - data;
	if (len > data || data > file.size || size > file.size - data
			|| (whole && data - len < MAX(file.size / 2, DATA)))
		return NULL;
	bb_snprintf(ranges, sizeof(ranges), "0+%llu,%llu+%llu", (unsigned long long)len,
		(unsigned long long)data, (unsigned long long)size);
	return ranges;
}

static void tell(const char *name)
{
	if (!window.error || told)
		return;
	told = true;
	caller.error(name, window.error);
}

/* The file that is open becomes one of the program's. */
static void add(const char *name_of_file, const char *name)
{
	struct object *o = end;

	if (o == objects + OBJECTS) {
		window.error = PC_EELF;
	} else {
		end++;
		*o = (struct object){ .parent = needing, .dev = file.st.st_dev,
			.ino = file.st.st_ino };
		o->path = o->origin = keep(name_of_file);
		o->name = keep(name);
		/* $ORIGIN of a program, and the interpreter's directory, know no links */
		if (!*defaults) {
			pc_root_set(&real, file.fd, name_of_file);
			if (!real.real[0])
				bb_snprintf(real.real, sizeof(real.real), "%s", name_of_file);
			if (!needing)
				o->origin = keep(real.real);
		}
		read_object(o);
	}
	tell(name_of_file);
}

/* Whether the file at path is what is wanted; if so, it is handed out. */
static bool suits(void)
{
	const struct object *o = objects;
	const unsigned char *p;
	bool good;

	if (needing && ++tries > TRIES) {
		window.error = PC_EELF;
		tell(needing->path);
		return true;	/* nothing more is looked for */
	}
	if (open_file(path, false))
		return false;
	if (!needing) {
		good = file.st.st_mode & 0111;
	} else {
		p = at(0, 64);
		good = p && kind_of(p) == kind;
		while (o < end && (o->ino != file.st.st_ino || o->dev != file.st.st_dev))
			o++;
		if (good && o == end) {
			caller.found(path, worth());
			add(path, wanted ? wanted : path);
		}
	}
	pc_close(&file);
	return good;
}

static size_t dir_len(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? (size_t)(slash - name) : 0;
}

/* Looks for what is wanted in the directories of a list that o has, or at the paths. */
static bool in_dirs(const char *list, const struct object *o)
{
	if (!list || !*list)
		return false;
	for (;; list++) {
		char *to = path, *const stop = path + sizeof(path) - 1;

		while (*list && !*bb_strchrnul(":;\n", *list)) {
			const char *value = list++, *after = NULL, *k = "ORIGIN\0LIB\0PLATFORM\0";
			const char *start = list + (*list == '{');
			size_t n = 1;

			if (*value == '$' && o) {
				while (*k && !(after = is_prefixed_with(start, k)))
					k += strlen(k) + 1;
				if (*k) {
					list = after + (start != list && *after == '}');
					value = *k == 'O' ? o->origin : *k == 'L' ? dir
						: caller.platform;
					n = *k == 'O' ? dir_len(value) : strlen(value);
				}
			}
			while (n-- && to < stop)
				*to++ = *value++;
		}
		if (to == path && !musl)
			*to++ = '.';
		*to = '\0';
		if (wanted)
			bb_snprintf(to, (size_t)(stop - to) + 1, "/%s", wanted);
		if (suits())
			return true;
		if (!*list)
			return false;
	}
}

/* In the directories of an object and, if that is how it says it, of those it was loaded for. */
static bool in_chain(const struct object *o)
{
	const struct object *p = o;

	do {
		if ((p == o || !p->runpath) && in_dirs(p->rpath, p))
			return true;
		p = p->parent;
	} while (p && !o->runpath);
	return false;
}

static size_t read_file(const char *name, void *buf, size_t size)
{
	ssize_t n;

	if (open_file(name, true))
		return 0;
	n = sys_pread(file.fd, buf, size, 0);
	pc_close(&file);
	return (size_t)MAX(n, 0);
}

/* The index that ldconfig writes of all libraries, for all machines. */
static __attribute__((noinline)) bool in_cache(void)
{
	static char *cache;
	const uint32_t *e;
	uint32_t n;

	if (!cache) {
		/* 0 behind the file: neither entries nor strings lead out of this */
		cache = xalloc(3 * CACHE);
		n = (uint32_t)read_file("/etc/ld.so.cache", cache, CACHE) / 8;
		/* before glibc 2.32 an older form stands in front of it */
		while (n-- && memcmp(cache, "glibc-ld.so.cache1.1", 20))
			cache += 8;
	}
	e = (const void *)cache;
	n = MIN(e[5], CACHE / 24);
	for (e += 12; n; n--, e += 6) {
		/* those for better processors have a number in the last two */
		if (e[1] >= CACHE || e[2] >= CACHE || e[4] || e[5] || strcmp(cache + e[1], wanted))
			continue;
		bb_snprintf(path, sizeof(path), "%s", cache + e[2]);
		if (suits())
			return true;
	}
	return false;
}

static bool search(const struct object *o)
{
	bool early = musl || o->runpath;
	int i;

	if (*bb_strchrnul(wanted, '/')) {
		const char *paths = wanted;

		wanted = NULL;
		return in_dirs(paths, o);
	}
	/* musl's dynamic linker is libc */
	if (musl && is_prefixed_with(wanted, "libc."))
		return true;
	for (i = 0; i < 2; i++)
		if (i == early ? in_chain(o) : in_dirs(caller.library_path, objects))
			return true;
	return (!musl && in_cache()) || in_dirs(defaults, o);
}

static void find(const struct object *o, const char *name)
{
	const struct object *known;

	for (known = objects; known < end; known++)
		if (!strcmp(known->name, name))
			return;
	needing = o;
	wanted = name;
	if (search(o) || told)
		return;
	told = true;
	caller.missing(o->path, name);
}

/* What is built into the dynamic linker: of glibc it begins with the directory where it is itself,
 * musl has a list in a file. */
static void set_defaults(const char *ld)
{
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
			: "%s:/usr%s:/lib/$PLATFORM-linux-gnu:/usr/lib/$PLATFORM-linux-gnu"
			":/lib64:/usr/lib64:/lib:/usr/lib", real.real, real.real);
}

static void program(const char *name, unsigned depth);

/* The line behind "#!": the interpreter, and what env is to look for. */
static void script(char *next, unsigned depth)
{
	bool env = false;
	char *s;

	*bb_strchrnul(next, '\n') = '\0';
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
	const char *interpreter = NULL, *ranges = NULL, *s;
	bool program_file = false;
	const unsigned char *p;
	const struct object *o;
	char line[256];
	unsigned n;

	end = objects;
	unused = texts;
	tries = 0;
	musl = false;
	*defaults = '\0';
	needing = NULL;
	wanted = name;
	if (!*bb_strchrnul(name, '/') && in_dirs(caller.path, NULL))
		name = path;
	told = false;
	line[0] = '\0';
	window.error = -open_file(name, !depth);
	if (!window.error) {
		p = at(0, 4);
		if (!p) {
			if (window.error == PC_EELF)
				window.error = 0;
		} else if (p[0] == '#' && p[1] == '!') {
			bb_snprintf(line, sizeof(line), "%.*s", (int)window.have - 2, p + 2);
		} else if (!memcmp(p, "\177ELF", 4)) {
			p = at(0, 64);
			if (p && p[4] - 1u < 2 && p[5] - 1u < 2) {
				kind = kind_of(p);
				word = 4 * p[4];
				big = p[5] == 2;
				/* a core or an object file is no program */
				program_file = number(p + 16, 2) - ET_EXEC <= ET_DYN - ET_EXEC;
				if (program_file && find_segment(PT_INTERP, 0, 0)) {
					interpreter = keep_at(segment.off);
					musl = bb_strstr(interpreter, "/ld-musl-");
					ranges = worth();
				}
			} else {
				window.error = PC_EELF;
			}
		}
		caller.found(name, ranges);
		if (program_file)
			add(name, "");
		pc_close(&file);
	}
	tell(name);
	if (interpreter)
		find(objects, interpreter);
	if (end > objects)
		set_defaults(interpreter);
	for (o = objects; o < end; o++)
		for (s = o->needed, n = o->count; n; n--, s += strlen(s) + 1)
			find(o, s);
	script(line, depth);
}

void pc_libraries(const struct pc_loader *l, const char *name)
{
	caller = *l;
	program(name, 0);
}
