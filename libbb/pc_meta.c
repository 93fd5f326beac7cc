/* SPDX-License-Identifier: 0BSD */
/* pc_meta.c - the metadata of a tree first. For small files it costs more than the data: each
 * cold open reads an inode table block and perhaps a directory block, one after the other.
 *
 * ext2/3/4 keep both in the page cache of their block device, where readahead(2) can put them
 * beforehand. The tree is gone through level by level: the inode tables of the directories, the
 * directories' blocks (FIEMAP), then the entries, whose inode numbers give the inode tables of
 * the files and of the next level. Inode tables alone gain nothing. */

#include <endian.h>
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

static struct pc_file device;
static dev_t dev;		/* the filesystem's; 0: nothing is open */
static bool erofs;		/* else ext */
static unsigned char super[1024];
static struct pc_ext ext;	/* inodes 0: not to be had */
static uint32_t known_group;	/* looked at last, and */
static uint64_t known_table;	/* where its inodes are; 0: nowhere, or none was looked at */

static uint64_t asked;		/* bytes */
static bool loading;		/* pieces may be loaded when they become many */
static bool full;
static unsigned gap;

/* What is not used of these takes no memory. */
static uint64_t piece[PIECES];
static struct dir {
	uint32_t parent, name;	/* indices into dir[] and names[] */
} dir[DIRS];
static char names[NAMES], path[65536];
static uint32_t pieces, dirs, names_len;

static const struct llist *excluded;
static struct pc_root root;

static uint32_t le32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint32_t le16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

