/* SPDX-License-Identifier: 0BSD */
/* answerfs DIR COMMAND... - mounts at DIR a FUSE filesystem of one file, f, of a megabyte, which
 * the kernel caches, and whose dirty pages it writes when it likes; in a mount namespace of its
 * own. Runs COMMAND there, whose status is its own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOT = FUSE_ROOT_ID, FILE_F, SIZE = 1 << 20 };

static char content[SIZE];
static int fuse;

static void reply(const struct fuse_in_header *in, int error, const void *data, size_t len)
{
	struct fuse_out_header out = { (uint32_t)(sizeof(out) + len), -error, in->unique };
	struct iovec iov[] = { { &out, sizeof(out) }, { (void *)data, len } };

	if (writev(fuse, iov, 1 + !!len) < 0 && errno != ENOENT)
		warn("reply");
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){ .ino = node, .size = node == ROOT ? 0 : SIZE, .nlink = 1,
		.mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644, .blksize = 4096 };
}

static void list(const struct fuse_in_header *in, uint64_t off)
{
	struct {
		struct fuse_dirent head;
		char name[8];
	} entry = { { FILE_F, 1, 1, DT_REG }, "f" };

	reply(in, 0, &entry, off ? 0 : sizeof(entry));
}

static void answer(const struct fuse_in_header *in, const void *arg)
{
	const struct fuse_read_in *io = arg;	/* and fuse_write_in begins alike */
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .flags = FUSE_WRITEBACK_CACHE,
		.minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 1 << 16, .max_readahead = 1 << 17,
		.time_gran = 1 };
	struct fuse_entry_out entry = { .nodeid = FILE_F, .attr_valid = 100, .entry_valid = 100,
		.attr = attributes(FILE_F) };
	struct fuse_attr_out attr = { .attr_valid = 100, .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_KEEP_CACHE };
	struct fuse_write_out written;
	struct fuse_statfs_out filesystem = { .st.bsize = 4096 };

	switch (in->opcode) {
	case FUSE_INIT: reply(in, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP:
		if (strcmp(arg, "f"))
			reply(in, ENOENT, NULL, 0);
		else
			reply(in, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR: case FUSE_SETATTR: reply(in, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: case FUSE_OPENDIR: reply(in, 0, &opened, sizeof(opened)); break;
	case FUSE_READDIR: list(in, io->offset); break;
	case FUSE_READ:
		reply(in, 0, content + io->offset, io->offset + io->size > SIZE
			? SIZE - io->offset : io->size);
		break;
	case FUSE_WRITE:
		if (io->offset + io->size > SIZE) {
			reply(in, EFBIG, NULL, 0);
			break;
		}
		memcpy(content + io->offset, (const struct fuse_write_in *)arg + 1, io->size);
		written = (struct fuse_write_out){ .size = io->size };
		reply(in, 0, &written, sizeof(written));
		break;
	case FUSE_STATFS: reply(in, 0, &filesystem, sizeof(filesystem)); break;
	case FUSE_FLUSH: case FUSE_FSYNC: case FUSE_RELEASE: case FUSE_RELEASEDIR:
		reply(in, 0, NULL, 0);
		break;
	case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
	default: reply(in, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static union {
		struct fuse_in_header head;
		char bytes[1 << 18];
	} in;
	char options[100];
	int status;
	pid_t pid;

	if (argc < 3)
		errx(2, "usage: answerfs DIR COMMAND...");
	fuse = open("/dev/fuse", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fuse < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		fuse);
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)
			|| mount("answerfs", argv[1], "fuse.answerfs", 0, options))
		err(1, "%s", argv[1]);
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		err(127, "%s", argv[2]);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		struct pollfd p = { .fd = fuse, .events = POLLIN };

		poll(&p, 1, 20);
		if (read(fuse, &in, sizeof(in)) > 0)
			answer(&in.head, &in.head + 1);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
