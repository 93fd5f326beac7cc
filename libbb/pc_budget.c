/* SPDX-License-Identifier: 0BSD */
/* pc_budget.c - how much memory may be filled without pushing out what is in use. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* The bytes in a line "NAME:   N kB". */
static bool meminfo_value(const char *text, const char *name, uint64_t *bytes)
{
	text = bb_strstr(text, name);
	if (!text)
		return false;
	text += strlen(name);
	while (*text == ' ')
		text++;
	if (bb_parse_u64(&text, bytes) || *bytes > UINT64_MAX >> 10)
		return false;
	*bytes <<= 10;
	return true;
}

bool pc_meminfo(const char *text, uint64_t *bytes)
{
	uint64_t cached;

	if (meminfo_value(text, "MemAvailable:", bytes))
		return true;
	/* not SwapCached */
	if (!meminfo_value(text, "MemFree:", bytes) || !meminfo_value(text, "\nCached:", &cached))
		return false;
	*bytes += cached / 2;
	return true;
}

/* Lowers *bytes to the limit in a file; a word ("max") or a huge number is no limit. */
static void lower_to(const char *name, uint64_t *bytes)
{
	char buf[32];
	const char *p = buf;
	uint64_t limit;

	if (pc_system_read(name, buf, sizeof(buf)) > 0 && !bb_parse_u64(&p, &limit))
		*bytes = MIN(*bytes, limit);
}

/* The limits of our memory cgroup and of all above it. In a container the path may lie outside
 * of what is mounted; then the mount's own root counts. */
static void lower_to_cgroup(uint64_t *bytes)
{
	static const struct {
		const char *mark, *base, *file;
	} kinds[] = {
		{ ":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes" },
		{ "0::", "/sys/fs/cgroup", "memory.max" },
		{ "0::", "/sys/fs/cgroup/unified", "memory.max" },
	};
	char text[4096], name[4096];
	size_t i;

	if (pc_system_read("/proc/self/cgroup", text, sizeof(text)) < 0)
		text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *path = bb_strstr(text, kinds[i].mark);
		size_t len = 0;

		if (path) {
			path += strlen(kinds[i].mark);
			len = (size_t)(bb_strchrnul(path, '\n') - path);
		}
		for (;;) {
			bb_snprintf(name, sizeof(name), "%s%.*s/%s", kinds[i].base, (int)len,
				path ? path : "", kinds[i].file);
			lower_to(name, bytes);
			if (!len)
				break;
			do
				len--;
			while (len && path[len] != '/');
		}
	}
}

uint64_t pc_budget(unsigned percent)
{
	static char text[4096];
	uint64_t bytes, buffers;

	if (pc_system_read("/proc/meminfo", text, sizeof(text)) <= 0 || !pc_meminfo(text, &bytes)) {
		if (sys_memory(&bytes, &buffers))
			return UINT64_MAX;
		bytes += buffers / 2;
	}
	if (ENABLE_FEATURE_CGROUP_LIMITS)
		lower_to_cgroup(&bytes);
	return bytes / 100 * percent;
}
