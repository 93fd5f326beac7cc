/* SPDX-License-Identifier: 0BSD */
/* fuzz.h - what the fuzz targets share. A target is one file NAME.c with LLVMFuzzerTestOneInput,
 * and NAME.seeds, an input a line, as printf %b reads it; inputs that are no text are files in
 * corpus/NAME/. */
#ifndef FUZZ_H
#define FUZZ_H

#include "libbb.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold. */
#define HOLDS(cond) do { if (!(cond)) abort(); } while (0)

/* The input as a string of its own, for ASan to see its end. To be freed. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *s = malloc(size + 1);

	memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

/* The next byte of the input, 0 behind its end. */
static inline unsigned fuzz_byte(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

/* Calls fn(arg). Returns the status when it ended the process with one, -1 when it returned. What
 * it says on stderr must be whole lines; it is not shown. */
int fuzz_call(void (*fn)(void *), void *arg);

/* What read(2) of descriptor FUZZ_FD gives: at most step bytes at a time. */
enum { FUZZ_FD = 1000 };
void fuzz_input(const void *data, size_t size, size_t step);
size_t fuzz_input_left(void);

#endif
