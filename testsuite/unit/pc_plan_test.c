/* SPDX-License-Identifier: 0BSD */
#include "pc_many.h"
#include "fakesys.h"
#include "libbb.h"
#include "tap.h"

static unsigned finished, failed;

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
}

static void error(const char *path UNUSED_PARAM, int err UNUSED_PARAM)
{
	failed = 100;
}

int main(void)
{
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
