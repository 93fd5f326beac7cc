/* SPDX-License-Identifier: 0BSD */
/* a line of /proc/self/mountinfo */
#include "fuzz.h"
#include "pc_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = fuzz_string(data, size);
	struct pc_mount m;

	if (pc_mount_line(line, &m)) {
		HOLDS(m.point > line && m.point < line + size && *m.point == '/');
		HOLDS(m.type > m.point && m.type <= line + size);
		HOLDS(m.type + strlen(m.type) <= line + size && !strchr(m.type, ' '));
		HOLDS(strchr("ws/", pc_mount_kind(&m)));
	}
	free(line);
	return 0;
}
