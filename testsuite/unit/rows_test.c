/* SPDX-License-Identifier: 0BSD */
#include "rows.h"
#include "child.h"
#include "fakesys.h"
#include "tap.h"

static char text[1 << 20];

static void start(const char *columns)
{
	fake_start();
	bb_stdout.fd = -1;
	bb_stdout.buf = text;
	bb_stdout.size = sizeof(text) - 1;
	rows_columns(columns, NULL, 4);
}

static const char *printed(void)
{
	text[bb_stdout.len] = '\0';
	bb_stdout.len = 0;
	return text;
}

static struct row file(const char *name, uint64_t pages, uint64_t resident)
{
	return (struct row){ .name = name, .map = "-", .size = pages * 4096, .pages = pages,
		.count = { resident }, .known = true, .detailed = true };
}

/* A file's number of resident pages and its name come from i; each number comes several times. */
static uint64_t nth(unsigned i, char name[16])
{
	bb_snprintf(name, 16, "%06u", i * 7919 % 99991);
	return i * 31 % 97;
}

/* The first top of n rows are those, in that order, which come of looking for the next each time. */
static void sorts(void)
{
	static const unsigned tops[] = { 1, 2, 3, 50, 128, 129, 499, 500, 501, 5000 };
	static bool used[500];
	char name[16], best_name[16], want[32];
	unsigned n, i, k, t, best;

	start("PAGES,FILE");
	rows.raw = rows.no_headings = true;
	for (t = 0; t < ARRAY_SIZE(tops); t++)
		for (n = 0; n <= 500; n += 125) {
			const char *line;

			rows_sort("PAGES", tops[t]);
			rows_begin();
			for (i = 0; i < n; i++) {
				uint64_t pages = nth(i, name);
				struct row r = file(name, 1000, pages);

				rows_add(&r);
			}
			rows_end(NULL);
			line = printed();
			line += *line == '\n';	/* it parts tables */
			memset(used, 0, sizeof(used));
			for (k = 0; k < MIN(n, tops[t]); k++) {
				for (best = n, i = 0; i < n; i++) {
					if (used[i])
						continue;
					if (best == n || nth(i, name) > nth(best, best_name)
							|| (nth(i, name) == nth(best, best_name)
							&& strcmp(name, best_name) < 0))
						best = i;
				}
				used[best] = true;
				i = (unsigned)nth(best, name);
				bb_snprintf(want, sizeof(want), "%u %s\n", i, name);
				CHECK(!strncmp(line, want, strlen(want)), "top %u of %u, %u: not %s",
					tops[t], n, k, want);
				line += strlen(want);
			}
			CHECK(!*line, "top %u of %u: more than that", tops[t], n);
		}
}

static void columns(void)
{
	struct row a = file("a", 1000, 0), b = file("b\n", 1000, 999), c = file("c", 0, 0);

	start("pct,FILE,Res");
	rows_begin();
	rows_add(&a);
	a.count[0] = 1;
	rows_add(&a);
	rows_add(&b);
	rows_add(&c);
	c.known = false;
	rows_end(&c);
	STREQ(printed(), "  PCT FILE    RES\n   0% a        0B\n 0.1% a        4K\n"
		"99.9% b\\x0a  3.9M\n 100% c        0B\n    ? c         ?\n");
}

/* Names that fill the memory for them, and one that does not fit. */
static void long_names(void)
{
	static char name[40000];
	struct row r = file(name, 1, 1);
	unsigned i, n, sum = 0;

	start("FILE");
	rows.no_headings = true;
	rows_begin();
	for (i = 0; i < 40; i++) {
		n = i == 20 ? sizeof(name) - 1 : i * 400;
		memset(name, 'a' + (int)i % 26, n);
		name[n] = '\0';
		rows_add(&r);
		sum += n + 1;
	}
	rows_end(NULL);
	EQ(strlen(printed()), sum);
	for (i = 0, n = 0; i < 40; i++) {
		size_t len = strcspn(text + n, "\n");

		EQ(len, i == 20 ? sizeof(name) - 1 : i * 400);
		CHECK(!len || text[n] == 'a' + (int)i % 26, "row %u is another's", i);
		n += (unsigned)len + 1;
	}
}

static void json(void)
{
	struct row a = file("\"", 1000, 500), b = file("b", 1, 1);

	rows.json = true;
	start("FILE,MAP,RES,SIZE");
	a.map = NULL;
	a.known = false;
	rows_begin();
	rows_add(&a);
	rows.bytes = true;
	rows_end(&b);
	STREQ(printed(), "{\n   \"fincore\": [\n      {\n         \"file\": \"\\\"\",\n"
		"         \"map\": null,\n         \"res\": null,\n         \"size\": 4096000\n      }"
		"\n   ],\n   \"total\": {\n         \"file\": \"b\",\n         \"map\": \"-\",\n"
		"         \"res\": 4096,\n         \"size\": 4096\n      }\n}\n");
	rows.fincore = true;
	rows_begin();
	rows_end(NULL);
	STREQ(printed(), "{\n   \"fincore\": [\n   ]\n}\n");
}

int main(void)
{
	isolated(columns);
	tap("columns");
	isolated(sorts);
	tap("the first of many");
	isolated(long_names);
	tap("long names");
	isolated(json);
	tap("JSON");
	return tap_end();
}
