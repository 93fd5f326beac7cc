/* SPDX-License-Identifier: 0BSD */
/* makeelf.h - small ELF files of either class and byte order, for the tests and the fuzzer */
#ifndef MAKEELF_H
#define MAKEELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ELF_SIZE = 1536, ELF_DYNAMIC = 512, ELF_STRINGS = 1024, ELF_BASE = 0x10000 };

struct elf_plan {
	bool wide, big;		/* 64 bits; most significant byte first */
	unsigned machine;
	const char *interp, *soname, *rpath, *runpath;	/* NULL: none */
	const char *needed;	/* separated by blanks */
};

static inline void elf_put(unsigned char *at, const struct elf_plan *e, unsigned bytes, uint64_t v)
{
	for (unsigned i = 0; i < bytes; i++) {
		at[e->big ? bytes - 1 - i : i] = (unsigned char)v;
		v >>= 8;
	}
}

/* Places: the header, from 64 on program headers, then the dynamic section, then the strings. What
 * is loaded at ELF_BASE begins at byte 128. */
static inline void elf_segment(unsigned char *elf, const struct elf_plan *e, unsigned nth,
	unsigned type, uint64_t off, uint64_t size)
{
	unsigned w = e->wide ? 8 : 4;
	unsigned char *p = elf + 64 + nth * (e->wide ? 56 : 32);

	elf_put(p, e, 4, type);
	elf_put(p + w, e, w, off);
	elf_put(p + 2 * w, e, w, ELF_BASE + off - 128);
	elf_put(p + 4 * w, e, w, size);
}

static inline void elf_make(unsigned char elf[ELF_SIZE], const struct elf_plan *e)
{
	unsigned w = e->wide ? 8 : 4;
	unsigned char *d = elf + ELF_DYNAMIC;
	char *s = (char *)elf + ELF_STRINGS + 1;
	const char *texts[] = { e->interp, e->soname, e->rpath, e->runpath };
	static const unsigned tags[] = { 3, 14, 15, 29 };	/* the first is no entry */
	const char *n = e->needed ? e->needed : "";

	memset(elf, 0, ELF_SIZE);
	memcpy(elf, "\177ELF", 4);
	elf[4] = e->wide ? 2 : 1;
	elf[5] = e->big ? 2 : 1;
	elf[6] = 1;
	elf_put(elf + 16, e, 2, 3);
	elf_put(elf + 18, e, 2, e->machine);
	elf_put(elf + 24 + w, e, w, 64);
	elf_put(elf + 30 + 3 * w, e, 2, e->wide ? 56 : 32);
	elf_put(elf + 32 + 3 * w, e, 2, e->interp ? 3 : 2);
	elf_segment(elf, e, 0, 1, 128, ELF_SIZE - 128);
	elf_segment(elf, e, 1, 2, ELF_DYNAMIC, ELF_STRINGS - ELF_DYNAMIC);
	while (*n) {
		size_t len = strcspn(n, " ");

		elf_put(d, e, w, 1);
		elf_put(d + w, e, w, (uint64_t)(s - (char *)elf - ELF_STRINGS));
		d += 2 * w;
		memcpy(s, n, len);
		s += len + 1;
		n += len + (n[len] == ' ');
	}
	for (unsigned i = 0; i < 4; i++) {
		uint64_t off = (uint64_t)(s - (char *)elf);

		if (!texts[i])
			continue;
		if (i) {
			elf_put(d, e, w, tags[i]);
			elf_put(d + w, e, w, off - ELF_STRINGS);
			d += 2 * w;
		} else {
			elf_segment(elf, e, 2, tags[i], off, strlen(texts[i]) + 1);
		}
		strcpy(s, texts[i]);
		s += strlen(s) + 1;
	}
	elf_put(d, e, w, 5);
	elf_put(d + w, e, w, ELF_BASE + ELF_STRINGS - 128);
}

#endif
