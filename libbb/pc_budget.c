/* SPDX-License-Identifier: 0BSD */
/* pc_budget.c - how much memory may be filled without pushing out what is in use. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* The number in a line "NAME", behind, blanks, N. */
static bool value(const char *text, const char *name, char behind, uint64_t *n)
{
	size_t len = strlen(name);

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, len) || text[len] != behind)
			continue;
		text += len + 1;
		while (*text == ' ')
			text++;
		return !bb_parse_u64(&text, n);
	}
	return false;
}

/* The bytes in a line "NAME:   N kB". */
static bool meminfo_value(const char *text, const char *name, uint64_t *bytes)
{
	if (!value(text, name, ':', bytes) || *bytes > UINT64_MAX >> 10)
		return false;
	*bytes <<= 10;
	return true;
}

bool pc_meminfo(const char *text, uint64_t *bytes)
{
	uint64_t cached;

	if (meminfo_value(text, "MemAvailable", bytes))
		return true;
	if (!meminfo_value(text, "MemFree", bytes) || !meminfo_value(text, "Cached", &cached))
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
 * of what is mounted; then the mount's own root counts. If cached is not NULL: what of files is in
 * memory, of the innermost that tells. */
static void lower_to_cgroup(uint64_t *bytes, uint64_t *cached)
{
	static const struct {
		const char *mark, *base, *file, *cached;
	} kinds[] = {
		{ ":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "total_cache" },
		{ "0::", "/sys/fs/cgroup", "memory.max", "file" },
		{ "0::", "/sys/fs/cgroup/unified", "memory.max", "file" },
	};
	static char stat[8192];
	char text[4096], name[4096 + 12];
	size_t i;

	if (pc_system_read("/proc/self/cgroup", text, sizeof(text)) < 0)
		text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *path = bb_strstr(text, kinds[i].mark);
		size_t len = 0;

		if (path) {
			path += strlen(kinds[i].mark);
			len = strcspn(path, "\n");
		}
		for (;;) {
			bb_snprintf(name, 4096, "%s%.*s/%s", kinds[i].base, (int)len,
				path ? path : "", kinds[i].file);
			lower_to(name, bytes);
			memcpy(strrchr(name, '/') + 1, "memory.stat", 12);
			if (ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM && cached
					&& pc_system_read(name, stat, sizeof(stat)) > 0
					&& value(stat, kinds[i].cached, ' ', cached))
				cached = NULL;
			if (!len)
				break;
			do
				len--;
			while (len && path[len] != '/');
		}
	}
}

static char meminfo[4096];

uint64_t pc_budget(unsigned percent)
{
	uint64_t bytes, buffers;

	if (pc_system_read("/proc/meminfo", meminfo, sizeof(meminfo)) <= 0
			|| !pc_meminfo(meminfo, &bytes)) {
		if (sys_memory(&bytes, &buffers))
			return UINT64_MAX;
		bytes += buffers / 2;
	}
	if (ENABLE_FEATURE_CGROUP_LIMITS)
		lower_to_cgroup(&bytes, NULL);
	return bytes / 100 * percent;
}

#if ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM
void pc_system(void (*found)(const char *name, uint64_t bytes))
{
	const char *name = "Cached\0Buffers\0Active(file)\0Inactive(file)\0Dirty\0Writeback\0"
		"Mapped\0Shmem\0MemAvailable\0";
	uint64_t bytes, limit = UINT64_MAX, cached = UINT64_MAX;

	if (pc_system_read("/proc/meminfo", meminfo, sizeof(meminfo)) <= 0)
		meminfo[0] = '\0';
	for (; *name; name += strlen(name) + 1)
		if (meminfo_value(meminfo, name, &bytes))
			found(name, bytes);
	if (ENABLE_FEATURE_CGROUP_LIMITS)
		lower_to_cgroup(&limit, &cached);
	if (cached != UINT64_MAX)
		found("CgroupCached", cached);
	/* without one, version 1 says 2^63 less a page */
	if (limit < INT64_MAX / 2)
		found("CgroupLimit", limit);
}
#endif
