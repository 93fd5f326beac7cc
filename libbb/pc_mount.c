/* SPDX-License-Identifier: 0BSD */
/* pc_mount.c - mounts better not touched, told from /proc/self/mountinfo: looking anything up
 * below a stopped FUSE daemon or a dead server hangs, even fstat. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* Names of types, those that wait first; "fuse" and what begins so besides. */
#define WAITING 15
static const char types[] = "nfs\0nfs4\0cifs\0smb3\0smbfs\0ceph\09p\0afs\0coda\0ncpfs\0"
	"lustre\0beegfs\0orangefs\0autofs\0virtiofs\0"
	"proc\0sysfs\0devtmpfs\0devpts\0tmpfs\0ramfs\0cgroup\0cgroup2\0"
	"debugfs\0tracefs\0securityfs\0bpf\0pstore\0configfs\0selinuxfs\0smackfs\0efivarfs\0"
	"mqueue\0binfmt_misc\0hugetlbfs\0nsfs\0rpc_pipefs\0";

bool pc_type_is_foreign(uint32_t type)
{
	static const uint32_t foreign[] = {
		0x6969 /* nfs */, 0xff534d42 /* cifs */, 0xfe534d42 /* smb2 */, 0x517b /* smbfs */,
		0x00c36400 /* ceph */, 0x01021997 /* 9p */, 0x5346414f /* afs */,
		0x73757245 /* coda */, 0x0bd00bd0 /* lustre */, 0x0187 /* autofs */,
		KABI_FUSE_MAGIC, KABI_PROC_MAGIC, 0x62656572 /* sysfs */, KABI_TMPFS_MAGIC,
		KABI_RAMFS_MAGIC, 0x27e0eb /* cgroup */, 0x63677270 /* cgroup2 */,
		0x64626720 /* debugfs */, 0x74726163 /* tracefs */, 0x73636673 /* securityfs */,
		0x1cd1 /* devpts */, 0xcafe4a11 /* bpf */, 0x6165676c /* pstore */,
		0x62656570 /* configfs */, 0xf97cff8c /* selinuxfs */, 0x43415d53 /* smackfs */,
		0xde5e81e4 /* efivarfs */, 0x19800202 /* mqueue */, 0x42494e4d /* binfmt_misc */,
		0x65735543 /* fusectl */, KABI_HUGETLBFS_MAGIC, 0x6e736673 /* nsfs */,
		0x67596969 /* rpc_pipefs */,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (foreign[i] == type)
			return true;
	return false;
}

bool pc_mount_line(char *line, struct pc_mount *m)
{
	int i;

	/* id, parent, major:minor, root, mount point, options, words of their own number, "-" */
	for (i = 0; i < 5; i++) {
		m->point = line;
		line = bb_strchrnul(line, ' ');
		if (!*line)
			return false;
		*line++ = '\0';
	}
	line = bb_strstr(line, " - ");
	if (!line)
		return false;
	m->type = line + 3;
	*bb_strchrnul(m->type, ' ') = '\0';
	return bb_unescape(m->point) && m->point[0] == '/';
}

char pc_mount_kind(const struct pc_mount *m)
{
	int i = is_prefixed_with(m->type, "fuse") ? 0 : index_in_strings(types, m->type);

	return i < 0 ? '/' : i < WAITING ? 'w' : 's';
}

/* The mount points, in the order they were mounted; each begins with its kind instead of "/". */
static const llist_t *mounts(void)
{
	static struct bb_lines lines;
	static llist_t *points;
	static bool read_it;
	struct pc_mount m;
	llist_t **l;
	char *line;
	static size_t len;
	int fd;

	fd = read_it ? -1 : pc_system_open("/proc/self/mountinfo", O_RDONLY);
	read_it = true;
	if (fd < 0)
		return points;
	bb_lines_start(&lines, fd, '\n');
	while ((line = bb_lines_next(&lines, &len)) != NULL) {
		if (!pc_mount_line(line, &m))
			continue;
		/* what is mounted at the same point later hides what was there (automounts) */
		for (l = &points; *l && strcmp((*l)->data + 1, m.point + 1); l = &(*l)->link)
			;
		if (!*l)
			llist_append(l, xstrdup(m.point));
		(*l)->data[0] = pc_mount_kind(&m);
	}
	sys_close(fd);
	return points;
}

static char plain[4096];	/* an absolute path */

/* Makes it of path, and takes out "//", "." and "..", as text: looking at links could hang. What
 * does not fit is left away, for only the beginning counts. False: the directory is not known. */
static bool make_plain(const char *path)
{
	const char *cwd = "/proc/self/cwd";
	char *to = plain;
	ssize_t r;
	size_t n;
	int dirfd;

	if (path[0] != '/') {
		dirfd = pc_system_dir(&cwd);
		r = sys_readlink(dirfd, cwd, plain, sizeof(plain));
		if (r <= 0 || r == sizeof(plain) || plain[0] != '/')
			return false;
		if (r > 1)
			to += r;
	}
	for (; *path; path += n) {
		while (*path == '/')
			path++;
		n = (size_t)(bb_strchrnul(path, '/') - path);
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (to > plain && *--to != '/')
				;
		} else if (n && !(n == 1 && path[0] == '.')) {
			if (n + 2 > (size_t)(plain + sizeof(plain) - to))
				break;
			*to++ = '/';
			memcpy(to, path, n);
			to += n;
		}
	}
	*to = '\0';
	plain[0] = '/';
	if (to == plain)
		plain[1] = '\0';
	return true;
}

