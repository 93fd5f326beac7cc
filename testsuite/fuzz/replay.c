/* SPDX-License-Identifier: 0BSD */
/* replay.c - main for compilers without libFuzzer: every file named goes through the target. */
#include "fuzz.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	static uint8_t buf[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");

		if (!f)
			return 1;
		LLVMFuzzerTestOneInput(buf, fread(buf, 1, sizeof(buf), f));
		fclose(f);
	}
	return 0;
}
