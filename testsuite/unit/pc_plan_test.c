/* SPDX-License-Identifier: 0BSD */
#include "pc_many.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"

static unsigned finished, failed;
static uint64_t asked, was;	/* bytes */

/* Of each range, as a list has it; the second one is there already. */
static bool look(struct pc_file *f UNUSED_PARAM, struct pc_task *t)
{
	t->done = t->fetch.off == 4096;
	return true;
}

static void finish(const struct pc_task *t)
{
	finished++;
	failed += t->result != 0;
	asked += t->fetch.asked;
	was += t->fetch.was;
}

static void error(const char *path UNUSED_PARAM, int err UNUSED_PARAM)
{
	failed = 100;
}

static bool look_at_all(struct pc_file *f, struct pc_task *t)
{
	struct pc_pages p;

	if (!t->fetch.len)
		t->fetch.len = UINT64_MAX;
	t->fetch.was_known = pc_query(f, t->fetch.off, t->fetch.len, &p) != PC_UNKNOWN;
	t->fetch.was = p.resident * pc_pagesize();
	t->done = t->fetch.was_known && p.resident == p.total;
	return true;
}

static void missed(const char *path UNUSED_PARAM, int err UNUSED_PARAM)
{
	failed++;
}

static struct fake_file *made[40];

/* 40 files of two pages, one of them cached of every fifth; the tenth is bigger. */
static void start(void)
{
	char name[8];

	pc_forked();
	fake_start();
	fake.fd_limit = 100;
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%02u", i);
		made[i] = fake_add(name, i == 10 ? 1 << 20 : 8000);
		if (i % 5 == 0)
			fake_cache(made[i], 0, 4096, RESIDENT);
	}
}

static void run(bool in_order, bool wait, const char *ranges)
{
	struct pc_plan plan = { .wait = wait, .in_order = in_order, .look = look_at_all,
		.finish = finish, .error = missed };
	struct pc_task t = { .ranges = ranges };

	finished = failed = 0;
	asked = was = 0;
	for (unsigned i = 0; i < 40; i++) {
		t.path = made[i]->name;
		pc_plan_add(&plan, &t, 0, 0, 0);
	}
	pc_plan_run(&plan);
	EQ(fake.leaked, 0);
	EQ(fake.mapped, 0);
	CHECK(!fake.broken, "%s", fake.broken);
}

static uint64_t absent(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 40; i++)
		n += fake_not_asked(made[i]);
	return n;
}

static void side_by_side(void)
{
	unsigned n, seen = 0;

	start();
	run(true, false, NULL);
	EQ(finished, 40);
	EQ(failed, 0);
	EQ(absent(), 0);
	EQ(was, 8 * 4096);
	EQ(asked, 32 * 8192 + 7 * 4096 + (1 << 20) - 4096);
	EQ(fake.willneeds, 2);
	CHECK(fake.most_opens > 28, "%u calls", fake.calls);
	for (unsigned i = 0; i < 39; i++)
		if (made[i]->page[1].born > made[i + 1]->page[1].born)
			seen++;
	EQ(seen, 0);
	for (unsigned i = 0; i < 40; i++)
		EQ(made[i]->page[1].asked, 1);
	tap("small files: one call asks for many, in order, and the count is right");

	start();
	run(true, true, "0+10,4096+9000");
	EQ(finished, 80);
	EQ(failed, 0);
	EQ(fake.willneeds, 3);
	EQ(fake_count(made[39], RESIDENT), 2);
	EQ(fake_count(made[10], RESIDENT), 4);
	tap("small files: ranges too, each file opened once for asking");

	start();
	fake.fd_limit = 16;
	run(true, false, NULL);
	EQ(failed, 0);
	EQ(absent(), 0);
	CHECK(fake.most_opens > 4 && fake.most_opens < 12, "%u", fake.most_opens);
	tap("small files: with few descriptors");

	start();
	fake.map_error = true;
	run(true, false, NULL);
	EQ(failed, 0);
	EQ(absent(), 0);
	EQ(fake.willneeds, 0);
	tap("small files: without mmap");

	start();
	for (unsigned i = 0; i < 40; i += 2)
		fake_cache(made[i], 0, made[i]->size, RESIDENT);
	run(true, false, NULL);
	EQ(finished, 40);
	EQ(fake.willneeds, 1);
	tap("small files: those that are there do not part the others");

	start();
	fake_hole(made[1], 0, 4096);
	fake_hole(made[2], 0, 8192);
	run(true, false, NULL);
	EQ(absent(), 0);
	EQ(fake.hole_asks, 0);
	tap("small files: holes are not asked for");

	for (unsigned i = 0; i < 4; i++) {
		start();
		for (unsigned j = 2; j < 40; j++)
			made[j] = made[j & i & 1];
		run(i < 2, false, NULL);
		EQ(finished, 40);
		EQ(asked, 4096 + 8192);
	}
	tap("small files: the same ones many times count once");

	for (int wait = 0; wait < 2; wait++) {
		n = 0;
		do {
			start();
			fake.fail_at = ++n;
			fake.fail_error = EIO;
			run(true, wait, "0+4096,4096+4096");
			CHECK(finished + failed >= 79, "%u calls", fake.calls);
			CHECK(failed <= 2, "%u calls", fake.calls);
			CHECK(absent() <= 254 + 2, "%u calls", fake.calls);
		} while (fake.failed && n < 5000);
		CHECK(n > 100 && n < 5000, "%u calls", fake.calls);
	}
	tap("small files: any call failing");
}

int main(void)
{
	side_by_side();
	for (int batch = 0; batch < 2; batch++) {
		struct pc_plan plan = { .one_by_one = !batch, .wait = true, .look = look,
			.finish = finish, .error = error };
		struct pc_task t = { .path = "file", .ranges = "0+4096,4096+4096,8192+4096" };
		struct fake_file *f;

		fake_start();
		pc_forked();
		f = fake_add("file", 12288);
		f->page[0].bad = true;
		fake_cache(f, 4096, 4096, RESIDENT);
		finished = failed = 0;
		pc_plan_add(&plan, &t, 0, 0, 0);
		pc_plan_run(&plan);
		EQ(finished, 3);
		EQ(failed, 1);
		EQ(fake.leaked, 0);
	}
	tap("ranges of a file: the error of one is not told of the next");
	return tap_end();
}
