/* SPDX-License-Identifier: 0BSD */
/* getopt32.c - options from the strings that the applet's usage text generates. */

#include "libbb.h"

char *opt_arg[32];
llist_t *opt_list[32];

/* The bit of option c; *code is left at its letter in optstr. -1: there is none. */
static int bit_of(const char *optstr, char c, const char **code)
{
	int bit;

	for (bit = 0; *optstr; bit++) {
		/* letter 1 stands for an option that is configured out, 2 for a nameless one */
		if (*optstr == c && c > 2) {
			*code = optstr;
			return bit;
		}
		optstr++;
		while (*optstr == ':' || *optstr == '*')
			optstr++;
	}
	return -1;
}

/* The same for a long name; a unique beginning of one is enough. */
static int bit_of_long(const char *optstr, const char *longs, const char *name, const char **code)
{
	int found = -1, bit;

	for (bit = 0; *optstr; bit++) {
		const char *rest = is_prefixed_with(longs, name);

		if (*optstr != 1 && rest) {
			bool whole = !*rest;

			if (found >= 0 && !whole)
				return -2;
			found = bit;
			*code = optstr;
			if (whole)
				break;
		}
		longs += strlen(longs) + 1;
		optstr++;
		while (*optstr == ':' || *optstr == '*')
			optstr++;
	}
	return found;
}

static void common_option(char c)
{
	if (c == 'V') {
		bb_printf("%s (warmbox %s)\n", applet_name, WB_VERSION);
		bb_exit(EXIT_DONE);
	}
	bb_show_help();
}

/* Takes one option; returns whether the argument arg was used up. */
static bool take(uint32_t *seen, int bit, const char *code, char *arg)
{
	*seen |= 1u << bit;
	if (code[1] != ':')
		return false;
	opt_arg[bit] = arg;
	if (code[2] == '*')
		llist_append(&opt_list[bit], arg);
	return true;
}

static bool long_option(uint32_t *seen, const char *optstr, const char *longs, char *word,
	char *next)
{
	char *end = bb_strchrnul(word, '=');
	char *arg = *end ? end + 1 : NULL;
	const char *code = NULL;
	int bit;

	*end = '\0';
	if (!arg && (!strcmp(word, "help") || !strcmp(word, "version")))
		common_option(word[0] == 'v' ? 'V' : 'h');
	bit = *word ? bit_of_long(optstr, longs, word, &code) : -1;
	if (bit < 0)
		bb_usage_error("%s option '--%s'", bit == -2 ? "ambiguous" : "unknown", word);
	if (code[1] != ':') {
		if (arg)
			bb_usage_error("option '--%s' takes no argument", word);
		return take(seen, bit, code, NULL);
	}
	if (!arg && !next)
		bb_usage_error("option '--%s' needs an argument", word);
	take(seen, bit, code, arg ? arg : next);
	return !arg;
}

uint32_t getopt32(char **argv, const char *optstr, const char *longs)
{
	bool operand_ends = *optstr == '+';
	char **in = argv, **out = argv;
	uint32_t seen = 0;

	optstr += operand_ends;
	if (*in)
		in++;
	while (*in) {
		char *word = *in++;

		if (word[0] != '-' || !word[1]) {
			*out++ = word;
			if (operand_ends)
				break;
			continue;
		}
		if (word[1] == '-' && !word[2])
			break;
		if (word[1] == '-') {
			if (!ENABLE_LONG_OPTS || !longs)
				bb_usage_error("unknown option '%s'", word);
			if (long_option(&seen, optstr, longs, word + 2, *in))
				in++;
			continue;
		}
		while (*++word) {
			const char *code = NULL;
			int bit = bit_of(optstr, *word, &code);

			if (bit < 0 && (*word == 'h' || *word == 'V'))
				common_option(*word);
			if (bit < 0)
				bb_usage_error("unknown option '-%c'", *word);
			if (code[1] != ':') {
				take(&seen, bit, code, NULL);
				continue;
			}
			if (word[1])
				take(&seen, bit, code, word + 1);
			else if (*in)
				take(&seen, bit, code, *in++);
			else
				bb_usage_error("option '-%c' needs an argument", *word);
			break;
		}
	}
	while (*in)
		*out++ = *in++;
	*out = NULL;
	return seen;
}
