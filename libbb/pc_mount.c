/* SPDX-License-Identifier: 0BSD */
/* pc_mount.c - mounts better not touched, told from /proc/self/mountinfo: looking anything up
 * below a stopped FUSE daemon or a dead server hangs, even fstat. */

#include "kabi.h"
#include "libbb.h"
#include "pc_internal.h"

/* Names of types, "fuse.anything" besides. */
static const char waiting_types[] = "nfs\0nfs4\0cifs\0smb3\0smbfs\0ceph\09p\0afs\0coda\0ncpfs\0"
	"lustre\0beegfs\0orangefs\0autofs\0fuse\0fuseblk\0";
static const char special_types[] = "proc\0sysfs\0devtmpfs\0devpts\0tmpfs\0ramfs\0cgroup\0cgroup2\0"
	"debugfs\0tracefs\0securityfs\0bpf\0pstore\0configfs\0selinuxfs\0smackfs\0efivarfs\0"
	"mqueue\0binfmt_misc\0fusectl\0hugetlbfs\0nsfs\0rpc_pipefs\0";

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
	char *field[5], *p = line;
	int i;

	/* id, parent, major:minor, root, mount point, options, words of their own number, "-" */
	for (i = 0; i < 5; i++) {
		field[i] = p;
		p = bb_strchrnul(p, ' ');
		if (!*p)
			return false;
		*p++ = '\0';
	}
	p = bb_strstr(p, " - ");
	if (!p)
		return false;
	m->point = field[4];
	m->type = p + 3;
	*bb_strchrnul(m->type, ' ') = '\0';
	return bb_unescape(field[4]) && field[4][0] == '/';
}

char pc_mount_kind(const struct pc_mount *m)
{
	if (is_prefixed_with(m->type, "fuse.") || index_in_strings(waiting_types, m->type) >= 0)
		return 'w';
	return index_in_strings(special_types, m->type) >= 0 ? 's' : '/';
}

/* The mount points, in the order they were mounted; each begins with its kind instead of "/". */
static const llist_t *mounts(void)
{
	static struct bb_lines lines;
	static llist_t *points, **tail = &points;
	static bool read_it;
	struct pc_mount m;
	llist_t *l;
	char *line;
	size_t len;
	int fd;

	if (read_it)
		return points;
	read_it = true;
	fd = pc_system_open("/proc/self/mountinfo", O_RDONLY);
	if (fd < 0)
		return NULL;
	bb_lines_start(&lines, fd, '\n');
	while ((line = bb_lines_next(&lines, &len)) != NULL) {
		if (!pc_mount_line(line, &m))
			continue;
		/* what is mounted at the same point later hides what was there (automounts) */
		for (l = points; l && strcmp(l->data + 1, m.point + 1); l = l->link)
			;
		if (!l) {
			llist_append(tail, xstrdup(m.point));
			l = *tail;
			tail = &l->link;
		}
		l->data[0] = pc_mount_kind(&m);
	}
	sys_close(fd);
	return points;
}

/* Makes path absolute and takes out "//", "." and "..", as text: looking at links could hang. What
 * does not fit is left away, for only the beginning counts. False: the directory is not known. */
static bool make_plain(char *plain, size_t size, const char *path)
{
	const char *cwd = "/proc/self/cwd";
	size_t n, len = 0;
	ssize_t r;
	int dirfd;

	if (path[0] != '/') {
		dirfd = pc_system_dir(&cwd);
		r = sys_readlink(dirfd, cwd, plain, size);
		if (r <= 0 || r == (ssize_t)size || plain[0] != '/')
			return false;
		len = r == 1 ? 0 : (size_t)r;
	}
	for (; *path; path += n) {
		while (*path == '/')
			path++;
		n = (size_t)(bb_strchrnul(path, '/') - path);
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			while (len && plain[--len] != '/')
				;
		} else if (n && !(n == 1 && path[0] == '.')) {
			if (n + 2 > size - len)
				break;
			plain[len++] = '/';
			memcpy(plain + len, path, n);
			len += n;
		}
	}
	plain[0] = '/';
	plain[MAX(len, 1u)] = '\0';
	return true;
}

bool pc_path_is_foreign(const char *path)
{
	static char plain[4096];
	const llist_t *l;
	size_t len, longest = 0;
	char kind = '/';

	if (!ENABLE_FEATURE_NETWORK_MOUNTS || !make_plain(plain, sizeof(plain), path))
		return false;
	path = plain;
	for (l = mounts(); l; l = l->link) {
		const char *rest = is_prefixed_with(path + 1, l->data + 1);

		len = strlen(l->data + 1);
		if (!rest || (len && *rest && *rest != '/'))
			continue;
		/* what is mounted below a dead server is reached through it; but a root is alive */
		if (len && l->data[0] == 'w')
			return true;
		/* what was mounted last is on top */
		if (len >= longest) {
			longest = len;
			kind = l->data[0];
		}
	}
	return kind != '/';
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

/* The absolute path of one that begins with the root's name; false: not known, or too long. */
static bool absolute(const struct pc_root *r, const char *path, char abs[4096])
{
	const char *below = path + r->len;

	while (*below == '/')
		below++;
	return r->real[0] && bb_snprintf(abs, 4096, *below ? "%s/%s" : "%s",
		r->real[1] || !*below ? r->real : "", below) < 4095;
}

char pc_root_mount(const struct pc_root *r, const char *path)
{
	char abs[4096];
	const llist_t *l;

	for (l = absolute(r, path, abs) ? mounts() : NULL; l; l = l->link)
		if (!strcmp(l->data + 1, abs + 1))
			return l->data[0];
	return '\0';
}

bool pc_root_has_mounts(const struct pc_root *r, const char *path)
{
	char abs[4096];
	const llist_t *l;

	if (!absolute(r, path, abs))
		return false;
	for (l = mounts(); l; l = l->link) {
		const char *rest = is_prefixed_with(l->data + 1, abs + 1);

		if (!rest || (abs[1] && *rest++ != '/'))
			continue;
		if (*rest && !*bb_strchrnul(rest, '/'))
			return true;
	}
	return false;
}