/* Offsets are those of struct ext4_super_block, fs/ext4/ext4.h. */
bool pc_ext_super(const unsigned char *sb, struct pc_ext *e)
{
	enum { INCOMPAT_META_BG = 0x10, INCOMPAT_64BIT = 0x80 };
	uint32_t incompat = le32(sb + 0x60), log_block_size = le32(sb + 0x18);
	uint32_t blocks_per_group = le32(sb + 0x20), first_block = le32(sb + 0x14);
	bool wide = incompat & INCOMPAT_64BIT;

	/* with meta_bg the descriptors are not in one place */
	if (le16(sb + 0x38) != 0xef53 || (incompat & INCOMPAT_META_BG) || log_block_size > 6)
		return false;
	e->block_size = 1024u << log_block_size;
	e->blocks = le32(sb + 4) | (wide ? (uint64_t)le32(sb + 0x150) << 32 : 0);
	e->inodes = le32(sb);
	e->inodes_per_group = le32(sb + 0x28);
	e->inode_size = le32(sb + 0x4c) ? le16(sb + 0x58) : 128;	/* revision 0 */
	e->desc_size = wide ? le16(sb + 0xfe) : 32;
	if (!blocks_per_group || !e->inodes_per_group || first_block >= e->blocks
			|| e->blocks >> 47
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
	uint64_t block = le32(desc + 8), size = (uint64_t)e->inodes_per_group * e->inode_size;

	if (e->desc_size >= 64)
		block |= (uint64_t)le32(desc + 0x28) << 32;
	if (block >= e->blocks || size > (e->blocks - block) * e->block_size)
		return 0;
	return block * e->block_size;
}

/* Opens a block device by its node in /dev, which sysfs names, or where there is none (an
 * initramfs before its mdev) by a node of our own that is gone at once. */
static bool open_device(dev_t number)
{
	static const char places[] = "/dev\0/run\0/tmp\0";	/* the last is "" */
	const char *place = places;
	char buf[1024];
	char *name;

	if (!major(number))	/* erofs from a file */
		return false;
	bb_snprintf(buf, sizeof(buf), "/sys/dev/block/%u:%u/uevent", major(number), minor(number));
	name = pc_system_read(buf, buf, sizeof(buf)) > 0 ? bb_strstr(buf, "DEVNAME=") : NULL;
	if (name) {
		/* over the end of the key: "/dev/NAME" */
		name = memcpy(name + 3, "/dev/", 5);
		*bb_strchrnul(name, '\n') = '\0';
		if (pc_open_device(&device, name, number))
			return true;
	}
	do {
		const char *node = buf;
		int dirfd = pc_system_dir(&node);
		bool opened;

		bb_snprintf(buf, sizeof(buf), "%s/.warmbox-%d", place, sys_getpid());
		place += strlen(place) + 1;
		if (sys_mknod_block(dirfd, node, number))
			continue;
		opened = pc_open_device(&device, buf, number);
		sys_unlink(dirfd, node);
		if (opened)
			return true;
	} while (place < places + sizeof(places));
	return false;
}

/* Sorts what was collected, each piece once. */
static void compact_pieces(void)
{
	uint32_t i, n = 0;

	bb_sort(piece, pieces, sizeof(piece[0]), pc_compare);
	for (i = 0; i < pieces; i++)
		if (!n || piece[n - 1] != piece[i])
			piece[n++] = piece[i];
	pieces = n;
}

static void each_run(void (*found)(const struct pc_range *r))
{
	struct pc_range r;
	uint32_t i, first;

	compact_pieces();
	for (first = i = 0; i < pieces; i++) {
		if (i + 1 < pieces && piece[i + 1] - piece[i] <= gap + 1)
			continue;
		r.off = piece[first] * UNIT;
		r.len = (piece[i] + 1) * UNIT - r.off;
		found(&r);
		first = i + 1;
	}
	pieces = 0;
}

static void load_run(const struct pc_range *r)
{
	struct pc_fetch t = { .range = *r };

	pc_fetch(&device, &t);
	asked += t.asked;
}

static void add_range(uint64_t byte, uint64_t len)
{
	uint64_t p, last;

	if (len - 1 >= device.size || byte > device.size - len)
		return;
	last = (byte + len - 1) / UNIT;
	for (p = byte / UNIT; p <= last; p++) {
		if (pieces && piece[pieces - 1] == p)
			continue;
		if (pieces == PIECES) {
			compact_pieces();
			full = pieces > PIECES / 8 * 7;
			/* half a gigabyte of metadata: load it now, or leave the rest out */
			if (full && loading) {
				each_run(load_run);
				full = false;
			}
		}
		if (full)
			return;
		piece[pieces++] = p;
	}
}

static bool read_device(void *buf, size_t len, uint64_t off)
{
	return sys_pread(device.fd, buf, len, off) == (ssize_t)len;
}

/* The block of attributes of the inode at this byte: i_file_acl of struct ext4_inode. FIEMAP would
 * not tell of it where there are attributes in the inode too. */
static void add_attributes(uint64_t byte)
{
	unsigned char inode[0x78];
	uint64_t block;

	if (!read_device(inode, sizeof(inode), byte))
		return;
	block = le32(inode + 0x68);
	if (ext.desc_size >= 64)
		block |= (uint64_t)le16(inode + 0x76) << 32;
	if (block && block < ext.blocks)
		add_range(block * ext.block_size, ext.block_size);
}

static void add_inode(uint64_t ino)
{
	unsigned char desc[64];		/* of 32 to 1024 bytes, these matter */
	uint32_t index = (uint32_t)(ino - 1), group;
	uint64_t byte;

	if (ino - 1 >= ext.inodes)
		return;
	group = index / ext.inodes_per_group;
	if (group >= ext.groups)
		return;
	/* neighbours follow each other, mostly */
	if (!known_table || known_group != group) {
		if (!read_device(desc, sizeof(desc), ext.desc_start
				+ (uint64_t)group * ext.desc_size))
			return;
		known_group = group;
		known_table = pc_ext_table(&ext, desc);
		if (!known_table)
			return;
	}
	byte = known_table + (uint64_t)(index % ext.inodes_per_group) * ext.inode_size;
	add_range(byte, ext.inode_size);
	if (!loading)	/* then it is not there yet */
		add_attributes(byte);
}

static void add_extents(int fd)
{
	struct kabi_extent e[32];
	uint64_t off, end = 0;
	int i, n;

	do {
		off = end;
		n = sys_fiemap(fd, off, e, ARRAY_SIZE(e));
		for (i = 0; i < n; i++) {
			end = e[i].logical + e[i].length;
			if (!(e[i].flags & (KABI_EXTENT_UNKNOWN | KABI_EXTENT_INLINE)))
				add_range(e[i].physical, e[i].length);
			if (e[i].flags & KABI_EXTENT_LAST)
				return;
		}
	} while (end > off);
}

/* A path, built backwards from its end; NULL: too long. */
static const char *path_of(uint32_t parent, const char *name)
{
	char *p = path + sizeof(path) - 1;

	for (;;) {
		size_t len = strlen(name);

		if (len + 1 > (size_t)(p - path))
			return NULL;
		p -= len;
		memcpy(p, name, len);
		if (parent == NO_PARENT)
			return p;
		name = names + dir[parent].name;
		if (*name && name[strlen(name) - 1] != '/')
			*--p = '/';
		parent = dir[parent].parent;
	}
}

static void add_dir(uint32_t parent, const char *name)
{
	size_t len = strlen(name) + 1;

	/* what does not fit is opened without help */
	if (dirs == DIRS || len > NAMES - names_len)
		return;
	memcpy(names + names_len, name, len);
	dir[dirs++] = (struct dir){ parent, names_len };
	names_len += (uint32_t)len;
}

static int open_dir(uint32_t i)
{
	const char *name = path_of(dir[i].parent, names + dir[i].name);
	struct stat st;
	int fd;

	if (!name || (i && pc_root_mount(&root, name)))	/* another filesystem */
		return -1;
	fd = pc_opendir(AT_FDCWD, name, i ? O_NOFOLLOW : 0);
	if (fd >= 0 && (sys_fstat(fd, &st) || st.st_dev != dev)) {
		sys_close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static void read_dir(uint32_t i, int fd)
{
	static union {
		struct kabi_dirent align;
		char bytes[8192];
	} buf;
	ssize_t n;
	const char *at, *name;

	while ((n = sys_getdents(fd, buf.bytes, sizeof(buf))) > 0) {
		for (at = buf.bytes; at < buf.bytes + n; ) {
			const struct kabi_dirent *d = (const void *)at;

			at += d->reclen;
			if ((d->type != KABI_DT_REG && d->type != KABI_DT_DIR)
					|| is_dots(d->name))
				continue;
			if (excluded && (name = path_of(i, d->name)) != NULL
					&& bb_glob_any(excluded, name))
				continue;
			add_inode(d->ino);
			if (d->type == KABI_DT_DIR)
				add_dir(i, d->name);
		}
	}
}

/* Makes the filesystem of the directory fd the one to work on: its device is open, its superblock
 * read. */
static bool use_filesystem(int fd)
{
	struct stat st;
	uint32_t type;

	if (sys_euid() || sys_fstat(fd, &st) || sys_fs_type(fd, &type)
			|| (type != KABI_EXT_MAGIC && type != KABI_EROFS_MAGIC))
		return false;
	full = loading = false;
	pieces = 0;
	asked = 0;
	if (dev == st.st_dev)
		return true;
	if (dev)
		pc_close(&device);
	dev = 0;
	if (!open_device(st.st_dev))
		return false;
	if (!read_device(super, sizeof(super), 1024)) {
		pc_close(&device);
		return false;
	}
	dev = st.st_dev;
	gap = pc_seeks(dev) ? GAP_DISK : GAP_FLASH;
	erofs = type == KABI_EROFS_MAGIC;
	if (erofs || !pc_ext_super(super, &ext))
		ext.inodes = 0;
	known_table = 0;
	return true;
}

/* The same by its name. */
static bool use_path(const char *name)
{
	int fd = pc_opendir(AT_FDCWD, name, 0);
	bool usable;

	if (fd < 0)
		return false;
	usable = use_filesystem(fd);
	pc_root_set(&root, fd, name);
	sys_close(fd);
	return usable;
}

uint64_t pc_meta_tree(const char *name, const struct llist *exclude, uint64_t most)
{
	uint32_t i, begin, end;
	int pass, fd;

	if (!use_path(name) || !ext.inodes)
		return 0;
	excluded = exclude;
	loading = true;
	dirs = names_len = 0;
	add_dir(NO_PARENT, name);
	for (begin = 0; begin < dirs && asked < most; begin = end) {
		end = dirs;
		for (pass = 0; pass < 2; pass++) {
			for (i = begin; i < end; i++) {
				fd = open_dir(i);
				if (fd < 0)
					continue;
				if (pass)
					read_dir(i, fd);
				else
					add_extents(fd);
				sys_close(fd);
			}
			each_run(load_run);
		}
	}
	return asked;
}

/* The text of s_uuid of struct ext4_super_block, or uuid of struct erofs_super_block */
static void put_uuid(char text[37])
{
	const unsigned char *uuid = super + (erofs ? 0x30 : 0x68);
	int i;

	for (i = 0; i < 16; i++) {
		if (i >= 4 && i <= 10 && i % 2 == 0)
			*text++ = '-';
		text += bb_snprintf(text, 3, "%02x", uuid[i]);
	}
}

uint64_t pc_meta_ranges(const char *mount, const char *uuid, const char *ranges, uint64_t most)
{
	struct pc_range r;
	char text[37];

	if (!use_path(mount))
		return 0;
	put_uuid(text);
	if (strcmp(text, uuid))
		return 0;
	while (asked < most && pc_range_next(&ranges, &r) > 0) {
		r.len = MIN(r.len, most - asked);
		load_run(&r);
	}
	return asked;
}

bool pc_meta_begin(int fd, char words[56])
{
	if (!use_filesystem(fd) || !(erofs || ext.inodes))
		return false;
	put_uuid(words + bb_snprintf(words, 56, "type=%s uuid=", erofs ? "erofs" : "ext4"));
	return true;
}

void pc_meta_add(int dirfd, uint64_t ino)
{
	if (!ext.inodes)
		return;
	add_inode(ino);
	if (dirfd >= 0)
		add_extents(dirfd);
}

void pc_meta_end(void (*found)(const struct pc_range *r))
{
	struct pc_pages p;
	uint64_t off;

	if (erofs) {
		gap = GAP_EROFS;
		/* a quarter of a second for 3 GB */
		for (off = 0; off < device.size; off += UNIT) {
			pc_query(&device, off, UNIT, &p);
			if (p.resident)
				add_range(off, MIN(UNIT, device.size - off));
		}
	}
	each_run(found);
}
