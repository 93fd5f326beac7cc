/* SPDX-License-Identifier: 0BSD */
/* the superblocks and descriptors of ext2/3/4, also those that nobody made for us */
#include "libbb.h"
#include "pc_internal.h"
#include "tap.h"

static unsigned char sb[1024], desc[1024];
static struct pc_ext e;

static void put(unsigned char *at, unsigned off, uint64_t v, unsigned bytes)
{
	while (bytes--) {
		at[off++] = (unsigned char)v;
		v >>= 8;
	}
}

enum {		/* offsets; their sizes in bytes are below */
	INODES = 0, BLOCKS = 4, FIRST = 0x14, LOG_SIZE = 0x18, PER_GROUP = 0x20,
	INODES_PER_GROUP = 0x28, MAGIC = 0x38, REVISION = 0x4c, INODE_SIZE = 0x58,
	INCOMPAT = 0x60, DESC_SIZE = 0xfe, BLOCKS_HIGH = 0x150,
};

static unsigned size_of(unsigned off)
{
	return off == MAGIC || off == INODE_SIZE || off == DESC_SIZE ? 2 : 4;
}

static void set(unsigned off, uint64_t v)
{
	put(sb, off, v, size_of(off));
}

/* As mke2fs makes it on 1 GiB. */
static void good(void)
{
	memset(sb, 0, sizeof(sb));
	set(INODES, 65536);
	set(BLOCKS, 262144);
	set(FIRST, 0);
	set(LOG_SIZE, 2);
	set(PER_GROUP, 32768);
	set(INODES_PER_GROUP, 8192);
	set(MAGIC, 0xef53);
	set(REVISION, 1);
	set(INODE_SIZE, 256);
	set(INCOMPAT, 0x2c2);
	set(DESC_SIZE, 64);
}

static void good_ones(void)
{
	good();
	EQ(pc_ext_super(sb, &e), 1);
	EQ(e.block_size, 4096);
	EQ(e.blocks, 262144);
	EQ(e.groups, 8);
	EQ(e.inodes, 65536);
	EQ(e.inodes_per_group, 8192);
	EQ(e.inode_size, 256);
	EQ(e.desc_size, 64);
	EQ(e.desc_start, 4096);
	tap("64bit");

	set(INCOMPAT, 0x242);
	set(BLOCKS_HIGH, 77);		/* means nothing now */
	EQ(pc_ext_super(sb, &e), 1);
	EQ(e.desc_size, 32);
	EQ(e.blocks, 262144);
	tap("without 64bit");

	good();
	set(REVISION, 0);
	set(INODE_SIZE, 0);
	set(INCOMPAT, 0);
	set(DESC_SIZE, 0);
	EQ(pc_ext_super(sb, &e), 1);
	EQ(e.inode_size, 128);
	EQ(e.desc_size, 32);
	tap("revision 0");

	good();
	set(LOG_SIZE, 0);
	set(FIRST, 1);
	set(PER_GROUP, 8192);
	EQ(pc_ext_super(sb, &e), 1);
	EQ(e.block_size, 1024);
	EQ(e.desc_start, 2048);
	EQ(e.groups, 32);		/* 262143 blocks */
	tap("blocks of 1 KiB");

	good();
	set(BLOCKS_HIGH, 1);
	EQ(pc_ext_super(sb, &e), 1);
	EQ(e.blocks, (1ull << 32) + 262144);
	EQ(e.groups, (1u << 17) + 8);
	tap("more than 2^32 blocks");
}

