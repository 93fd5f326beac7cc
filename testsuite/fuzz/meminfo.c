/* SPDX-License-Identifier: 0BSD */
/* the text of /proc/meminfo */
#include "fuzz.h"
#include "pc_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	uint64_t bytes = 12345;

	if (pc_meminfo(text, &bytes))
		HOLDS(bytes != 12345);	/* whole KiB, or half of them */
	free(text);
	return 0;
}
