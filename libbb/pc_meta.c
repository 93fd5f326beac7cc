/* SPDX-License-Identifier: 0BSD */
/* pc_meta.c - the metadata of a tree first. For small files it costs more than the data: each
 * cold open reads an inode table block and perhaps a directory block, one after the other.
 *
 * ext2/3/4 keep both in the page cache of their block device, where readahead(2) can put them
 * beforehand. The tree is gone through level by level: the inode tables of the directories, the
 * directories' blocks (FIEMAP), then the entries, whose inode numbers give the inode tables of
 * the files and of the next level. Inode tables alone gain nothing. */

#include <sys/sysmacros.h>

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"
#include "pc_many.h"
#include "pc_list.h"

#define UNIT 4096		/* bytes; pieces of the device are counted in these */
/* Units: reading over so many costs less than another request, 1.3 ms on a disk that then does
 * not seek, 0.8 ms on an SD card. */
#define GAP_DISK 32
#define GAP_FLASH 8
#define GAP_EROFS 1		/* its metadata lies between data */
#define PIECES 131072
#define DIRS 65536
#define NAMES (2u << 20)	/* bytes of the directories' names */
#define NO_PARENT UINT32_MAX
#define GROUPS 256		/* descriptors remembered */

static struct {
	struct pc_file device;
	uint32_t type;
	unsigned char super[1024];
	struct pc_ext ext;
	dev_t dev;
	const struct llist *exclude;
	struct pc_root root;
	uint64_t asked;
	uint64_t gap;
	bool full;
	bool loading;		/* pieces may be loaded when they become many */
	struct {
		uint64_t group, table;
	} group[GROUPS];
	uint64_t piece[PIECES];
	size_t pieces;
	struct dir {
		uint32_t parent, name;	/* indices into dir[] and name[] */
	} dir[DIRS];
	size_t dirs, names;
	char name[NAMES];
	char path[65536];
} *M;

static uint32_t le(const unsigned char *p, int bytes)
{
	uint32_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* Offsets are those of struct ext4_super_block, fs/ext4/ext4.h. */
bool pc_ext_super(const unsigned char *sb, struct pc_ext *e)
{
	enum { INCOMPAT_META_BG = 0x10, INCOMPAT_64BIT = 0x80 };
	uint32_t incompat = le(sb + 0x60, 4), log_block_size = le(sb + 0x18, 4);
	uint32_t blocks_per_group = le(sb + 0x20, 4), first_block = le(sb + 0x14, 4);
	bool wide = incompat & INCOMPAT_64BIT;

	/* with meta_bg the descriptors are not in one place */
	if (le(sb + 0x38, 2) != 0xef53 || (incompat & INCOMPAT_META_BG) || log_block_size > 6)
		return false;
	e->block_size = 1024u << log_block_size;
	e->blocks = le(sb + 4, 4) | (wide ? (uint64_t)le(sb + 0x150, 4) << 32 : 0);
	e->inodes = le(sb, 4);
	e->inodes_per_group = le(sb + 0x28, 4);
	e->inode_size = le(sb + 0x4c, 4) ? le(sb + 0x58, 2) : 128;	/* revision 0 */
	e->desc_size = wide ? le(sb + 0xfe, 2) : 32;
	if (!blocks_per_group || !e->inodes_per_group || first_block >= e->blocks
			|| e->blocks > UINT64_MAX >> 17
			|| e->inode_size < 128 || e->inode_size > e->block_size
			|| (e->inode_size & (e->inode_size - 1))
			|| e->desc_size < (wide ? 64 : 32) || e->desc_size > 1024
			|| (e->desc_size & (e->desc_size - 1)))
		return false;
	e->groups = (e->blocks - first_block + blocks_per_group - 1) / blocks_per_group;
	/* behind the superblock's block, which is block 1 only where blocks have 1024 bytes */
	e->desc_start = e->block_size == 1024 ? 2048 : e->block_size;
	return true;
}

uint64_t pc_ext_table(const struct pc_ext *e, const unsigned char *desc)
{
	uint64_t block = le(desc + 8, 4), size = (uint64_t)e->inodes_per_group * e->inode_size;

	if (e->desc_size >= 64)
		block |= (uint64_t)le(desc + 0x28, 4) << 32;
	if (block >= e->blocks || size > (e->blocks - block) * e->block_size)
		return 0;
	return block * e->block_size;
}

/* Opens a block device by its node in /dev, which sysfs names, or where there is none (an
 * initramfs before its mdev) by a node of our own that is gone at once. */
static bool open_device(struct pc_file *f, dev_t dev)
{
	static const char *const places[] = { "/dev", "/run", "/tmp", "" };
	char buf[1024], path[128];
	const char *name;
	size_t i;

	if (!major(dev))	/* erofs from a file */
		return false;
	bb_snprintf(buf, sizeof(buf), "/sys/dev/block/%u:%u/uevent", major(dev), minor(dev));
	name = pc_system_read(buf, buf, sizeof(buf)) > 0 ? bb_strstr(buf, "DEVNAME=") : NULL;
	if (name) {
		name += 8;
		bb_snprintf(path, sizeof(path), "/dev/%.*s",
			(int)(bb_strchrnul(name, '\n') - name), name);
		if (pc_open_device(f, path, dev))
			return true;
	}
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const char *node = path;
		int dirfd = pc_system_dir(&node);
		bool opened;

		bb_snprintf(path, sizeof(path), "%s/.warmbox-%d", places[i], sys_getpid());
		if (sys_mknod_block(dirfd, node, dev))
			continue;
		opened = pc_open_device(f, path, dev);
		sys_unlink(dirfd, node);
		if (opened)
			return true;
	}
	return false;
}

