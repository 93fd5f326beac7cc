/* SPDX-License-Identifier: 0BSD */
/* fakesys.c - see fakesys.h. Linked in place of libbb/sys.c. */
#include "fakesys.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

struct fake fake;

static struct fake_file *files;
static unsigned files_made;

enum { FIRST_FD = 3, MAX_FDS = 64, OVERFLOW_ID = 65534 };
static struct {
	struct fake_file *file;	/* NULL: closed */
	int flags;
	size_t pos;		/* of fake_read, of sys_getdents */
} fds[MAX_FDS];

static struct fake_file proc_fd_dir = {
	.name = "/proc/self/fd", .mode = S_IFDIR | 0500, .ino = 1, .fs_type = KABI_PROC_MAGIC,
};
static struct fake_file sys_number = {
	.name = "/sys", .mode = S_IFREG | 0444, .ino = 2, .size = 4096,
	.fs_type = 0x62656572,
};
static char sys_text[16];
static struct fake_file uid_map = {
	.name = "/proc/self/uid_map", .mode = S_IFREG | 0444, .ino = 3,
	.fs_type = KABI_PROC_MAGIC,
};

/* ---- the tests' side ---- */

static void forget(void)
{
	while (files) {
		struct fake_file *f = files;
		files = f->next;
		free(f->page);
		free(f->hole);
		free(f->name);
		free(f);
	}
}

/* Addresses are numbers: nothing is there. A mapping is of the file that fd was of. */
static struct mapping {
	char *at;
	size_t len;
	int fd;
	uint64_t off;
} mappings[64];
static unsigned mappings_made;

void fake_start(void)
{
	static bool registered;

	if (!registered)
		registered = !atexit(forget);
	forget();
	memset(fds, 0, sizeof(fds));
	memset(mappings, 0, sizeof(mappings));
	mappings_made = 0;
	fake_add_mode(".", S_IFDIR | 0777);
	fake = (struct fake){
		.pagesize = 4096, .cap = 128 << 10, .io_delay = 3, .cap_fowner = true,
		.read_ahead_kb = 128, .max_sectors_kb = 128, .rotational = 1, .fd_limit = 16,
		.cachestat_strict = true,
	};
}

struct fake_file *fake_add_mode(const char *name, mode_t mode)
{
	struct fake_file *f = calloc(1, sizeof(*f));

	f->name = strdup(name);
	f->mode = mode;
	f->ino = 100 + ++files_made;
	/* Always another device: what the engine learned of one must not serve the next test. */
	f->dev = makedev(8, files_made);
	f->fs_type = 0xef53;
	f->next = files;
	files = f;
	return f;
}

struct fake_file *fake_add(const char *name, uint64_t size)
{
	struct fake_file *f = fake_add_mode(name, S_IFREG | 0644);

	f->size = f->capacity = size;
	f->page = calloc(fake_pages(f) + 1, sizeof(*f->page));
	f->hole = calloc(size / FAKE_BLOCK + 1, sizeof(*f->hole));
	return f;
}

void fake_hole(struct fake_file *f, uint64_t off, uint64_t len)
{
	for (uint64_t b = off / FAKE_BLOCK; b * FAKE_BLOCK < off + len; b++)
		f->hole[b] = true;
}

void fake_cache(struct fake_file *f, uint64_t off, uint64_t len, enum fake_state state)
{
	uint64_t n = fake_pages(f);

	for (uint64_t i = off / fake.pagesize; i < n && i * fake.pagesize < off + len; i++) {
		f->page[i].state = state;
		f->page[i].born = fake.calls;
	}
}

void fake_truncate(struct fake_file *f, uint64_t size)
{
	uint64_t n = fake_pages(f);

	f->size = size;
	for (uint64_t i = fake_pages(f); i < n; i++)
		f->page[i].state = ABSENT;
}

void fake_remove(struct fake_file *f)
{
	free(f->name);
	f->name = NULL;
}

