/* SPDX-License-Identifier: 0BSD */
#include "libbb.h"
#include "child.h"
#include "tap.h"

/* \1 stands for an option that is configured out: it keeps its bit. */
#define OPTSTRING "ab:\1:c:*\1d"
#define LONGS "alpha\0beta\0\0collect\0\0alps\0"
enum { A = 1, B = 2, GONE = 4, C = 8, GONE_TOO = 16, D = 32 };

void bb_show_usage(void)
{
	fputs("usage\n", stderr);
	_exit(EXIT_USAGE);
}

void bb_show_help(void)
{
	fputs("help\n", stderr);
	_exit(EXIT_DONE);
}

static char *argv[16];
static const char *optstring = OPTSTRING, *longs = LONGS;

/* "-a -b x FILE": the words of a command line. */
static uint32_t parse(const char *line)
{
	static char words[200];
	int n = 0;

	memset(opt_arg, 0, sizeof(opt_arg));
	memset(opt_list, 0, sizeof(opt_list));
	strcpy(words, line);
	argv[n++] = "prog";
	for (char *p = strtok(words, " "); p; p = strtok(NULL, " "))
		argv[n++] = strcmp(p, "''") ? p : "";
	argv[n] = NULL;
	return getopt32(argv, optstring, longs);
}

static void operands_are(const char *want)
{
	char got[200] = "";

	for (char **a = argv; *a; a++)
		sprintf(got + strlen(got), "%s%s", a == argv ? "" : " ", *a);
	STREQ(got, want);
}

static void parses(const char *line, uint32_t bits, const char *operands)
{
	uint32_t got = parse(line);

	CHECK(got == bits, "%s: options 0x%x instead of 0x%x", line, got, bits);
	operands_are(operands);
}

static const char *bad_line;

static void parse_bad(void)
{
	parse(bad_line);
	_exit(77);
}

static void fails(const char *line, int status, const char *message)
{
	char text[300];
	int s;

	bad_line = line;
	s = in_child(parse_bad, text, sizeof(text));
	CHECK(WIFEXITED(s) && WEXITSTATUS(s) == status, "%s: status 0x%x", line, s);
	CHECK(!strcmp(text, message), "%s: \"%s\" instead of \"%s\"", line, text, message);
}

static void repeated(void)
{
	llist_t *l;

	parses("-c 1 x -c2 --collect 3 --collect=4", C, "x");
	l = opt_list[3];
	for (int i = '1'; i <= '4'; i++) {
		CHECK(l && l->data[0] == i, "item %c", i);
		l = l ? l->link : l;
	}
	CHECK(!l, "too many items");
	STREQ(opt_arg[3], "4");
	parses("-b 1 -b 2", B, "");
	STREQ(opt_arg[1], "2");
	CHECK(!opt_list[1] && !opt_arg[3], "kept from before");
}

int main(void)
{
	parses("", 0, "");
	parses("x", 0, "x");
	parses("-a", A, "");
	parses("x -a y -d z", A | D, "x y z");
	parses("-a - x", A, "- x");
	parses("'' -a", A, "");
	EQ(argv[0] && !argv[0][0] && !argv[1], 1);
	parses("-ad", A | D, "");
	parses("-dadda x", A | D, "x");
	parses("-a -- -d -x --alpha", A, "-d -x --alpha");
	parses("x -- -- y", 0, "x -- y");
	parses("--", 0, "");
	tap("operands, clusters, --");

	parses("-b 1 x", B, "x");
	STREQ(opt_arg[1], "1");
	parses("-b1 x", B, "x");
	STREQ(opt_arg[1], "1");
	parses("-adb -d x", A | B | D, "x");
	STREQ(opt_arg[1], "-d");
	parses("-b -- x", B, "x");
	STREQ(opt_arg[1], "--");
	parses("-b '' x", B, "x");
	STREQ(opt_arg[1], "");
	parses("-b=1", B, "");
	STREQ(opt_arg[1], "=1");
	tap("arguments, joined and not");

	repeated();
	tap("repeated options");

	parses("--alpha x", A, "x");
	parses("--beta 1 --alps x", B | D, "x");
	STREQ(opt_arg[1], "1");
	parses("--beta=1=2 x", B, "x");
	STREQ(opt_arg[1], "1=2");
	parses("--beta= x", B, "x");
	STREQ(opt_arg[1], "");
	parses("--beta -- x", B, "x");
	STREQ(opt_arg[1], "--");
	parses("--be 1 --alph --col=y", A | B | C, "");
	parses("-- --alpha", 0, "--alpha");
	tap("long options, and their unique beginnings");

	optstring = "+" OPTSTRING;
	parses("-a x -d --beta y", A, "x -d --beta y");
	parses("-a -- x -d", A, "x -d");
	parses("-b 1 - -d", B, "- -d");
	parses("-b 1 -- -- -d", B, "-- -d");
	tap("+ stops at the first operand");
	optstring = OPTSTRING;

	fails("-x", 2, "warmbox: unknown option '-x'\n");
	fails("-ax", 2, "warmbox: unknown option '-x'\n");
	fails("-:", 2, "warmbox: unknown option '-:'\n");
	fails("-*", 2, "warmbox: unknown option '-*'\n");
	fails("-\1", 2, "warmbox: unknown option '-\1'\n");
	fails("-\2", 2, "warmbox: unknown option '-\2'\n");
	fails("-+", 2, "warmbox: unknown option '-+'\n");
	fails("-b", 2, "warmbox: option '-b' needs an argument\n");
	fails("x -ab", 2, "warmbox: option '-b' needs an argument\n");
	fails("--gamma", 2, "warmbox: unknown option '--gamma'\n");
	fails("--gamma=1", 2, "warmbox: unknown option '--gamma'\n");
	fails("--alphabet", 2, "warmbox: unknown option '--alphabet'\n");
	fails("--al", 2, "warmbox: ambiguous option '--al'\n");
	fails("--=1", 2, "warmbox: unknown option '--'\n");
	fails("--alpha=1", 2, "warmbox: option '--alpha' takes no argument\n");
	fails("--alpha=", 2, "warmbox: option '--alpha' takes no argument\n");
	fails("--beta", 2, "warmbox: option '--beta' needs an argument\n");
	tap("wrong usage: one line, status 2");

	fails("-h -x", 0, "help\n");
	fails("-ah", 0, "help\n");
	fails("x --help", 0, "help\n");
	tap("-h and --help everywhere");

	optstring = "ab:h";
	longs = "alpha\0help-me\0host\0";
	parses("-h", 4, "");
	optstring = "a\2:b";
	longs = "alpha\0nameless\0beta\0";
	parses("--nameless=1 -b", 6, "");
	STREQ(opt_arg[1], "1");
	EQ(bb_size_option(1, 7, "number"), 1);
	opt_arg[1] = NULL;
	EQ(bb_size_option(1, 7, "number"), 7);
	tap("an applet's own -h, options without a letter");
	return tap_end();
}