/* Sorts what was collected, each piece once. */
static void compact_pieces(void)
{
	size_t i, n = 0;

	bb_sort(M->piece, M->pieces, sizeof(M->piece[0]), pc_compare);
	for (i = 0; i < M->pieces; i++)
		if (!n || M->piece[n - 1] != M->piece[i])
			M->piece[n++] = M->piece[i];
	M->pieces = n;
}

static void each_run(void (*found)(const struct pc_range *r))
{
	struct pc_range r;
	size_t i, first;

	compact_pieces();
	for (first = i = 0; i < M->pieces; i++) {
		if (i + 1 < M->pieces && M->piece[i + 1] - M->piece[i] <= M->gap + 1)
			continue;
		r.off = M->piece[first] * UNIT;
		r.len = (M->piece[i] - M->piece[first] + 1) * UNIT;
		found(&r);
		first = i + 1;
	}
	M->pieces = 0;
}

static void load_run(const struct pc_range *r)
{
	struct pc_fetch t = { .off = r->off, .len = r->len };

	pc_fetch(&M->device, &t);
	M->asked += t.asked;
}

static void load_pieces(void)
{
	each_run(load_run);
}

static void add_range(uint64_t byte, uint64_t len)
{
	uint64_t piece = byte / UNIT, last;

	if (!len || byte >= M->device.size || len > M->device.size - byte)
		return;
	for (last = (byte + len - 1) / UNIT; piece <= last; piece++) {
		if (M->pieces && M->piece[M->pieces - 1] == piece)
			continue;
		if (M->pieces == PIECES) {
			compact_pieces();
			/* half a gigabyte of metadata: load it now, or leave the rest out */
			if (M->pieces > PIECES / 8 * 7 && M->loading)
				load_pieces();
			M->full = M->pieces > PIECES / 8 * 7;
		}
		if (M->full)
			return;
		M->piece[M->pieces++] = piece;
	}
}

/* The block of attributes of the inode at this byte: i_file_acl of struct ext4_inode. FIEMAP would
 * not tell of it where there are attributes in the inode too. */
static void add_attributes(uint64_t byte)
{
	unsigned char inode[128];
	uint64_t block;

	if (sys_pread(M->device.fd, inode, sizeof(inode), byte) != (ssize_t)sizeof(inode))
		return;
	block = le(inode + 0x68, 4);
	if (M->ext.desc_size >= 64)
		block |= (uint64_t)le(inode + 0x76, 2) << 32;
	if (block && block < M->ext.blocks)
		add_range(block * M->ext.block_size, M->ext.block_size);
}

