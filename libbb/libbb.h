/* SPDX-License-Identifier: 0BSD */
/* libbb.h - what every applet may use: messages, output, options, memory; text.h besides.
 * The page cache itself is pagecache.h's matter. No stdio, no malloc: see docs/libc.md. */
#ifndef LIBBB_H
#define LIBBB_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define UNUSED_PARAM __attribute__((unused))
#define NORETURN __attribute__((noreturn))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

enum {
	EXIT_DONE = 0,
	EXIT_NOT_DONE = 1,	/* something asked for was not done; said on stderr */
	EXIT_USAGE = 2,
	EXIT_UNKNOWN = 3,	/* a question that was asked cannot be answered */
	EXIT_NO_APPLET = 127,
};

/* appletlib.c: the applet that runs */
struct bb_applet {
	int (*main)(int argc, char **argv);
	uint16_t usage;		/* where its text begins */
	bool linked;		/* listed and installed under its name */
};
extern const char *applet_name;
/* The running applet's help: on stdout with status 0; or its synopsis on stderr with status 2. */
void bb_show_help(void) NORETURN;
void bb_show_usage(void) NORETURN;

/* format.c: a printf of %s %c %d %u %x %%, with the flags "-" and "0", width and .precision
 * (either may be *), and the sizes l, ll, z, j. */
struct bb_out {
	int fd;			/* -1: keep what fits in buf, drop the rest */
	int error;		/* first errno of a failed write, 0: none */
	size_t len, size;
	char *buf;
};
void bb_vformat(struct bb_out *o, const char *fmt, va_list ap);
void bb_putmem(struct bb_out *o, const void *mem, size_t len);
/* Returns 0, or the errno of the first write that failed since the start. */
int bb_flush(struct bb_out *o);
/* Like snprintf, but returns what was stored, always NUL-terminated. size >= 1. */
size_t bb_snprintf(char *buf, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Standard output, buffered; written when full and by bb_exit. */
extern struct bb_out bb_stdout;
void bb_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Ends the process with status, or 1 for 0 when stdout or stderr could not be written, or
 * something was not done. */
void bb_exit(int status) NORETURN;

/* messages.c: "APPLET: message\n" on stderr in one write(2). A first byte of fmt (a function of its
 * own costs 80) says what else: 1: ": " and errno's reason, 2: exit 1, 4: exit 2, wrong usage,
 * 8: in the end exit 1 for 0, and with bb_quiet that is all. */
extern bool bb_not_done, bb_quiet;
const char *bb_strerror(int err);
void bb_error_msg(const char *fmt, ...) PRINTF_LIKE(1, 2);
#define bb_perror_msg(...) bb_error_msg("\1" __VA_ARGS__)
#define bb_error_msg_and_die(...) (bb_error_msg("\2" __VA_ARGS__), __builtin_unreachable())
#define bb_perror_msg_and_die(...) (bb_error_msg("\3" __VA_ARGS__), __builtin_unreachable())
#define bb_complain(...) bb_error_msg("\10" __VA_ARGS__)
#define bb_usage_error(...) (bb_error_msg("\4" __VA_ARGS__), __builtin_unreachable())

/* getopt32.c: options. optstr and longs are generated from the applet's usage (gen/opts.h).
 * Returns the bits of the options seen and leaves in argv only the operands, NULL-terminated,
 * from argv[0] on. A leading "+" in optstr stops at the first operand. Errors end the process. */
typedef struct llist {
	struct llist *link;
	char *data;
} llist_t;
extern char *opt_arg[32];	/* last argument of the option with that bit; NULL: not given */
extern llist_t *opt_list[32];	/* all arguments of a repeatable option, in order */
uint32_t getopt32(char **argv, const char *optstr, const char *longs);
/* The argument of the option with that bit as xatosize reads it; otherwise: it was not given. */
int64_t bb_size_option(unsigned bit, int64_t otherwise, const char *what);

/* memory.c: memory that is never freed. Out of memory ends the process with a message. */
void *xalloc(size_t size);	/* zeroed, aligned to 8 */
void *xalloc_shared(size_t size);	/* zeroed, shared with children */
char *xstrdup(const char *s);
void llist_append(llist_t **head, char *data);

/* sort.c: like qsort */
void bb_sort(void *array, size_t n, size_t size, int (*compare)(const void *, const void *));
/* files.c: fills closed descriptors 0-2, so that no file we open becomes one of them. What is
 * written to such a descriptor fails. */
void bb_fill_stdio(void);
/* "-" is standard input. Returns a descriptor, or -1 after a message. */
int open_or_warn_stdin(const char *name);
/* Writes everything, over EINTR and a nonblocking fd. Returns 0 or -errno. */
int full_write(int fd, const void *buf, size_t len);

/* progress.c: one line that redraws itself, after the first second, only on a terminal whose
 * foreground we are. */
void bb_progress(const char *name, uint64_t done, uint64_t total);
void bb_progress_end(void);

#include "text.h"

#endif