static void refused(void)
{
	static const struct {
		unsigned off;
		uint64_t v;
	} bad[] = {
		{ MAGIC, 0 }, { MAGIC, 0x53ef }, { INCOMPAT, 0x2d2 }, { LOG_SIZE, 7 },
		{ LOG_SIZE, 32 }, { LOG_SIZE, UINT32_MAX }, { PER_GROUP, 0 },
		{ INODES_PER_GROUP, 0 }, { BLOCKS, 0 }, { FIRST, 262144 }, { FIRST, UINT32_MAX },
		{ INODE_SIZE, 0 }, { INODE_SIZE, 64 }, { INODE_SIZE, 255 }, { INODE_SIZE, 384 },
		{ INODE_SIZE, 8192 }, { INODE_SIZE, 65535 }, { DESC_SIZE, 0 }, { DESC_SIZE, 32 },
		{ DESC_SIZE, 63 }, { DESC_SIZE, 96 }, { DESC_SIZE, 2048 }, { DESC_SIZE, 65535 },
		{ BLOCKS_HIGH, UINT32_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		good();
		set(bad[i].off, bad[i].v);
		CHECK(!pc_ext_super(sb, &e), "offset %#x, value %#llx", bad[i].off,
		      (unsigned long long)bad[i].v);
	}
	memset(sb, 0, sizeof(sb));
	EQ(pc_ext_super(sb, &e), 0);
	memset(sb, 0xff, sizeof(sb));
	EQ(pc_ext_super(sb, &e), 0);
	tap("what nothing can be read from is refused");
}

static void tables(void)
{
	good();
	pc_ext_super(sb, &e);
	memset(desc, 0, sizeof(desc));
	put(desc, 8, 1000, 4);
	EQ(pc_ext_table(&e, desc), 1000 * 4096);
	tap("a table");

	/* 512 blocks long */
	put(desc, 8, 262144 - 512, 4);
	EQ(pc_ext_table(&e, desc), (262144ull - 512) * 4096);
	put(desc, 8, 262144 - 511, 4);
	EQ(pc_ext_table(&e, desc), 0);
	put(desc, 8, 262144, 4);
	EQ(pc_ext_table(&e, desc), 0);
	put(desc, 8, UINT32_MAX, 4);
	EQ(pc_ext_table(&e, desc), 0);
	put(desc, 8, 0, 4);
	EQ(pc_ext_table(&e, desc), 0);
	tap("one that does not end within the filesystem is none");

	put(desc, 8, 1000, 4);
	put(desc, 0x28, 1, 4);
	EQ(pc_ext_table(&e, desc), 0);
	set(BLOCKS_HIGH, 2);
	pc_ext_super(sb, &e);
	EQ(pc_ext_table(&e, desc), ((1ull << 32) + 1000) * 4096);
	set(INCOMPAT, 0x242);
	pc_ext_super(sb, &e);
	EQ(pc_ext_table(&e, desc), 1000 * 4096);
	tap("the high half counts in descriptors of 64 bytes only");
}

/* Numbers from every field at its edges, two at a time. Whatever is taken must hold. */
static void hostile(void)
{
	static const unsigned fields[] = {
		INODES, BLOCKS, FIRST, LOG_SIZE, PER_GROUP, INODES_PER_GROUP, REVISION,
		INODE_SIZE, INCOMPAT, DESC_SIZE, BLOCKS_HIGH,
	};
	static const uint64_t edges[] = {
		0, 1, 2, 6, 0x80, 0x82, 127, 128, 1024, 32767, 32768, 65535, 65536, 0x7fffffff,
		0x80000000, 0xfffffffe, 0xffffffff, 0x1ffff, 0x7fff,
	};
	unsigned taken = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields) * ARRAY_SIZE(fields); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(edges) * ARRAY_SIZE(edges); k++) {
			good();
			set(fields[i / ARRAY_SIZE(fields)], edges[k / ARRAY_SIZE(edges)]);
			set(fields[i % ARRAY_SIZE(fields)], edges[k % ARRAY_SIZE(edges)]);
			if (!pc_ext_super(sb, &e))
				continue;
			taken++;
			CHECK(e.groups && e.blocks, "%zu %zu", i, k);
			CHECK(e.inode_size >= 128 && e.inode_size <= e.block_size, "%zu %zu", i,
			      k);
			CHECK(e.desc_size >= 32 && e.desc_size <= 1024, "%zu %zu", i, k);
			CHECK(e.blocks <= UINT64_MAX / e.block_size, "%zu %zu", i, k);
			/* where the last descriptor is */
			CHECK(e.groups <= (UINT64_MAX - e.desc_start) / e.desc_size, "%zu %zu", i,
			      k);
			for (size_t n = 0; n < ARRAY_SIZE(edges); n++) {
				uint64_t size = (uint64_t)e.inodes_per_group * e.inode_size;
				uint64_t table;

				put(desc, 8, edges[n], 4);
				put(desc, 0x28, edges[ARRAY_SIZE(edges) - 1 - n], 4);
				table = pc_ext_table(&e, desc);
				CHECK(!table || (table <= e.blocks * e.block_size
				      && size <= e.blocks * e.block_size - table), "%zu %zu %zu",
				      i, k, n);
			}
		}
	}
	CHECK(taken > 1000, "only %u were taken at all", taken);
	tap("hostile numbers, two at a time: what is taken lies within the filesystem");
}

int main(void)
{
	good_ones();
	refused();
	tables();
	hostile();
	return tap_end();
}
