/* SPDX-License-Identifier: 0BSD */
/* appletlib.c - main: which applet runs, its help, and the box's own options. */

#include "libbb.h"
#include "usage.h"
#include "applets.h"

static unsigned usage;	/* where the text of the running applet is */

#if ENABLE_FEATURE_COMPRESS_USAGE
/* All texts, unpacked; scripts/pack-usage.awk tells how they were packed. To unpack pairs of bytes
 * would take 200 bytes less, but the texts 800 more. */
static const char *usage_texts(void)
{
	enum { ORDERS = 8 };
	static const uint8_t packed[] = { USAGE_PACKED };
	struct context {
		uint32_t hash;	/* 0: none yet */
		uint16_t n[2];	/* how often 0 and 1 followed, of late above all */
	};
	/* More contexts than there will be, and room for those that are put behind the last. */
	struct {
		struct context context[(1 << USAGE_BITS) + 4096], *seen[ORDERS];
		uint8_t before[ORDERS], text[USAGE_LENGTH];
	} *m = xalloc(sizeof(*m));
	const uint8_t *in = packed;
	uint8_t *text = m->text;
	uint32_t state = 0;

	do {
		*text = 1;
		do {
			uint32_t hash = 0, n0 = 1, n1 = 1, rest;
			size_t k;	/* not int: saves 16 bytes */
			bool bit;

			for (k = 0; k < ORDERS; k++) {
				struct context *c;

				hash = (hash + *(text - k)) * USAGE_FACTOR;
				c = m->context + (hash >> (32 - USAGE_BITS));
				while (c->hash && c->hash != hash)
					c++;
				c->hash = hash;
				m->seen[k] = c;
				n0 += (uint32_t)c->n[0] << k;
				n1 += (uint32_t)c->n[1] << k;
			}
			while (state < 1u << 24)
				state = state << 8 | *in++;
			rest = state % (n0 + n1);
			state /= n0 + n1;
			bit = rest >= n0;
			if (bit) {
				rest -= n0;
				n0 = n1;
			}
			state = state * n0 + rest;
			while (k--) {
				uint16_t *n = m->seen[k]->n;

				n[bit]++;
				n[bit ^ 1] = (uint16_t)((n[bit ^ 1] + 1) / 2);
			}
			*text = (uint8_t)(*text * 2 + bit);
		} while (*text < 128);
		*text++ -= 128;
	} while (text < m->text + USAGE_LENGTH);
	return (char *)m->text;
}
#else
#define usage_texts() USAGE_TEXTS
#endif

/* The synopsis is the first line of the generated text. */
void bb_show_usage(void)
{
	const char *text = &usage_texts()[usage];

	bb_error_msg("wrong usage; it is: %s %.*s", applet_name,
		(int)(bb_strchrnul(text, '\n') - text), text);
	bb_exit(EXIT_USAGE);
}

void bb_show_help(void)
{
	bb_printf("Usage: %s %s", applet_name, &usage_texts()[usage]);
	if (ENABLE_FEATURE_VERBOSE_USAGE)
		bb_printf("\nEvery applet has -h" IF_LONG_OPTS(", --help,")
			" and -V" IF_LONG_OPTS(", --version") ".\n");
	bb_exit(EXIT_DONE);
}

#ifdef SINGLE_APPLET_MAIN

int main(int argc, char **argv)
{
	bb_fill_stdio();
	applet_name = SINGLE_APPLET_NAME;
	usage = SINGLE_APPLET_USAGE;
	bb_exit(SINGLE_APPLET_MAIN(argc, argv));
}

#else

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char names[] = APPLET_NAMES "";
static const struct bb_applet applets[] = { APPLET_TABLE };	/* in their order */

static void run_applet(const char *name, int argc, char **argv)
{
	int i;

	name = base_name(name);
	i = index_in_strings(names, name);
	if (sizeof(names) > 1 && i >= 0) {
		applet_name = name;
		usage = applets[i].usage;
		bb_exit(applets[i].main(argc, argv));
	}
	bb_error_msg("%s: applet not found", name);
	bb_exit(EXIT_NO_APPLET);
}

static void list(const char *format)
{
	const struct bb_applet *a = applets;
	const char *name;

	for (name = names; *name; name += strlen(name) + 1)
		if (a++->linked)
			bb_printf(format, name);
}

#if ENABLE_FEATURE_INSTALLER
/* Whether path is a link to the box already, hard or symbolic. */
static bool is_ours(const char *path, const char *self)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(self, &b) == 0
		&& a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int install(char **argv, const char *argv0)
{
	static char self[4096], path[4096];
	const struct bb_applet *a = applets;
	const char *name;
	int (*make_link)(const char *, const char *) = link;
	const char *dir = "/usr/bin";
	int status = EXIT_DONE;

	if (*argv && !strcmp(*argv, "-s")) {
		make_link = symlink;
		argv++;
	}
	if (*argv)
		dir = *argv++;
	if (*argv || dir[0] == '-')
		bb_usage_error("--install takes [-s] [DIR]");
	if (readlinkat(AT_FDCWD, "/proc/self/exe", self, sizeof(self) - 1) < 0) {
		if (argv0[0] != '/')
			bb_error_msg_and_die("--install: without /proc, call it by its full path");
		bb_snprintf(self, sizeof(self), "%s", argv0);
	}
	for (name = names; *name; name += strlen(name) + 1) {
		if (!a++->linked)
			continue;
		if (bb_snprintf(path, sizeof(path), "%s/%s", dir, name) == sizeof(path) - 1)
			errno = ENAMETOOLONG;
		else if (make_link(self, path) == 0)
			continue;
		if (errno == EEXIST && is_ours(path, self))
			continue;
		bb_perror_msg("%s", path);
		status = EXIT_NOT_DONE;
	}
	return status;
}
#endif

static int box_main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "-h";

	if (word[0] != '-')
		run_applet(word, argc - 1, argv + 1);
	switch (index_in_strings("--help\0-h\0--version\0-V\0--list\0--list-full\0"
			IF_FEATURE_INSTALLER("--install\0"), word)) {
	case 0:
	case 1:
		bb_printf("warmbox " WB_VERSION ": fill, empty and inspect the page cache\n\n"
			"Usage: warmbox APPLET [ARGUMENTS]\n"
			"   or: warmbox --list | --list-full"
			IF_FEATURE_INSTALLER(" | --install [-s] [DIR]") "\n"
			"   or: APPLET [ARGUMENTS], where APPLET is a link to warmbox\n\nApplets:");
		list(" %s");
		bb_printf("\n");
		break;
	case 2:
	case 3:
		bb_printf("warmbox " WB_VERSION "\n");
		break;
	case 4:
		list("%s\n");
		break;
	case 5:
		list("usr/bin/%s\n");
		break;
#if ENABLE_FEATURE_INSTALLER
	case 6:
		return install(argv + 2, argv[0]);
#endif
	default:
		bb_usage_error("unknown option '%s'", word);
	}
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	const char *name = argc > 0 ? base_name(argv[0]) : "warmbox";

	bb_fill_stdio();
	if (*name == '-')	/* a login shell's way of calling */
		name++;
	/* warmbox, and warmbox_unstripped, warmbox.static and so on */
	if (is_prefixed_with(name, "warmbox"))
		bb_exit(box_main(argc, argv));
	run_applet(name, argc, argv);
	return EXIT_NO_APPLET;
}

#endif