static void add_inode(uint64_t ino)
{
	unsigned char desc[1024];
	uint64_t group, table, byte;
	size_t slot;

	if (!ino || ino > M->ext.inodes)
		return;
	group = (ino - 1) / M->ext.inodes_per_group;
	if (group >= M->ext.groups)
		return;
	slot = group % GROUPS;
	if (!M->group[slot].table || M->group[slot].group != group) {
		ssize_t n = sys_pread(M->device.fd, desc, M->ext.desc_size,
			M->ext.desc_start + group * M->ext.desc_size);

		if (n != (ssize_t)M->ext.desc_size)
			return;
		M->group[slot].group = group;
		M->group[slot].table = pc_ext_table(&M->ext, desc);
	}
	table = M->group[slot].table;
	if (!table)
		return;
	byte = table + (ino - 1) % M->ext.inodes_per_group * M->ext.inode_size;
	add_range(byte, M->ext.inode_size);
	if (!M->loading)	/* then it is not there yet */
		add_attributes(byte);
}

static void add_extents(int fd)
{
	struct kabi_extent e[32];
	uint64_t off = 0;
	int i, n;

	while ((n = sys_fiemap(fd, off, e, ARRAY_SIZE(e))) > 0) {
		for (i = 0; i < n; i++)
			if (!(e[i].flags & (KABI_EXTENT_UNKNOWN | KABI_EXTENT_INLINE)))
				add_range(e[i].physical, e[i].length);
		if ((e[n - 1].flags & KABI_EXTENT_LAST)
				|| e[n - 1].logical + e[n - 1].length <= off)
			break;
		off = e[n - 1].logical + e[n - 1].length;
	}
}

/* A path, built backwards from its end; NULL: too long. */
static const char *path_of(uint32_t dir, const char *name)
{
	char *p = M->path + sizeof(M->path) - 1;

	*p = '\0';
	for (;;) {
		size_t len = strlen(name);

		if (len + 1 > (size_t)(p - M->path))
			return NULL;
		p -= len;
		memcpy(p, name, len);
		if (dir == NO_PARENT)
			return p;
		name = M->name + M->dir[dir].name;
		if (*name && name[strlen(name) - 1] != '/')
			*--p = '/';
		dir = M->dir[dir].parent;
	}
}

static void add_dir(uint32_t parent, const char *name)
{
	size_t len = strlen(name) + 1;

	/* what does not fit is opened without help */
	if (M->dirs == DIRS || len > NAMES - M->names)
		return;
	memcpy(M->name + M->names, name, len);
	M->dir[M->dirs++] = (struct dir){ parent, (uint32_t)M->names };
	M->names += len;
}

static int open_dir(size_t i)
{
	const char *path = path_of(M->dir[i].parent, M->name + M->dir[i].name);
	struct stat st;
	int fd;

	if (!path || (i && pc_root_mount(&M->root, path)))	/* another filesystem */
		return -1;
	fd = pc_opendir(AT_FDCWD, path, i ? O_NOFOLLOW : 0);
	if (fd >= 0 && (sys_fstat(fd, &st) || st.st_dev != M->dev)) {
		sys_close(fd);
		fd = -1;
	}
	return fd;
}

static void read_dir(size_t i, int fd)
{
	static union {
		struct kabi_dirent align;
		char bytes[8192];
	} buf;
	ssize_t n, off;

	while ((n = sys_getdents(fd, buf.bytes, sizeof(buf))) > 0) {
		for (off = 0; off < n; ) {
			const struct kabi_dirent *d = (const void *)(buf.bytes + off);
			const char *path;

			off += d->reclen;
			if ((d->type != KABI_DT_REG && d->type != KABI_DT_DIR)
					|| !strcmp(d->name, ".") || !strcmp(d->name, ".."))
				continue;
			if (M->exclude && (path = path_of((uint32_t)i, d->name)) != NULL
					&& bb_glob_any(M->exclude, path))
				continue;
			add_inode(d->ino);
			if (d->type == KABI_DT_DIR)
				add_dir((uint32_t)i, d->name);
		}
	}
}

/* Makes the filesystem of the directory fd the one to work on: its device is open, its superblock
 * read. */
static bool use_filesystem(int fd)
{
	struct stat st;
	uint32_t type;

	if (sys_fstat(fd, &st) || sys_fs_type(fd, &type)
			|| (type != KABI_EXT_MAGIC && type != KABI_EROFS_MAGIC))
		return false;
	if (!M) {
		M = xalloc(sizeof(*M));
		M->device.fd = -1;
	}
	if (M->device.fd >= 0 && M->dev == st.st_dev)
		return true;
	pc_close(&M->device);
	memset(M->group, 0, sizeof(M->group));
	M->dev = st.st_dev;
	M->gap = pc_seeks(st.st_dev) ? GAP_DISK : GAP_FLASH;
	if (!open_device(&M->device, st.st_dev))
		return false;
	M->type = type;
	if (sys_pread(M->device.fd, M->super, sizeof(M->super), 1024) == (ssize_t)sizeof(M->super))
		return true;
	pc_close(&M->device);
	return false;
}

