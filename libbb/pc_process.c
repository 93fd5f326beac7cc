/* SPDX-License-Identifier: 0BSD */
/* pc_process.c - the files that a process maps or holds open.
 *
 * The links in /proc/PID lead to the very file, deleted or in another root, whatever its name. But
 * where a FUSE daemon does not answer, even stat through them hangs. So what a file is mounted on
 * is told before, from fdinfo's mnt_id or the device in maps, and mountinfo. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"

struct mount {
	struct mount *next;
	uint64_t key;		/* its number, or device_key() */
	char kind;		/* as pc_mount_kind has it */
};

static struct {
	struct pc_walk *w;
	const char *pid;
	struct mount *mounts, *unused;
	int dir;		/* /proc/PID */
	uint64_t flags;		/* the descriptor that is looked at was opened with, */
	char kind;		/* of the mount of the descriptor that is looked at; before, of
				 * mounts on others, for all that is known */
	struct bb_lines lines;
	char below[4100];	/* "root" and the path of the file that is looked at */
	char last[4096];	/* the mapping looked at last, from its device on */
} P;
#define PATH (P.below + 4)
#define PATH_SIZE (sizeof(P.below) - 4)

/* Kernel threads have no program, nor have processes that ended. */
static bool has_program(void)
{
	char c;
	ssize_t n = sys_readlink(P.dir, "exe", &c, 1);

	return n != -ENOENT && n != -ESRCH;
}

/* Hands the lines of a file in /proc/PID to each. */
static int each_line(const char *name, void (*each)(char *line))
{
	int fd = sys_open(P.dir, name, O_RDONLY);
	char *line;
	size_t len;

	if (fd < 0)
		return fd;
	bb_lines_start(&P.lines, fd, '\n');
	while ((line = bb_lines_next(&P.lines, &len)) != NULL)
		each(line);
	sys_close(fd);
	return -P.lines.error;
}

/* Reads count numbers with a character behind each; one that is no digit is an empty number. */
static const char *read_numbers(const char *p, uint64_t *n, int count, unsigned base)
{
	unsigned digit;

	for (; count; count--, n++) {
		*n = 0;
		while ((digit = (unsigned)*p - (*p <= '9' ? '0' : 'a' - 10)) < base) {
			*n = *n * base + digit;
			p++;
		}
		p += *p != '\0';
	}
	return p;
}

/* Above all numbers of mounts. */
static uint64_t device_key(const uint64_t *major_minor)
{
	return (major_minor[0] + 1) << 32 | major_minor[1];
}

/* The kind of the mount with that key; '-': there is none. */
static char mount_kind(uint64_t key)
{
	const struct mount *m;

	for (m = P.mounts; m; m = m->next)
		if (m->key == key)
			return m->kind;
	return '-';
}

/* What is read last counts, for numbers are used again. */
static void add_key(uint64_t key, char kind)
{
	struct mount *m = P.unused;

	if (m)
		P.unused = m->next;
	else
		m = xalloc(sizeof(*m));
	m->next = P.mounts;
	m->key = key;
	m->kind = kind;
	P.mounts = m;
}

/* ID PARENT MAJOR:MINOR and so on. What lies on other filesystems asks them: anybody may mount
 * overlayfs on FUSE, in a namespace of his own. What is mounted in ours too is trusted. */
static void add_mount(char *line)
{
	struct pc_mount m;
	uint64_t n[4], device;
	char kind;

	read_numbers(line, n, 4, 10);
	if (!pc_mount_line(line, &m))
		return;
	kind = pc_mount_kind(&m);
	device = device_key(n + 2);
	if (index_in_strings("overlay\0ecryptfs\0aufs\0unionfs\0shiftfs\0", m.type) >= 0) {
		kind = mount_kind(device);
		if (kind == '-')
			kind = P.kind;
	}
	add_key(n[0], kind);
	add_key(device, kind);
}

/* What is held open as fd, by O_PATH: hands it out if it is what is wanted. 0 or -errno. */
static int hand_out(int fd, char kind, uint64_t ino)
{
	static char number[12];
	static struct pc_entry e;
	static struct stat st, named;
	int r = sys_fstat(fd, &st);

	if (r)
		return r;
	if (ino && st.st_ino != ino)
		return -ENOENT;
	if (((S_ISBLK(st.st_mode) && !(P.flags & O_PATH)) || (kind != 's' && S_ISREG(st.st_mode)))
			&& !pc_seen(st.st_dev, st.st_ino)) {
		if (P.w->named && (pc_path_is_foreign(PATH)
				|| sys_stat(AT_FDCWD, PATH, false, &named)
				|| named.st_dev != st.st_dev || named.st_ino != st.st_ino))
			return -PC_ENONAME;
		bb_snprintf(number, sizeof(number), "%d", fd);
		e.path = PATH;
		e.dirfd = pc_proc_fd();
		e.name = number;
		e.flags = PC_BLKDEV;
		P.w->file(P.w, &e);
	}
	return 0;
}

