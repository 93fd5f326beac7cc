/* SPDX-License-Identifier: 0BSD */
/* pc_budget.c - how much memory may be filled without pushing out what is in use. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* The number in a line "NAME N" or "NAME:   N". */
static bool value(const char *text, const char *name, uint64_t *n)
{
	const char *p;

	for (; *text; text = bb_strchrnul(text, '\n'), text += *text == '\n') {
		p = is_prefixed_with(text, name);
		if (!p || (*p != ':' && *p != ' '))
			continue;
		while (*++p == ' ')
			;
		return !bb_parse_u64(&p, n);
	}
	return false;
}

/* The bytes in a line "NAME:   N kB". */
static bool meminfo_value(const char *text, const char *name, uint64_t *bytes)
{
	if (!value(text, name, bytes) || *bytes > UINT64_MAX >> 10)
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

static char text[8192];		/* of the file that is looked at */

/* The limits of our memory cgroup and of all above it: lowers *bytes to them. A word ("max") or a
 * huge number is no limit. In a container the path may lie outside of what is mounted; then the
 * mount's own root counts. If cached is not NULL: what of files is in memory, of the innermost that
 * tells. */
static void lower_to_cgroup(uint64_t *bytes, uint64_t *cached)
{
	static char cgroup[4096], name[4096 + 12];
	int i;

	if (pc_system_read("/proc/self/cgroup", cgroup, sizeof(cgroup)) < 0)
		cgroup[0] = '\0';
	/* version 1, version 2, and that beside version 1 */
	for (i = 0; i < 3; i++) {
		const char *mark = i ? "0::" : ":memory:";
		const char *path = bb_strstr(cgroup, mark);
		size_t len;

		path = path ? path + strlen(mark) : "";
		len = (size_t)(bb_strchrnul(path, '\n') - path);
		for (;;) {
			const char *p = text;
			uint64_t limit;

			bb_snprintf(name, 4096, "/sys/fs/cgroup%s%.*s/memory.%s",
				i > 1 ? "/unified" : i ? "" : "/memory", (int)len,
				path, i ? "max" : "limit_in_bytes");
			if (pc_system_read(name, text, 32) > 0 && !bb_parse_u64(&p, &limit))
				*bytes = MIN(*bytes, limit);
			memcpy(strrchr(name, '/') + 1, "memory.stat", 12);
			if (ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM && cached
					&& pc_system_read(name, text, sizeof(text)) > 0
					&& value(text, i ? "file" : "total_cache", cached))
				cached = NULL;
			if (!len)
				break;
			do
				len--;
			while (len && path[len] != '/');
		}
	}
}

static int read_meminfo(void)
{
	return (int)pc_system_read("/proc/meminfo", text, 4096);
}

uint64_t pc_budget(unsigned percent)
{
	uint64_t bytes, buffers = 0;	/* gcc sees it used otherwise */

	if (read_meminfo() <= 0 || !pc_meminfo(text, &bytes)) {
		if (sys_memory(&bytes, &buffers))
			return UINT64_MAX;
		bytes += buffers / 2;
	}
	if (ENABLE_FEATURE_CGROUP_LIMITS)
		lower_to_cgroup(&bytes, NULL);
	return bytes / 100 * percent;
}

#if ENABLE_FEATURE_PAGECACHE_STAT_SYSTEM
int pc_system(void (*found)(const char *name, uint64_t bytes))
{
	const char *name = "Cached\0Buffers\0Active(file)\0Inactive(file)\0Dirty\0Writeback\0"
		"Mapped\0Shmem\0MemAvailable\0";
	uint64_t bytes, limit = UINT64_MAX, cached = UINT64_MAX;
	int r = read_meminfo();

	if (r > 0)
		for (; *name; name += strlen(name) + 1)
			if (meminfo_value(text, name, &bytes))
				found(name, bytes);
	if (ENABLE_FEATURE_CGROUP_LIMITS)
		lower_to_cgroup(&limit, &cached);
	if (cached != UINT64_MAX)
		found("CgroupCached", cached);
	/* without one, version 1 says 2^63 less a page */
	if (limit < INT64_MAX / 2)
		found("CgroupLimit", limit);
	return MIN(r, 0);
}
#endif