void fake_remove_all(const char *begin)
{
	for (struct fake_file *f = files; f; f = f->next)
		if (f->name && !strncmp(f->name, begin, strlen(begin)))
			fake_remove(f);
}

void fake_replace(struct fake_file *old, struct fake_file *new_)
{
	if (!old->name)
		return;
	free(new_->name);
	new_->name = old->name;
	old->name = NULL;
}

uint64_t fake_pages(const struct fake_file *f)
{
	return (f->size + fake.pagesize - 1) / fake.pagesize;
}

/* I/O takes its time: some calls later what was PENDING is there. */
static enum fake_state state_of(struct fake_page *p)
{
	if (p->state == PENDING && !p->bad && !p->partial && fake.calls - p->born >= fake.io_delay)
		p->state = RESIDENT;
	return p->state;
}

uint64_t fake_count(const struct fake_file *f, enum fake_state state)
{
	uint64_t n = fake_pages(f), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += state_of(&f->page[i]) == state;
	return sum;
}

bool fake_has_data(const struct fake_file *f, uint64_t i)
{
	uint64_t end = (i + 1) * fake.pagesize;

	if (end > f->size)
		end = f->size;
	for (uint64_t off = i * fake.pagesize; off < end; off += FAKE_BLOCK)
		if (!f->hole[off / FAKE_BLOCK])
			return true;
	return false;
}

uint64_t fake_not_asked(const struct fake_file *f)
{
	uint64_t n = fake_pages(f), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += fake_has_data(f, i) && state_of(&f->page[i]) == ABSENT;
	return sum;
}

uint64_t fake_not_resident(const struct fake_file *f)
{
	uint64_t n = fake_pages(f), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += fake_has_data(f, i) && state_of(&f->page[i]) != RESIDENT;
	return sum;
}

/* ---- the engine's side ---- */

static void broken(const char *what)
{
	if (!fake.broken)
		fake.broken = what;
}

/* Every call that can fail begins here. Returns the errno it shall fail with, or 0. */
static int call(const char *name)
{
	if (++fake.calls > 1000000) {
		printf("Bail out! %s: a million calls\n", name);
		exit(2);
	}
	if (fake.meanwhile)
		fake.meanwhile(fake.calls);
	if (fake.calls != fake.fail_at)
		return 0;
	fake.failed = name;
	return fake.fail_error;
}

static struct fake_file *file_of(int fd)
{
	if (fd < FIRST_FD || fd >= MAX_FDS || !fds[fd].file) {
		broken("a call on a closed descriptor");
		return NULL;
	}
	return fds[fd].file;
}

/* For calls that need a real open: O_PATH descriptors give EBADF. */
static struct fake_file *opened(int fd)
{
	struct fake_file *f = file_of(fd);

	return f && !(fds[fd].flags & O_PATH) ? f : NULL;
}

static struct fake_file *sysfs(const char *name)
{
	unsigned *kb = strstr(name, "/queue/read_ahead_kb") ? &fake.read_ahead_kb :
		strstr(name, "/queue/max_sectors_kb") ? &fake.max_sectors_kb :
		strstr(name, "/queue/rotational") ? &fake.rotational : NULL;

	if (strstr(name, "/bdi/") && strstr(name, "/read_ahead_kb"))
		kb = &fake.read_ahead_kb;
	else if (kb && fake.partition != !!strstr(name, "/../queue/"))
		kb = NULL;
	if (!kb || fake.no_sysfs)
		return NULL;
	snprintf(sys_text, sizeof(sys_text), "%u\n", *kb);
	sys_number.text = sys_text;
	return &sys_number;
}

