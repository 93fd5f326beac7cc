/* SPDX-License-Identifier: 0BSD */
/* slowdisk - an image, at the speed of a slow medium
 *
 * usage: slowdisk MODEL IMAGE DIR [LOG]    serve IMAGE as DIR/disk until DIR is unmounted
 *        slowdisk MODEL -floor <BLOCKS     what one sweep over BLOCKS takes, by the same model
 * MODEL: disk (7200 rpm, 100 MB/s, seeks by distance), sd (0.8 ms a command, 40 MB/s), emmc
 * (0.3 ms, 150 MB/s), fast (no delay, nothing sorted)
 *
 * DIR/disk belongs under a loop device with direct I/O. DIR/stats counts what was served since
 * the start: COMMANDS BYTES BUSY_us SEEKS WRITES; a number written to it is the time in us that
 * FUSE and the loop device take themselves, by which answers are sent off earlier. LOG gets a
 * line a command: the times when its first request came and when it began and ended (us), offset,
 * length, requests in it. BLOCKS are lines of offset and length, in bytes, as in a LOG's columns
 * 4 and 5; the floor is three numbers: seconds, commands, MB.
 *
 * The medium does one thing at a time. What waits for it is sorted and merged as mq-deadline
 * does it (upwards in batches of 16, but first what is older than half a second; 512 KiB at most
 * a command): the loop driver takes 128 requests at once, so that the kernel's own scheduler has
 * nothing left to sort, where a disk takes 32 and an SD card one. Times are of the model, kept on
 * a clock of its own while the medium is busy, so that a busy machine does not slow it down. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { ROOT = 1, DISK = 2, STATS = 3 };		/* nodes */
enum { MERGE_MAX = 512 << 10, BATCH = 16, EXPIRE = 500000, REQUEST_MAX = 1 << 20 };

struct model {
	const char *name;
	double command;		/* us a command */
	double mb_s;
	int seeks;
};
static const struct model models[] = {
	{ "disk", 0, 100, 1 },	/* 7200 rpm */
	{ "sd", 800, 40, 0 },
	{ "emmc", 300, 150, 0 },
	{ "fast", 0, 0, 0 },
	{ 0 },
};
static const struct model *model;
static double head;		/* byte where the last command ended */
static unsigned long long commands, bytes, seeks, writes;
static double busy, lead;	/* us */

/* What a command of the medium takes, in us. */
static double cost(double off, double len)
{
	double transfer = model->mb_s ? len / model->mb_s : 0, gap = off - head, seek;

	head = off + len;
	if (!model->seeks || gap == 0)
		return model->command + transfer;
	/* track to track 0.8 ms, to the other end of 500 GB 15 ms more; then half a turn. A short
	 * way ahead passes under the head in less. */
	seek = 800 + 15000 * sqrt(fabs(gap) / 500e9) + 4167;
	if (gap > 0 && gap / model->mb_s <= seek)
		seek = gap / model->mb_s;
	else
		seeks++;
	return seek + transfer;
}

struct request {
	uint64_t unique, off;
	uint32_t len;
	double came;		/* us */
};
static struct request pending[4096], taken[MERGE_MAX / 512];
static unsigned n_pending, n_taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int fuse;
static char *image;
static size_t size;
static FILE *logfile;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void reply(uint64_t unique, int error, const void *data, size_t len)
{
	struct fuse_out_header out = { sizeof(out) + len, -error, unique };
	struct iovec iov[] = { { &out, sizeof(out) }, { (void *)data, len } };

	if (writev(fuse, iov, 1 + !!len) < 0 && errno != ENOENT)
		warn("reply");
}

static void take(unsigned i)
{
	taken[n_taken++] = pending[i];
	pending[i] = pending[--n_pending];
}

