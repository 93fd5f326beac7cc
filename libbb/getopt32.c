/* SPDX-License-Identifier: 0BSD */
/* getopt32.c - options from the strings that the applet's usage text generates. */

#include "libbb.h"

char *opt_arg[32];
llist_t *opt_list[32];

/* The bit of an option; *code is left at its letter in optstr. name begins with a letter where
 * longs is NULL, else it is a long one, of which a unique beginning is enough. -1: there is none,
 * -2: several. */
static int bit_of(const char *optstr, const char *longs, const char *name, const char **code)
{
	int found = -1, bit;

	for (bit = 0; *optstr; bit++) {
		const char *rest = longs ? is_prefixed_with(longs, name) : "";

		/* letter 1 stands for an option that is configured out, 2 for a nameless one */
		if (longs ? *optstr != 1 && rest : *optstr == *name && *name > 2) {
			bool whole = !*rest;

			if (found >= 0 && !whole)
				return -2;
			found = bit;
			*code = optstr;
			if (whole)
				break;
		}
		if (longs)
			longs += strlen(longs) + 1;
		optstr++;
		while (*optstr == ':' || *optstr == '*')
			optstr++;
	}
	return found;
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
		char *name = *in++;
		bool is_long;

		if (name[0] != '-' || !name[1]) {
			*out++ = name;
			if (operand_ends)
				break;
			continue;
		}
		is_long = *++name == '-';
		if (is_long && !*++name)
			break;
		do {
			const char *code = NULL, *wrong = NULL;
			char *rest = is_long ? bb_strchrnul(name, '=') : name + 1;
			int len = (int)(rest - name), bit = -1;
			bool more = *rest;

			if (is_long)
				*rest = '\0';
			if (!is_long || (ENABLE_LONG_OPTS && len))
				bit = bit_of(optstr, is_long ? longs : NULL, name, &code);
			if (is_long ? ENABLE_LONG_OPTS && !more && !strcmp(name, "help")
					: bit < 0 && *name == 'h')
				bb_show_help();
			if (is_long ? ENABLE_LONG_OPTS && !more && !strcmp(name, "version")
					: bit < 0 && *name == 'V') {
				bb_printf("%s (warmbox %s)\n", applet_name, WB_VERSION);
				bb_exit(EXIT_DONE);
			}
			if (bit == -2)
				wrong = "\4ambiguous option '%.*s'";
			else if (bit < 0)
				wrong = "\4unknown option '%.*s'";
			else if (code[1] != ':') {
				if (is_long && more)
					wrong = "\4option '%.*s' takes no argument";
			} else if (more) {
				rest += is_long;	/* = */
			} else {
				rest = *in++;
				if (!rest)
					wrong = "\4option '%.*s' needs an argument";
			}
			if (wrong) {
				name[-1] = '-';		/* b of -ab */
				name -= 1 + is_long;
				/* never returns; to say so costs 14 bytes */
				bb_error_msg(wrong, len + 1 + is_long, name);
			}
			seen |= 1u << bit;
			name = rest;
			if (code[1] == ':') {
				opt_arg[bit] = rest;
				if (code[2] == '*')
					llist_append(&opt_list[bit], rest);
				break;
			}
		} while (*name);
	}
	while (*in)
		*out++ = *in++;
	*out = NULL;
	return seen;
}

int64_t bb_size_option(unsigned bit, int64_t otherwise, const char *what)
{
	return opt_arg[bit] ? xatosize(opt_arg[bit], 0, what) : otherwise;
}