uint64_t pc_meta_tree(const char *root, const struct llist *exclude, uint64_t most)
{
	size_t i, begin, end;
	bool usable;
	int fd;

	if (sys_euid())
		return 0;
	fd = pc_opendir(AT_FDCWD, root, 0);
	if (fd < 0)
		return 0;
	usable = use_filesystem(fd) && M->type == KABI_EXT_MAGIC && pc_ext_super(M->super, &M->ext);
	if (usable)
		pc_root_set(&M->root, fd, root);
	sys_close(fd);
	if (!usable)
		return 0;
	M->exclude = exclude;
	M->asked = 0;
	M->loading = true;
	M->full = false;
	M->dirs = M->names = M->pieces = 0;
	add_dir(NO_PARENT, root);
	for (begin = 0; begin < M->dirs && M->asked < most; begin = end) {
		end = M->dirs;
		for (i = begin; i < end; i++) {
			fd = open_dir(i);
			if (fd < 0)
				continue;
			add_extents(fd);
			sys_close(fd);
		}
		load_pieces();
		for (i = begin; i < end; i++) {
			fd = open_dir(i);
			if (fd < 0)
				continue;
			read_dir(i, fd);
			sys_close(fd);
		}
		load_pieces();
	}
	return M->asked;
}

/* s_uuid of struct ext4_super_block, uuid of struct erofs_super_block */
static const unsigned char *uuid_of_super(void)
{
	return M->super + (M->type == KABI_EXT_MAGIC ? 0x68 : 0x30);
}

static size_t uuid_text(char text[37], const unsigned char *uuid)
{
	size_t i, n = 0;

	for (i = 0; i < 16; i++)
		n += bb_snprintf(text + n, 37 - n,
			i >= 4 && i <= 10 && i % 2 == 0 ? "-%02x" : "%02x", uuid[i]);
	return n;
}

uint64_t pc_meta_ranges(const char *mount, const char *uuid, size_t len, const char *ranges,
	uint64_t most)
{
	struct pc_range r;
	char text[37];
	bool usable;
	int fd;

	if (sys_euid())
		return 0;
	fd = pc_opendir(AT_FDCWD, mount, 0);
	if (fd < 0)
		return 0;
	usable = use_filesystem(fd);
	sys_close(fd);
	if (!usable || uuid_text(text, uuid_of_super()) != len
			|| memcmp(text, uuid, len))
		return 0;
	M->asked = 0;
	while (M->asked < most && pc_range_next(&ranges, &r) > 0) {
		struct pc_fetch t = { .off = r.off, .len = MIN(r.len, most - M->asked) };

		pc_fetch(&M->device, &t);
		M->asked += t.asked;
	}
	return M->asked;
}

bool pc_meta_begin(int fd, char uuid[37], const char **type)
{
	if (sys_euid() || !use_filesystem(fd)
			|| (M->type == KABI_EXT_MAGIC && !pc_ext_super(M->super, &M->ext)))
		return false;
	M->pieces = 0;
	M->full = M->loading = false;
	uuid_text(uuid, uuid_of_super());
	*type = M->type == KABI_EXT_MAGIC ? "ext4" : "erofs";
	return true;
}

void pc_meta_add(int dirfd, uint64_t ino)
{
	if (M->type != KABI_EXT_MAGIC)
		return;
	add_inode(ino);
	if (dirfd >= 0)
		add_extents(dirfd);
}

/* Adds what is resident of the device, by halves. */
static void add_resident(uint64_t off, uint64_t end)
{
	uint64_t middle = off + (end - off) / 2 / UNIT * UNIT;
	struct pc_pages p;

	if (off == end || pc_query(&M->device, off, end - off, &p) != PC_CACHESTAT || !p.resident)
		return;
	if (p.resident == p.total || middle == off) {
		add_range(off, end - off);
		return;
	}
	add_resident(off, middle);
	add_resident(middle, end);
}

void pc_meta_end(void (*found)(const struct pc_range *r))
{
	if (M->type != KABI_EXT_MAGIC) {
		M->gap = GAP_EROFS;
		add_resident(0, M->device.size);
	}
	each_run(found);
}