/* Chooses the next command: into taken[], in ascending order. */
static void choose(void)
{
	static unsigned left;
	unsigned i, best = 0, oldest = 0, low = 0;
	uint64_t end;
	int ahead = 0;

	for (i = 0; i < n_pending; i++) {
		if (pending[i].came < pending[oldest].came)
			oldest = i;
		if (pending[i].off < pending[low].off)
			low = i;
		if (pending[i].off >= head && (!ahead || pending[i].off < pending[best].off)) {
			best = i;
			ahead = 1;
		}
	}
	if (!ahead)
		best = low;
	if (!model->mb_s)
		best = oldest;
	if (!left--) {
		left = BATCH - 1;
		if (now() - pending[oldest].came > EXPIRE)
			best = oldest;
	}
	n_taken = 0;
	end = pending[best].off + pending[best].len;
	take(best);
	for (i = 0; model->mb_s && i < n_pending; i++) {
		if (pending[i].off == end && end + pending[i].len - taken[0].off <= MERGE_MAX) {
			end += pending[i].len;
			take(i);
			i = -1;
		}
	}
}

static void *serve(void *unused)
{
	double free_at = 0;

	prctl(PR_SET_TIMERSLACK, 1);
	for (;;) {
		double begin, took, came, end;
		uint64_t off, len;
		struct timespec t;
		unsigned i;

		pthread_mutex_lock(&lock);
		while (!n_pending)
			pthread_cond_wait(&arrived, &lock);
		choose();
		pthread_mutex_unlock(&lock);
		off = taken[0].off;
		len = taken[n_taken - 1].off + taken[n_taken - 1].len - off;
		came = taken[0].came;
		for (i = 1; i < n_taken; i++)
			came = fmin(came, taken[i].came);
		begin = fmax(came, free_at);
		took = cost(off, len);
		free_at = end = begin + took;
		t.tv_sec = (end - lead) / 1e6;
		t.tv_nsec = fmod(end - lead, 1e6) * 1e3;
		if (took)
			while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
				;
		commands++;
		bytes += len;
		busy += took;
		if (logfile)
			fprintf(logfile, "%.0f %.0f %.0f %llu %llu %u\n", came, begin, end,
				(unsigned long long)off, (unsigned long long)len, n_taken);
		for (i = 0; i < n_taken; i++)
			reply(taken[i].unique, 0, image + taken[i].off, taken[i].len);
	}
	return unused;
}

static void attributes(struct fuse_attr *a, uint64_t node)
{
	a->ino = node;
	a->mode = node == ROOT ? S_IFDIR | 0700 : S_IFREG | 0600;
	a->nlink = 1;
	a->blksize = 4096;
	a->size = node == DISK ? size : 0;
	a->blocks = a->size / 512;
}