/* Directories have no entries: the name of a file begins with that of its directory, "dir/". */
static int look_up(int dirfd, const char *name, bool follow, struct fake_file **found)
{
	char path[256];

	if (dirfd >= 0) {
		struct fake_file *dir = file_of(dirfd);

		if (dir == &proc_fd_dir) {
			*found = file_of(atoi(name));
			return *found ? 0 : -ENOENT;
		}
		if (!dir || !S_ISDIR(dir->mode))
			return -ENOTDIR;
		if (!dir->name)
			return dir->fs_type == KABI_PROC_MAGIC ? -ESRCH : -ENOENT;
		snprintf(path, sizeof(path), "%s%s", strcmp(dir->name, ".") ? dir->name : "", name);
		name = path;
	}
	if (!strncmp(name, "/proc/self/fd", 13)) {
		if (fake.no_proc)
			return -ENOENT;
		*found = name[13] == '/' && name[14] ? file_of(atoi(name + 14)) : &proc_fd_dir;
		return *found ? 0 : -ENOENT;
	}
	if (!strcmp(name, uid_map.name)) {
		uid_map.text = fake.user_namespace ? "         0     100000      65536\n"
			: "         0          0 4294967295\n";
		*found = &uid_map;
		return fake.no_proc ? -ENOENT : 0;
	}
	if (!strncmp(name, "/sys/", 5)) {
		*found = sysfs(name);
		return *found ? 0 : -ENOENT;
	}
	for (unsigned links = 0; links < 40; links++) {
		struct fake_file *f = files;

		while (f && !(f->name && !strcmp(f->name, name)))
			f = f->next;
		if (!f)
			return -ENOENT;
		*found = f;
		if (!S_ISLNK(f->mode) || !follow)
			return 0;
		if (f->locked)
			return -EPERM;
		if (f->to) {
			*found = f->to;
			return 0;
		}
		name = f->text;
	}
	return -ELOOP;
}

/* A capability in a user namespace does not reach files whose owner has no id there. */
static bool owner(const struct fake_file *f)
{
	return fake.euid == f->uid ||
		(fake.cap_fowner && !(fake.user_namespace && f->uid == OVERFLOW_ID));
}

static bool is_ours(const struct fake_file *f)
{
	return f->fs_type == KABI_PROC_MAGIC || f == &sys_number || f == &uid_map;
}

int sys_open(int dirfd, const char *name, int flags)
{
	struct fake_file *f;
	int fd = FIRST_FD, r = -call("open");

	if (r || (r = look_up(dirfd, name, !(flags & O_NOFOLLOW), &f)))
		return r;
	if (f->hangs)
		broken("opened what hangs");
	if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
		broken("opened for writing");
	if (!(flags & O_PATH)) {
		if (S_ISLNK(f->mode))
			return -ELOOP;
		if (f->unreadable && fake.euid)
			return -EACCES;
		if ((flags & O_NOATIME) && !owner(f) && !is_ours(f))
			return -EPERM;
		if ((flags & O_DIRECTORY) && !S_ISDIR(f->mode))
			return -ENOTDIR;
		if (!S_ISREG(f->mode) && !(flags & O_DIRECTORY) &&
		    !(S_ISBLK(f->mode) && f->rdev == fake.allowed_dev))
			fake.wrong_opens++;
		if (!(flags & O_NONBLOCK) && !is_ours(f))
			broken("opened without O_NONBLOCK");
	}
	while (fd < MAX_FDS && fds[fd].file)
		fd++;
	if (fake.opens >= fake.fd_limit || fd == MAX_FDS)
		return -EMFILE;
	fds[fd].file = f;
	fds[fd].flags = flags;
	fds[fd].pos = 0;
	fake.opens++;
	if (fake.opens > fake.most_opens)
		fake.most_opens = fake.opens;
	fake.leaked += !S_ISDIR(f->mode);
	return fd;
}

void sys_close(int fd)
{
	if (!file_of(fd))
		return;
	fake.leaked -= !S_ISDIR(fds[fd].file->mode);
	fds[fd].file = NULL;
	fake.opens--;
}

