/* SPDX-License-Identifier: 0BSD */
/* programs and their libraries. Input: a byte for class and byte order, and whether the rest is the
 * program itself, or three bytes each a change of a good one: where (two), and what. What it is
 * handed out must be files; of failures there is one at most.
 * link: -Wl,--wrap=pc_path_is_foreign,--wrap=pc_type_is_foreign */
#include "fuzz.h"
#include "pc_many.h"
#include "pagecache.h"
#include "../unit/makeelf.h"
#include <sys/mman.h>

enum { PROGRAM = 500, LIBRARY = 501 };	/* descriptors */

static unsigned files, failures;

/* So that what is in /proc and in memory is looked at. */
bool __wrap_pc_path_is_foreign(const char *path);
bool __wrap_pc_path_is_foreign(const char *path UNUSED_PARAM)
{
	return false;
}

bool __wrap_pc_type_is_foreign(uint32_t type);
bool __wrap_pc_type_is_foreign(uint32_t type UNUSED_PARAM)
{
	return false;
}

static void found(const char *path, const char *ranges UNUSED_PARAM)
{
	HOLDS(*path);
	files++;
}

static void missing(const char *path, const char *name)
{
	HOLDS(*path && name);
	failures++;
}

static void error(const char *path, int err)
{
	HOLDS(*path && err);
	failures++;
}

static void put(int fd, const void *data, size_t size)
{
	HOLDS(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pc_loader l = { .path = "/proc/self/fd", .library_path = "/proc/self/fd",
		.platform = "p", .found = found, .missing = missing, .error = error };
	unsigned how = fuzz_byte(&data, &size);
	struct elf_plan e = { .wide = how & 1, .big = how & 2, .machine = 99, .runpath =
		"$ORIGIN/fd:${LIB}:$PLATFORM", .needed = "/proc/self/fd/501 501 502",
		.interp = how & 4 ? "/proc/self/fd/501" : "/lib/ld-musl-x.so.1" };
	static unsigned char elf[ELF_SIZE];

	if (fcntl(PROGRAM, F_GETFD) < 0)
		HOLDS(dup2(memfd_create("p", 0), PROGRAM) == PROGRAM
			&& dup2(memfd_create("l", 0), LIBRARY) == LIBRARY);
	elf_make(elf, &e);
	put(LIBRARY, elf, sizeof(elf));
	for (; !(how & 8) && size >= 3; data += 3, size -= 3)
		elf[(data[0] | data[1] << 8) % ELF_SIZE] = data[2];
	if (how & 8)
		put(PROGRAM, data, size);
	else
		put(PROGRAM, elf, sizeof(elf));
	files = failures = 0;
	pc_libraries(&l, "/proc/self/fd/500");
	/* a script's interpreter counts as a program of its own */
	HOLDS(files && failures <= 10);
	HOLDS(how & 8 || failures <= 1);
	return 0;
}
