/* SPDX-License-Identifier: 0BSD */
/* the superblock of ext2/3/4, and a group descriptor. Input: changes of a good superblock, three
 * bytes each: where (two), and what; the descriptor is the last 64 bytes. */
#include "fuzz.h"
#include "pc_internal.h"

static unsigned char sb[1024];

static void put(unsigned off, uint32_t v, unsigned bytes)
{
	while (bytes--) {
		sb[off++] = (unsigned char)v;
		v >>= 8;
	}
}

/* As mke2fs makes it on 100 MiB. */
static void good(void)
{
	memset(sb, 0, sizeof(sb));
	put(0, 25600, 4);	/* inodes */
	put(4, 102400, 4);	/* blocks */
	put(20, 1, 4);		/* first data block */
	put(24, 0, 4);		/* log2(block size) - 10 */
	put(32, 8192, 4);	/* blocks per group */
	put(40, 1976, 4);	/* inodes per group */
	put(56, 0xef53, 2);
	put(76, 1, 4);		/* revision */
	put(88, 256, 2);	/* inode size */
	put(96, 0x2c2, 4);	/* incompat: filetype, extents, 64bit, flex_bg */
	put(254, 64, 2);	/* descriptor size */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *desc = calloc(1, 64);
	struct pc_ext e;

	good();
	while (size >= 3) {
		unsigned off = fuzz_byte(&data, &size);

		off |= fuzz_byte(&data, &size) << 8;
		sb[off % 1024] = (unsigned char)fuzz_byte(&data, &size);
		if (size <= 64)
			memcpy(desc, data, size);
	}
	if (pc_ext_super(sb, &e)) {
		uint64_t table;

		HOLDS(e.block_size >= 1024 && e.block_size <= 65536);
		HOLDS(!(e.block_size & (e.block_size - 1)));
		HOLDS(e.inodes_per_group && e.inode_size >= 128 && e.inode_size <= e.block_size);
		HOLDS(e.desc_size >= 32 && e.desc_size <= 1024);
		HOLDS(e.groups && e.blocks <= UINT64_MAX / e.block_size);
		desc = realloc(desc, e.desc_size);
		if (e.desc_size > 64)
			memset(desc + 64, 0xa5, e.desc_size - 64);
		table = pc_ext_table(&e, desc);
		HOLDS(table % e.block_size == 0 && table < e.blocks * e.block_size);
	}
	free(desc);
	return 0;
}
