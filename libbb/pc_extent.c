/* SPDX-License-Identifier: 0BSD */
/* pc_extent.c - where a file's data lies on the device, by FIEMAP. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

uint64_t pc_physical(int fd, uint64_t off)
{
	struct kabi_extent e;

	if (sys_fiemap(fd, off, &e, 1) != 1
			|| (e.flags & (KABI_EXTENT_UNKNOWN | KABI_EXTENT_INLINE)))
		return UINT64_MAX;
	return e.physical + (off > e.logical ? off - e.logical : 0);
}

int pc_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}