static void fill_stat(const struct fake_file *f, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = f->mode;
	st->st_uid = f->uid;
	st->st_dev = f->dev;
	st->st_rdev = f->rdev;
	st->st_ino = f->ino;
	st->st_nlink = 1;
	st->st_size = S_ISBLK(f->mode) ? 0 : (off_t)f->size;
	st->st_blksize = FAKE_BLOCK;
	for (uint64_t b = 0; f->hole && b * FAKE_BLOCK < f->size; b++)
		st->st_blocks += f->hole[b] ? 0 : FAKE_BLOCK / 512;
}

int sys_fstat(int fd, struct stat *st)
{
	int r = -call("fstat");
	struct fake_file *f = file_of(fd);

	if (r || !f)
		return r ? r : -EBADF;
	fill_stat(f, st);
	return 0;
}

int sys_stat(int dirfd, const char *name, bool follow, struct stat *st)
{
	struct fake_file *f;
	int r = -call("stat");

	if (!r && !(r = look_up(dirfd, name, follow, &f))) {
		if (f->hangs)
			broken("looked at what hangs");
		fill_stat(f, st);
	}
	return r;
}

int sys_fs_type(int fd, uint32_t *type)
{
	int r = -call("fs_type");
	struct fake_file *f = file_of(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (fake.fs_type_error)
		return -fake.fs_type_error;
	*type = f->fs_type;
	return 0;
}

int sys_device_size(int fd, uint64_t *bytes)
{
	int r = -call("device_size");
	struct fake_file *f = opened(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (!S_ISBLK(f->mode))
		return -ENOTTY;
	*bytes = f->size;
	return 0;
}

static int64_t seek(int fd, uint64_t off, bool hole)
{
	int r = -call(hole ? "seek_hole" : "seek_data");
	struct fake_file *f = opened(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (fake.seek_unsupported)
		return -EINVAL;
	if (off >= f->size)
		return -ENXIO;
	while (off < f->size && f->hole && f->hole[off / FAKE_BLOCK] != hole)
		off = (off / FAKE_BLOCK + 1) * FAKE_BLOCK;
	if (off >= f->size || !f->hole)
		return hole ? (int64_t)f->size : f->hole ? -ENXIO : (int64_t)off;
	return (int64_t)off;
}

int64_t sys_seek_data(int fd, uint64_t off)
{
	return seek(fd, off, false);
}

int64_t sys_seek_hole(int fd, uint64_t off)
{
	return seek(fd, off, true);
}

/* Reads page i and waits for it. Returns 0 or -EIO. */
static int wait_page(struct fake_file *f, uint64_t i)
{
	struct fake_page *p = &f->page[i];

	p->read++;
	if (p->partial && p->state == PENDING)
		return 0;
	if (p->bad && state_of(p) != RESIDENT) {
		if (p->state == ABSENT)
			p->state = PENDING;	/* a page that is not up to date stays */
		return -EIO;
	}
	if (fake.in_order)
		for (uint64_t k = 0; k < i; k++)
			if (f->page[k].state == PENDING && !f->page[k].bad && !f->page[k].partial)
				f->page[k].state = RESIDENT;
	if (!f->never_cached)
		p->state = RESIDENT;
	return 0;
}

ssize_t sys_pread(int fd, void *buf, size_t len, uint64_t off)
{
	int r = -call("pread");
	struct fake_file *f = opened(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (off > INT64_MAX - len)
		return -EINVAL;
	if (f->text) {
		size_t n = strlen(f->text);

		len = off < n ? n - off < len ? n - off : len : 0;
		memcpy(buf, f->text + (len ? off : 0), len);
		return (ssize_t)len;
	}
	fake.preads++;
	if (off >= f->size || !len)
		return 0;
	if (len > f->size - off)
		len = f->size - off;
	if (fake.pread_max && len > fake.pread_max)
		len = fake.pread_max;
	for (uint64_t i = off / fake.pagesize; i * fake.pagesize < off + len; i++) {
		uint64_t start = i * fake.pagesize;

		r = wait_page(f, i);
		if (r && start <= off)
			return r;
		if (r) {
			len = start - off;
			break;
		}
	}
	memset(buf, 0, len);
	if (f->data)
		memcpy(buf, (const char *)f->data + off, len);
	return (ssize_t)len;
}

/* Does the range hold data at all, and anything that is not cached? */
static void judge_ask(const struct fake_file *f, uint64_t first, uint64_t last)
{
	bool data = false, news = false;

	for (uint64_t i = first; i <= last; i++) {
		data |= fake_has_data(f, i);
		news |= state_of(&f->page[i]) == ABSENT;
		f->page[i].asked++;
	}
	fake.hole_asks += !data && !fake.seek_unsupported;
	fake.vain_asks += !news && data;
}

int sys_readahead(int fd, uint64_t off, size_t len)
{
	int r = -call("readahead");
	struct fake_file *f = opened(fd);
	uint64_t first = off / fake.pagesize, cap = fake.cap / fake.pagesize, last;

	fake.readaheads++;
	if (len > fake.largest_ask)
		fake.largest_ask = len;
	if (off + len < off || off + len > INT64_MAX)
		broken("readahead of a range that wraps");
	if (r || !f)
		return r ? r : -EBADF;
	if (fake.readahead_error)
		return -fake.readahead_error;
	if (off >= f->size || !len)
		return 0;
	last = ((f->size - off < len ? f->size : off + len) - 1) / fake.pagesize;
	judge_ask(f, first, last);
	if (fake.readahead_noop || f->never_cached)
		return 0;
	for (uint64_t i = first; i <= last && i - first < cap; i++)
		if (f->page[i].state == ABSENT) {
			f->page[i].state = fake_has_data(f, i) ? PENDING : RESIDENT;
			f->page[i].born = fake.calls;
		}
	return 0;
}

void *sys_map(void *at, int fd, uint64_t off, size_t len)
{
	int r = -call("map");
	struct mapping *m = mappings, *other;

	if (!at)
		at = (void *)(uintptr_t)(++mappings_made << 22);
	if (off % fake.pagesize || !len || len % fake.pagesize)
		broken("map of nothing, or not of pages");
	if (r || fake.map_error || !opened(fd))
		return NULL;
	while (m->len)
		m++;
	for (other = mappings; other < mappings + 64; other++)
		if (other->len && (char *)at < other->at + other->len &&
		    other->at < (char *)at + len)
			return NULL;
	if (m == mappings + 63)
		broken("too many mappings");
	*m = (struct mapping){ at, len, fd, off };
	fake.mapped += len;
	return at;
}

void sys_unmap(void *at, size_t len)
{
	char *start = at, *end = start + len;

	for (struct mapping *m = mappings; m < mappings + 64; m++) {
		size_t n = m->len;

		if (!n || m->at >= end || m->at + n <= start)
			continue;
		if (end < m->at + n)
			broken("unmapped from the beginning, in part");
		m->len = m->at < start ? (size_t)(start - m->at) : 0;
		fake.mapped -= n - m->len;
	}
}

int sys_willneed(void *at, size_t len)
{
	int r = -call("willneed");

	fake.willneeds++;
	for (struct mapping *m = mappings; !r && m < mappings + 64; m++)
		if (m->len && m->at >= (char *)at && m->at < (char *)at + len) {
			sys_readahead(m->fd, m->off, m->len);
			fake.readaheads--;
		}
	return r;
}

int sys_fd_limit(void)
{
	return (int)fake.fd_limit + FIRST_FD;
}

static bool stranger(const struct fake_file *f)
{
	return !owner(f) && !f->writable;
}

int sys_cachestat(int fd, uint64_t off, uint64_t len, struct kabi_cachestat *cs)
{
	int r = -call("cachestat");
	struct fake_file *f = opened(fd);

	fake.cachestats++;
	memset(cs, 0, sizeof(*cs));
	if (!len)
		broken("cachestat with length 0");
	if (r || !f)
		return r ? r : -EBADF;
	if (fake.cachestat_error)
		return -fake.cachestat_error;
	if (fake.cachestat_strict && stranger(f))
		return -EPERM;
	if (f->fs_type == KABI_OVERLAYFS_MAGIC)
		return 0;
	for (uint64_t i = off / fake.pagesize; i < fake_pages(f) && i * fake.pagesize < off + len;
	     i++) {
		enum fake_state s = state_of(&f->page[i]);

		cs->cache += s != ABSENT;
		cs->dirty += s != ABSENT && f->page[i].dirty;
		cs->writeback += s != ABSENT && f->page[i].writing;
	}
	return 0;
}

int sys_mincore(int fd, uint64_t off, size_t len, unsigned char *vec)
{
	int r = -call("mincore");
	struct fake_file *f = opened(fd);
	uint64_t first = off / fake.pagesize, n = (len + fake.pagesize - 1) / fake.pagesize;

	fake.mincores++;
	if (len > fake.largest_window)
		fake.largest_window = len;
	if (!len || off % fake.pagesize)
		broken("mincore of nothing, or not from a page's start");
	if (r || !f)
		return r ? r : -EBADF;
	if (fake.mincore_error)
		return -fake.mincore_error;
	for (uint64_t i = 0; i < n; i++)
		vec[i] = (stranger(f) && !fake.mincore_honest) ||
			(first + i < fake_pages(f) && state_of(&f->page[first + i]) == RESIDENT);
	return 0;
}

int sys_populate(int fd, uint64_t off, size_t len)
{
	int r = -call("populate");
	struct fake_file *f = opened(fd);

	if (!len || off % fake.pagesize)
		broken("populate of nothing, or not from a page's start");
	if (r || !f)
		return r ? r : -EBADF;
	if (fake.populate_error)
		return -fake.populate_error;
	for (uint64_t i = off / fake.pagesize; i * fake.pagesize < off + len; i++) {
		if (i >= fake_pages(f))
			return -EFAULT;
		f->page[i].partial = false;
		if (wait_page(f, i))
			return -EFAULT;
	}
	return 0;
}

int sys_fadvise(int fd, uint64_t off, uint64_t len, int advice)
{
	int r = -call("fadvise");
	struct fake_file *f = opened(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (advice != POSIX_FADV_DONTNEED)
		return 0;
	if (!len)
		len = UINT64_MAX - off;
	for (uint64_t i = (off + fake.pagesize - 1) / fake.pagesize; i < fake_pages(f); i++) {
		bool whole = (i + 1) * fake.pagesize <= off + len || off + len >= f->size;

		if (whole && !f->page[i].dirty && !f->page[i].writing && !f->page[i].held) {
			f->page[i].state = ABSENT;
			f->page[i].partial = false;
			fake.drops++;
		}
	}
	return 0;
}

static int write_out(int fd, const char *name, uint64_t off, uint64_t len)
{
	int r = -call(name);
	struct fake_file *f = opened(fd);

	if (r || !f)
		return r ? r : -EBADF;
	if (!len)
		len = UINT64_MAX - off;
	for (uint64_t i = off / fake.pagesize; i < fake_pages(f); i++)
		if (i * fake.pagesize < off + len)
			f->page[i].dirty = f->page[i].writing = false;
	return 0;
}

int sys_sync_range(int fd, uint64_t off, uint64_t len)
{
	return write_out(fd, "sync_range", off, len);
}

int sys_fdatasync(int fd)
{
	return write_out(fd, "fdatasync", 0, 0);
}

bool sys_has_cap(unsigned cap)
{
	return cap == KABI_CAP_FOWNER && fake.cap_fowner;
}

bool sys_may_write(int dirfd, const char *name)
{
	struct fake_file *f;

	return !look_up(dirfd, name, true, &f) && (f->writable || f->uid == fake.euid ||
		(!fake.euid && owner(f)));
}

uid_t sys_euid(void)
{
	return fake.euid;
}

pid_t sys_getpid(void)
{
	return 1;
}

int sys_chroot(const char *dir)
{
	(void)dir;
	return -EPERM;
}

int sys_mknod_block(int dirfd, const char *name, dev_t dev)
{
	(void)dirfd, (void)name, (void)dev;
	return -EROFS;
}

/* replace.c works on real files */
int sys_fchmod(int fd, mode_t mode)
{
	return fchmod(fd, mode) ? -errno : 0;
}

int sys_unlink(int dirfd, const char *name)
{
	(void)dirfd, (void)name;
	return -EROFS;
}

uint64_t sys_pagesize(void)
{
	return fake.pagesize;
}

int sys_ioprio_idle(void)
{
	return -call("ioprio");
}

pid_t sys_fork(void)
{
	return -EAGAIN;
}

int sys_seek(int fd, int64_t off)
{
	return file_of(fd) && off >= 0 ? -call("seek") : -EINVAL;
}

/* One entry at a time; the files in a directory are those whose names begin with its own. */
ssize_t sys_getdents(int fd, void *buf, size_t len)
{
	int r = -call("getdents");
	struct fake_file *dir = opened(fd), *f = files;
	struct kabi_dirent *d = buf;
	size_t n, i = 0;

	if (r || !dir)
		return r ? r : -EBADF;
	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	n = dir->name ? strlen(dir->name) : 0;
	for (; f; f = f->next)
		if (n && f->name && !strncmp(f->name, dir->name, n) && f->name[n]
		    && !strchr(f->name + n, '/') && i++ == fds[fd].pos)
			break;
	if (!f)
		return 0;
	fds[fd].pos++;
	n = offsetof(struct kabi_dirent, name) + strlen(f->name + n) + 1;
	if (n + 7 > len)
		return -EINVAL;
	*d = (struct kabi_dirent){ .ino = f->ino, .reclen = (uint16_t)((n + 7) / 8 * 8) };
	strcpy(d->name, f->name + strlen(dir->name));
	return d->reclen;
}

ssize_t fake_read(int fd, void *buf, size_t len)
{
	ssize_t n = sys_pread(fd, buf, len, fd >= FIRST_FD && fd < MAX_FDS ? fds[fd].pos : 0);

	if (n >= 0) {
		fds[fd].pos += (size_t)n;
		return n;
	}
	errno = (int)-n;
	return -1;
}

int sys_fiemap(int fd, uint64_t off, struct kabi_extent *extents, unsigned n)
{
	(void)off;
	(void)extents;
	(void)n;
	return file_of(fd) ? -EOPNOTSUPP : -EBADF;
}

int sys_memory(uint64_t *free_, uint64_t *buffers)
{
	*free_ = *buffers = 64 << 20;
	return -call("memory");
}

ssize_t sys_readlink(int dirfd, const char *name, char *buf, size_t len)
{
	struct fake_file *f;
	const char *text;
	int r = -call("readlink");

	if (r || (r = look_up(dirfd, name, false, &f)))
		return r;
	text = dirfd >= 0 && file_of(dirfd) == &proc_fd_dir ? f->name : f->text;
	if (text == f->text && !S_ISLNK(f->mode))
		return -EINVAL;
	if (len > strlen(text))
		len = strlen(text);
	memcpy(buf, text, len);
	return (ssize_t)len;
}

uint64_t sys_now_ms(void)
{
	static uint64_t now;

	return now += 10;
}

int sys_getcwd(char *buf, size_t size)
{
	(void)buf, (void)size;
	return -ENOENT;
}

void sys_default_signal(int sig)
{
	(void)sig;
}

int sys_die_with_parent(void)
{
	return 0;
}
