/* SPDX-License-Identifier: 0BSD */
/* appletlib.c - main: which applet runs, its help, and the box's own options. */

#include "libbb.h"
#include "usage.h"
#include "applets.h"

static const char *usage = "";	/* of the running applet */

/* The synopsis is the first line of the generated text. */
void bb_show_usage(void)
{
	bb_error_msg("wrong usage; it is: %s %.*s", applet_name,
		(int)(bb_strchrnul(usage, '\n') - usage), usage);
	bb_exit(EXIT_USAGE);
}

void bb_show_help(void)
{
	bb_printf("Usage: %s %s", applet_name, usage);
	if (ENABLE_FEATURE_VERBOSE_USAGE)
		bb_printf("\nEvery applet has -h%s and -V%s.\n",
			ENABLE_LONG_OPTS ? ", --help," : "", ENABLE_LONG_OPTS ? ", --version" : "");
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

static const struct bb_applet applets[] = {
	APPLET_TABLE
	{ "warmbox", NULL, "", false },
};
#define APPLET_COUNT (ARRAY_SIZE(applets) - 1)

static void run_applet(const char *name, int argc, char **argv)
{
	const struct bb_applet *a;

	name = base_name(name);
	for (a = applets; a < applets + APPLET_COUNT; a++) {
		if (strcmp(a->name, name))
			continue;
		applet_name = a->name;
		usage = a->usage;
		bb_exit(a->main(argc, argv));
	}
	bb_error_msg("%s: applet not found", name);
	bb_exit(EXIT_NO_APPLET);
}

static void list(const char *dir)
{
	const struct bb_applet *a;

	for (a = applets; a < applets + APPLET_COUNT; a++)
		if (a->linked)
			bb_printf("%s%s\n", dir, a->name);
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
	char self[4096], path[4096];
	const struct bb_applet *a;
	int (*make_link)(const char *, const char *) = link;
	const char *dir = "/usr/bin";
	int status = EXIT_DONE;
	ssize_t n;

	if (*argv && !strcmp(*argv, "-s")) {
		make_link = symlink;
		argv++;
	}
	if (*argv)
		dir = *argv++;
	if (*argv || dir[0] == '-')
		bb_usage_error("--install takes [-s] [DIR]");
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0 && argv0[0] != '/')
		bb_error_msg_and_die("--install: without /proc, call it by its full path");
	if (n < 0)
		n = (ssize_t)bb_snprintf(self, sizeof(self), "%s", argv0);
	self[n] = '\0';
	for (a = applets; a < applets + APPLET_COUNT; a++) {
		if (!a->linked)
			continue;
		if (bb_snprintf(path, sizeof(path), "%s/%s", dir, a->name) == sizeof(path) - 1)
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
	const struct bb_applet *a;
	const char *word = argc > 1 ? argv[1] : "--help";

	if (word[0] != '-')
		run_applet(word, argc - 1, argv + 1);
	if (!strcmp(word, "--list")) {
		list("");
	} else if (!strcmp(word, "--list-full")) {
		list("usr/bin/");
#if ENABLE_FEATURE_INSTALLER
	} else if (!strcmp(word, "--install")) {
		return install(argv + 2, argv[0]);
#endif
	} else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		bb_printf("warmbox %s\n", WB_VERSION);
	} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		bb_printf("warmbox %s: fill, empty and inspect the page cache\n\n"
			"Usage: warmbox APPLET [ARGUMENTS]\n"
			"   or: warmbox --list | --list-full%s\n"
			"   or: APPLET [ARGUMENTS], where APPLET is a link to warmbox\n\nApplets:",
			WB_VERSION, ENABLE_FEATURE_INSTALLER ? " | --install [-s] [DIR]" : "");
		for (a = applets; a < applets + APPLET_COUNT; a++)
			if (a->linked)
				bb_printf(" %s", a->name);
		bb_printf("\n");
	} else {
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