static void answer(struct fuse_in_header *in, void *arg, char *data)
{
	struct fuse_init_out init = { .major = 7, .minor = FUSE_KERNEL_MINOR_VERSION };
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_entry_out entry = { .entry_valid = 1000, .attr_valid = 1000, .generation = 1 };
	struct fuse_open_out opened = { .open_flags = FOPEN_DIRECT_IO };
	struct fuse_read_in *r = arg;
	struct fuse_write_in *w = arg;
	struct fuse_write_out wrote = { 0 };
	struct fuse_statfs_out fs = { .st = { .bsize = 4096, .namelen = 255 } };
	char text[200];
	int n;

	switch (in->opcode) {
	case FUSE_INIT:
		init.max_readahead = 0;
		init.flags = ((struct fuse_init_in *)arg)->flags
			& (FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_MAX_PAGES | FUSE_ASYNC_DIO);
		init.max_background = init.congestion_threshold = 1024;
		init.max_write = REQUEST_MAX;
		init.max_pages = REQUEST_MAX / 4096;
		init.time_gran = 1;
		reply(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		entry.nodeid = !strcmp(arg, "disk") ? DISK : !strcmp(arg, "stats") ? STATS : 0;
		attributes(&entry.attr, entry.nodeid);
		if (entry.nodeid)
			reply(in->unique, 0, &entry, sizeof(entry));
		else
			reply(in->unique, ENOENT, NULL, 0);
		break;
	case FUSE_SETATTR:	/* truncated by the shell's > */
	case FUSE_GETATTR:
		attributes(&attr.attr, in->nodeid);
		reply(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		opened.fh = in->nodeid;
		reply(in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		if (in->nodeid == STATS) {
			n = snprintf(text, sizeof(text), "%llu %llu %.0f %llu %llu\n",
				commands, bytes, busy, seeks, writes);
			if (logfile)
				fflush(logfile);
			reply(in->unique, 0, text, r->offset ? 0 : n);
			break;
		}
		pthread_mutex_lock(&lock);
		if (r->offset >= size || n_pending == sizeof(pending) / sizeof(*pending))
			reply(in->unique, r->offset >= size ? 0 : EIO, NULL, 0);
		else
			pending[n_pending++] = (struct request){ in->unique, r->offset,
				r->size < size - r->offset ? r->size : size - r->offset, now() };
		pthread_cond_signal(&arrived);
		pthread_mutex_unlock(&lock);
		break;
	case FUSE_WRITE:
		if (in->nodeid == STATS) {
			data[w->size < 15 ? w->size : 15] = '\0';
			lead = atof(data);
			wrote.size = w->size;
			reply(in->unique, 0, &wrote, sizeof(wrote));
			break;
		}
		/* filesystems are mounted read-only: what is written costs nothing */
		if (w->offset + w->size > size) {
			reply(in->unique, ENOSPC, NULL, 0);
			break;
		}
		memcpy(image + w->offset, data, wrote.size = w->size);
		writes++;
		reply(in->unique, 0, &wrote, sizeof(wrote));
		break;
	case FUSE_STATFS:
		reply(in->unique, 0, &fs, sizeof(fs));
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_DESTROY:
		reply(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(in->unique, ENOSYS, NULL, 0);
	}
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each page once, in ascending order, in commands as large as the medium's merging makes them. */
static int floor_of(FILE *in)
{
	static uint64_t page[16 << 20];
	size_t n = 0, all = 0, i, j;
	double off, len, us = 0;
	char line[256];

	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%lf %lf", &off, &len) != 2)
			errx(1, "bad line: %s", line);
		for (; len > 0 && n < sizeof(page) / sizeof(*page); off += 4096, len -= 4096)
			page[n++] = off / 4096;
	}
	qsort(page, n, sizeof(*page), ascending);
	for (i = j = 0; i < n; i++)
		if (!j || page[i] != page[j - 1])
			page[j++] = page[i];
	n = j;
	for (i = 0; i < n; i = j, commands++) {
		for (j = i + 1; j < n && page[j] == page[j - 1] + 1; j++)
			if (j - i == MERGE_MAX / 4096)
				break;
		us += cost(page[i] * 4096., (j - i) * 4096.);
		all += j - i;
	}
	printf("%.3f %llu %.1f\n", us / 1e6, commands, all * 4096 / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	static char buf[REQUEST_MAX + 65536];
	char options[100];
	pthread_t thread;
	struct stat st;
	ssize_t n;
	int fd;

	for (model = models; argc > 2 && model->name && strcmp(model->name, argv[1]); model++)
		;
	if (argc == 3 && model->name && !strcmp(argv[2], "-floor"))
		return floor_of(stdin);
	if (argc < 4 || argc > 5 || !model->name)
		errx(2, "usage: slowdisk disk|sd|emmc|fast IMAGE DIR [LOG]");
	if (argc == 5 && !(logfile = fopen(argv[4], "w")))
		err(1, "%s", argv[4]);
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err(1, "%s", argv[2]);
	size = st.st_size;
	image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (image == MAP_FAILED)
		err(1, "%s", argv[2]);
	fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse < 0)
		err(1, "/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (mount("slowdisk", argv[3], "fuse", MS_NOSUID | MS_NODEV, options))
		err(1, "mount %s", argv[3]);
	/* goes on in the background once everything is there */
	if (fork())
		_exit(0);
	setsid();
	if (mlock(image, size))
		warn("%s: not kept in memory", argv[2]);
	/* a device does not wait for a CPU */
	if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 }))
		warn("no real-time priority");
	errno = pthread_create(&thread, NULL, serve, NULL);
	if (errno)
		err(1, "thread");
	for (;;) {
		struct fuse_in_header *in = (void *)buf;

		n = read(fuse, buf, sizeof(buf));
		if (n < 0 && (errno == ENOENT || errno == EINTR || errno == EAGAIN))
			continue;
		if (n < (ssize_t)sizeof(*in))
			break;		/* unmounted */
		answer(in, in + 1, buf + sizeof(*in) + sizeof(struct fuse_write_in));
	}
	if (logfile)
		fclose(logfile);
	return 0;
}
