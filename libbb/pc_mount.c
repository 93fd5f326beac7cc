/* SPDX-License-Identifier: 0BSD */
/* pc_mount.c - mounts better not touched, told from /proc/self/mountinfo: looking anything up
 * below a stopped FUSE daemon or a dead server hangs, even fstat. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* Types of filesystems that wait for somebody else. "fuse" stands for "fuse.anything" too. */
static const char waiting_types[] = "nfs\0nfs4\0cifs\0smb3\0smbfs\0ceph\09p\0afs\0coda\0ncpfs\0"
	"lustre\0beegfs\0orangefs\0autofs\0fuse\0fuseblk\0";

bool pc_fs_is_special(uint32_t type)
{
	static const uint32_t special[] = {
		KABI_PROC_MAGIC, 0x62656572 /* sysfs */, 0x27e0eb /* cgroup */,
		0x63677270 /* cgroup2 */, 0x64626720 /* debugfs */, 0x74726163 /* tracefs */,
		0x73636673 /* securityfs */, 0x1cd1 /* devpts */, 0xcafe4a11 /* bpf */,
		0x6165676c /* pstore */, 0x62656570 /* configfs */, 0xf97cff8c /* selinuxfs */,
		0x43415d53 /* smackfs */, 0xde5e81e4 /* efivarfs */, 0x19800202 /* mqueue */,
		0x42494e4d /* binfmt_misc */, 0x65735543 /* fusectl */, 0x958458f6 /* hugetlbfs */,
		0x6e736673 /* nsfs */, 0x67596969 /* rpc_pipefs */,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(special); i++)
		if (special[i] == type)
			return true;
	return false;
}

/* In place: \040 and its like to the bytes they stand for. */
static void unescape(char *s)
{
	char *out = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7'
				&& s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

bool pc_mount_line(char *line, struct pc_mount *m)
{
	char *field[5], *p = line;
	int i;

	/* id, parent, major:minor, root, mount point, options, words of their own number, "-" */
	for (i = 0; i < 5; i++) {
		field[i] = p;
		p = strchr(p, ' ');
		if (!p)
			return false;
		*p++ = '\0';
	}
	p = bb_strstr(p, " - ");
	if (!p)
		return false;
	m->point = field[4];
	m->type = p + 3;
	p = strchr(m->type, ' ');
	if (p)
		*p = '\0';
	unescape(field[4]);
	return field[4][0] == '/';
}

bool pc_mount_waits(const struct pc_mount *m)
{
	const char *t;

	if (!strncmp(m->type, "fuse.", 5))
		return true;
	for (t = waiting_types; *t; t += strlen(t) + 1)
		if (!strcmp(t, m->type))
			return true;
	return false;
}

static bool may_hang(const char *path)
{
	static struct bb_lines lines;
	static llist_t *points;
	static bool read_it;
	const llist_t *l;
	struct pc_mount m;
	char *line;
	size_t len;
	int fd;

	if (!read_it) {
		read_it = true;
		fd = sys_open(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY);
		if (fd >= 0) {
			bb_lines_start(&lines, fd, '\n');
			while ((line = bb_lines_next(&lines, &len)) != NULL)
				if (pc_mount_line(line, &m) && pc_mount_waits(&m))
					llist_append(&points, xstrdup(m.point));
			sys_close(fd);
		}
	}
	for (l = points; l; l = l->link)
		if (!strcmp(l->data, path))
			return true;
	return false;
}

void pc_root_set(struct pc_root *r, int fd, const char *name)
{
	char number[12];
	ssize_t n = -1;

	r->len = strlen(name);
	if (pc_proc_fd() >= 0) {
		bb_snprintf(number, sizeof(number), "%d", fd);
		n = sys_readlink(pc_proc_fd(), number, r->real, sizeof(r->real));
	}
	r->real[n > 0 && n < (ssize_t)sizeof(r->real) ? n : 0] = '\0';
}

bool pc_root_may_hang(const struct pc_root *r, const char *path)
{
	const char *below = path + r->len;
	char absolute[4096];

	while (*below == '/')
		below++;
	return r->real[0] && bb_snprintf(absolute, sizeof(absolute), "%s/%s",
			r->real[1] ? r->real : "", below) < sizeof(absolute) - 1
		&& may_hang(absolute);
}
