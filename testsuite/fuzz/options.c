/* SPDX-License-Identifier: 0BSD */
/* getopt32 with the option strings of every applet; the words are the input's lines */
#include "fuzz.h"
#include "opts.h"

static const struct {
	const char *letters, *longs;
} applets[] = {
#define APPLET(name) { name##_OPTSTR, name##_LONGS },
#include "optlist.h"
};

static char *words[64], *argv[66];
static const char *letters, *longs;
static uint32_t seen;

static void parse(void *unused)
{
	(void)unused;
	seen = getopt32(argv, letters, longs);
}

static bool takes_argument(int bit)
{
	const char *p = letters + (*letters == '+');

	for (; *p; bit--) {
		bool argument = *++p == ':';

		p += strspn(p, ":*");
		if (!bit)
			return argument;
	}
	abort();	/* a bit that no option has */
}

static void one(int count)
{
	int status, n = 0, word = 0;

	memset(opt_arg, 0, sizeof(opt_arg));
	memset(opt_list, 0, sizeof(opt_list));
	argv[0] = "applet";
	memcpy(argv + 1, words, sizeof(words));
	argv[count + 1] = NULL;
	status = fuzz_call(parse, NULL);
	HOLDS(status == -1 || status == EXIT_DONE || status == EXIT_USAGE);
	if (status >= 0)
		return;
	for (int bit = 0; bit < 32; bit++) {
		bool argument = seen & 1u << bit && takes_argument(bit);

		HOLDS(!opt_arg[bit] == !argument);
		HOLDS(!opt_list[bit] || argument);
	}
	/* the operands are words of the line, in its order */
	for (; argv[n]; n++) {
		HOLDS(n < count);
		while (word < count && words[word] != argv[n])
			word++;
		HOLDS(word++ < count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), *p = text;
	int count = 0;

	while (count < 64 && p) {
		words[count++] = p;
		p = strchr(p, '\n');
		if (p)
			*p++ = '\0';
	}
	for (size_t i = 0; i < ARRAY_SIZE(applets); i++) {
		letters = applets[i].letters;
		longs = applets[i].longs;
		one(count);
	}
	free(text);
	return 0;
}