/* Looks at a link in /proc/PID, which shows a path, else it is that of shown. If the link may not
 * be followed and the inode's number is known (of what is mapped), at the file at that path in the
 * process's root. */
static void look_at(const char *name, const char *shown, char kind, uint64_t ino)
{
	ssize_t n;
	int fd, r;

	/* what is neither mounted nor on a device is a pipe, memory and the like, or was left by
	 * umount -l */
	if (kind == '-' || kind == 'w')
		return;
	n = sys_readlink(P.dir, name, PATH, PATH_SIZE - 1);
	if (n < 0)
		bb_snprintf(PATH, PATH_SIZE, "%s", shown);
	else
		PATH[n] = '\0';
	if (kind == '?' && pc_path_is_foreign(PATH))
		return;
	/* holds the file, and opens nothing */
	r = fd = sys_open(P.dir, name, O_PATH);
	if (fd >= 0)
		ino = 0;
	else if (ino && kind == 's')
		return;
	/* who knows what is mounted there by now */
	else if (ino && !pc_path_is_foreign(PATH))
		fd = sys_open(P.dir, P.below, O_PATH | O_NOFOLLOW);
	if (fd >= 0) {
		n = hand_out(fd, kind, ino);
		sys_close(fd);
		if (!ino || !n)
			r = (int)n;
	}
	/* closed meanwhile; and of a process that has ended only that is said */
	if (r && (ino || r != -ENOENT) && has_program())
		P.w->error(PATH, -r);
}

/* A line of maps: START-END rwxp OFFSET MAJOR:MINOR INODE PATH, in hexadecimal but INODE */
static void look_at_mapping(char *line)
{
	uint64_t n[8], device[2], ino;
	const char *p, *tail;
	char name[48], kind;

	tail = read_numbers(line, n, 8, 16);
	p = read_numbers(tail, device, 2, 16);
	p = read_numbers(p, &ino, 1, 10);
	if (!ino || !strcmp(tail, P.last))
		return;
	bb_snprintf(P.last, sizeof(P.last), "%s", tail);
	kind = mount_kind(device_key(device));
	if (kind == '-' && device[0])
		kind = '/';
	while (*p == ' ')
		p++;
	bb_snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)n[0],
		(unsigned long long)n[1]);
	look_at(name, p, kind, ino);
}

static void look_at_info(char *line)
{
	uint64_t id;

	/* flags: */
	if (line[0] == 'f' && line[1] == 'l')
		read_numbers(line + 7, &P.flags, 1, 8);
	/* mnt_id:, which came with Linux 3.15 */
	if (line[0] == 'm' && line[1] == 'n') {
		read_numbers(line + 8, &id, 1, 10);
		P.kind = mount_kind(id);
	}
}

static void look_at_descriptor(const char *number)
{
	static char name[40];
	int r;

	P.kind = '?';
	bb_snprintf(name, sizeof(name), "fdinfo/%s", number);
	r = each_line(name, look_at_info);
	bb_snprintf(name, sizeof(name), "/proc/%s/fd/%s", P.pid, number);
	if (!r)
		look_at(name + strlen(P.pid) + 7, name, P.kind, 0);
	else if (r != -ENOENT && has_program())
		P.w->error(name, -r);
}

static int each_descriptor(void)
{
	static char buf[1024] __attribute__((aligned(8)));
	const struct kabi_dirent *d;
	ssize_t n, off;
	int fd = sys_open(P.dir, "fd/", O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return fd;
	while ((n = sys_getdents(fd, buf, sizeof(buf))) > 0)
		for (off = 0; off < n; off += d->reclen) {
			d = (const void *)(buf + off);
			if (d->name[0] != '.')
				look_at_descriptor(d->name);
		}
	sys_close(fd);
	return (int)n;
}

int pc_process(struct pc_walk *w, const char *pid)
{
	int fd = pc_proc_fd(), r = -PC_ENOPROGRAM;
	struct mount *m;
	const char *p = pid;
	uint64_t n;

	/* no number is longer, and what follows has buffers for numbers */
	if (fd < 0 || strlen(pid) > 10
			|| ((bb_parse_u64(&p, &n) || *p) && strcmp(pid, "self")))
		return fd < -1 ? fd : r;
	P.w = w;
	P.pid = pid;
	P.last[0] = '\0';
	P.flags = 0;
	while ((m = P.mounts) != NULL) {
		P.mounts = m->next;
		m->next = P.unused;
		P.unused = m;
	}
	memcpy(P.below, "root", 4);
	bb_snprintf(PATH, PATH_SIZE, "/proc/%s/", pid);
	P.dir = pc_system_open(PATH, O_PATH | O_DIRECTORY);
	if (P.dir < 0)
		return P.dir == -ENOENT ? r : P.dir;
	P.kind = '/';
	if (has_program()
			&& !(r = each_line("../self/mountinfo", add_mount))
			&& (P.kind = 'w', !(r = each_line("mountinfo", add_mount)))
			&& !(r = each_line("maps", look_at_mapping)))
		r = each_descriptor();
	if (!has_program())
		r = -PC_ENOPROGRAM;
	sys_close(P.dir);
	return r;
}