bool pc_path_is_foreign(const char *path)
{
	const llist_t *l;
	const char *const top = plain + 1, *longest = top;
	char kind = '/';

	if (!ENABLE_FEATURE_NETWORK_MOUNTS || !make_plain(path))
		return false;
	for (l = mounts(); l; l = l->link) {
		const char *rest = is_prefixed_with(top, l->data + 1);

		if (!rest || (rest > top && *rest && *rest != '/'))
			continue;
		/* what is mounted below a dead server is reached through it; but a root is alive */
		if (rest > top && l->data[0] == 'w')
			return true;
		/* what was mounted last is on top */
		if (rest >= longest) {
			longest = rest;
			kind = l->data[0];
		}
	}
	return kind != '/';
}

void pc_root_set(struct pc_root *r, int fd, const char *name)
{
	static char number[12];
	ssize_t n = -1;

	r->len = strlen(name);
	if (pc_proc_fd() >= 0) {
		bb_snprintf(number, sizeof(number), "%d", fd);
		n = sys_readlink(pc_proc_fd(), number, r->real, sizeof(r->real));
	}
	r->real[n > 0 && n < (ssize_t)sizeof(r->real) ? n : 0] = '\0';
}

/* Makes the absolute path of one that begins with the root's name, and puts end behind it if it is
 * not the root's. Returns the mounts to compare with it: none if it is not known, or too long. */
static const llist_t *absolute(const struct pc_root *r, const char *path, const char *end)
{
	path += r->len;
	while (*path == '/')
		path++;
	return r->real[0] && bb_snprintf(plain, sizeof(plain), "%s/%s%s", r->real + !r->real[1],
		path, *path ? end : "") < sizeof(plain) - 1 ? mounts() : NULL;
}

char pc_root_mount(const struct pc_root *r, const char *path)
{
	const llist_t *l;

	for (l = absolute(r, path, ""); l; l = l->link)
		if (!strcmp(l->data + 1, plain + 1))
			return l->data[0];
	return '\0';
}

bool pc_root_has_mounts(const struct pc_root *r, const char *path)
{
	const llist_t *l;

	for (l = absolute(r, path, "/"); l; l = l->link) {
		const char *rest = is_prefixed_with(l->data + 1, plain + 1);

		if (rest && *rest && !*bb_strchrnul(rest, '/'))
			return true;
	}
	return false;
}
