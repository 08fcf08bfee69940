// SPDX-License-Identifier: GPL-2.0-or-later
/* test_daemon_perf_attribute.c -- tests the conversion of perf records to runs of samples:
 * contexts, offsets, counts, and named losses. */
#include "config.h"
#include "tests/unit/check.h"

#include "daemon/image/image.h"
#include "daemon/image/mapped_file.h"
#include "daemon/source/perf_attribute.h"
#include "daemon/image/process.h"

#define MAX_RUNS 64

struct fixture {
	/* must be the first member, because the callbacks cast it */
	struct opd_sink sink;
	struct opd_images *images;
	struct opd_mapped_files *files;
	struct opd_processes *ps;
	struct opd_perf_attributor a;

	struct {
		struct opd_context ctx;
		struct opd_sample first;
		size_t nr;
		uint64_t sum;
	} runs[MAX_RUNS];
	size_t nr_runs;
	char named[64];			/* last reported name of a task, as "TGID TID NAME" */
	pid_t execed;			/* last process that has executed a program */
};

static void on_name(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name, uint64_t when)
{
	struct fixture *f = (struct fixture *)sink;

	assert_int_equal(when, 0);	/* names are reported in order, so the time is 0 */
	snprintf(f->named, sizeof(f->named), "%d %d %s", (int)tgid, (int)tid, name);
}

static void on_start(struct opd_sink *sink, pid_t tgid, pid_t tid, pid_t parent_tgid, pid_t parent_tid)
{
	struct fixture *f = (struct fixture *)sink;

	snprintf(f->named, sizeof(f->named), "%d %d of %d %d", (int)tgid, (int)tid, (int)parent_tgid, (int)parent_tid);
}

static void on_exec(struct opd_sink *sink, pid_t tgid)
{
	((struct fixture *)sink)->execed = tgid;
}

static void on_samples(struct opd_sink *sink, const struct opd_context *ctx,
		       const struct opd_sample *samples, size_t nr)
{
	struct fixture *f = (struct fixture *)sink;

	assert_true(f->nr_runs < MAX_RUNS);
	assert_true(nr > 0);
	f->runs[f->nr_runs].ctx = *ctx;
	f->runs[f->nr_runs].first = samples[0];
	f->runs[f->nr_runs].nr = nr;
	for (size_t i = 0; i < nr; i++)
		f->runs[f->nr_runs].sum += samples[i].count;
	f->nr_runs++;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || opd_images_create(&f->images) || opd_mapped_files_create(&f->files, f->images) ||
	    /* a simulated /proc without processes */
	    opd_processes_create(&f->ps, f->files, "/sys"))
		return -1;
	f->sink.samples = on_samples;
	f->sink.named = on_name;
	f->sink.started = on_start;
	f->sink.execed = on_exec;
	opd_perf_attributor_init(&f->a, f->ps, &f->sink);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	opd_processes_destroy(f->ps);
	opd_mapped_files_destroy(f->files);
	opd_images_destroy(f->images);
	free(f);
	return 0;
}

static void notice(struct fixture *f, const struct opd_perf_record *r)
{
	opd_perf_attribute_notice(&f->a, r);
}

static void map(struct fixture *f, uint64_t time, pid_t pid, uint64_t start, const char *path)
{
	struct opd_perf_record r = {
		.kind = OPD_PERF_MMAP, .time = time, .pid = pid, .tid = pid,
		.mmap = { .start = start, .len = 0x1000, .pgoff = 0x3000, .ino = 5, .path = path },
	};

	notice(f, &r);
}

/* Start a process with /bin/a mapped at 0x400000 and generated code at 0x500000. */
static void start_program(struct fixture *f, uint64_t time, pid_t pid)
{
	struct opd_perf_record r = {
		.kind = OPD_PERF_EXEC, .time = time, .pid = pid, .tid = pid,
		.name = { "a" },
	};

	notice(f, &r);
	map(f, time, pid, 0x400000, "/bin/a");
	map(f, time, pid, 0x500000, "//anon");
}

static void sample(struct fixture *f, enum opd_perf_mode mode, uint64_t ip, pid_t pid, pid_t tid)
{
	struct opd_perf_record r = {
		.kind = OPD_PERF_SAMPLE, .mode = mode, .time = 1000, .pid = pid, .tid = tid,
		.sample.ip = ip,
	};

	opd_perf_attribute_sample(&f->a, 3, 0, &r, NULL);
}

static void user(struct fixture *f, uint64_t ip, pid_t pid)
{
	sample(f, OPD_PERF_MODE_USER, ip, pid, pid);
}

static void samples_of_one_context_form_one_run(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	for (uint64_t i = 0; i < 100; i++)
		user(f, 0x400000 + i, 100);
	assert_int_equal(f->nr_runs, 0);	/* the run was not delivered yet */
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 1);
	assert_int_equal(f->runs[0].nr, 100);
	assert_int_equal(f->runs[0].first.offset, 0x3000);
	assert_int_equal(f->runs[0].ctx.domain, OPD_USER_FILE);
	assert_int_equal(f->runs[0].ctx.cpu, 3);
	assert_int_equal(f->runs[0].ctx.tgid, 100);
	assert_string_equal(f->runs[0].ctx.image->path, "/bin/a");
	assert_ptr_equal(f->runs[0].ctx.app, f->runs[0].ctx.image);
}

static void repeated_addresses_are_counted(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	for (int i = 0; i < 1000; i++)
		user(f, 0x400010, 100);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 1);
	assert_int_equal(f->runs[0].nr, 1);
	assert_int_equal(f->runs[0].first.count, 1000);
}

static void long_runs_are_split(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	for (uint64_t i = 0; i < 3 * OPD_PERF_RUN + 1; i++)
		user(f, 0x400000 + i, 100);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 4);
	assert_int_equal(f->runs[0].nr, OPD_PERF_RUN);
	assert_int_equal(f->runs[3].nr, 1);
	assert_string_equal(f->runs[3].ctx.image->path, "/bin/a");
}

static void context_change_ends_run(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	start_program(f, 1, 200);
	user(f, 0x400000, 100);
	/* a sample of another process begins a new run */
	user(f, 0x400000, 200);
	/* a sample of another thread begins a new run */
	sample(f, OPD_PERF_MODE_USER, 0x400000, 200, 201);
	/* a sample of another mapping begins a new run */
	sample(f, OPD_PERF_MODE_USER, 0x500000, 200, 201);
	sample(f, OPD_PERF_MODE_KERNEL, 0xffffffff81000000, 200, 201);
	sample(f, OPD_PERF_MODE_USER, 0x500000, 200, 201);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 6);
	assert_int_equal(f->runs[1].ctx.tgid, 200);
	assert_int_equal(f->runs[2].ctx.tid, 201);
	assert_int_equal(f->runs[3].ctx.domain, OPD_USER_ANON);
	assert_int_equal(f->runs[3].ctx.anon.start, 0x500000);
	assert_int_equal(f->runs[3].ctx.anon.end, 0x501000);
	assert_string_equal(f->runs[3].ctx.anon.label, "anon");
	assert_int_equal(f->runs[3].first.offset, 0x500000);
	assert_int_equal(f->runs[4].ctx.domain, OPD_KERNEL);
	assert_int_equal(f->runs[4].first.offset, 0xffffffff81000000);
	assert_string_equal(f->runs[4].ctx.app->path, "/bin/a");
}

static void notice_applies_to_next_sample(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	user(f, 0x400000, 100);
	map(f, 2, 100, 0x400000, "/lib/b.so");
	user(f, 0x400000, 100);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 2);
	assert_string_equal(f->runs[0].ctx.image->path, "/bin/a");
	assert_string_equal(f->runs[1].ctx.image->path, "/lib/b.so");
	assert_string_equal(f->runs[1].ctx.app->path, "/bin/a");
}

static void kernel_samples_of_exited_tasks_are_counted(void **state)
{
	struct opd_perf_task exited = { 100, 101 };
	struct opd_perf_record r = {
		.kind = OPD_PERF_SAMPLE, .mode = OPD_PERF_MODE_KERNEL, .time = 1000,
		.pid = -1, .tid = -1, .sample.ip = 0xffffffff81000000,
	};
	struct fixture *f = *state;

	start_program(f, 1, 100);
	/* If a task was reaped while it was still running, it has no id: the sample is assigned to
	 * the last task that exited on this CPU. */
	opd_perf_attribute_sample(&f->a, 0, 0, &r, &exited);
	opd_perf_attribute_end(&f->a);
	opd_perf_attribute_sample(&f->a, 0, 0, &r, NULL);
	/* Kernel samples of an unknown task and of the idle task are counted without a program. */
	sample(f, OPD_PERF_MODE_KERNEL, 1, 4711, 4711);
	sample(f, OPD_PERF_MODE_KERNEL, 1, 0, 0);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 4);
	assert_int_equal(f->runs[0].ctx.tgid, 100);
	assert_int_equal(f->runs[0].ctx.tid, 101);
	assert_string_equal(f->runs[0].ctx.app->path, "/bin/a");
	assert_int_equal(f->runs[1].ctx.tgid, 0);
	assert_null(f->runs[1].ctx.app);
	assert_null(f->runs[2].ctx.app);
	assert_int_equal(f->runs[3].ctx.tgid, 0);
}

/*
 * All samples of a virtual machine are counted at the same address, because an address in the
 * virtual machine may equal an address of the program that runs it.
 */
static void guest_samples_share_one_address(void **state)
{
	struct fixture *f = *state;

	start_program(f, 1, 100);
	user(f, 0x400000, 100);
	sample(f, OPD_PERF_MODE_GUEST, 0x400000, 100, 101);
	sample(f, OPD_PERF_MODE_GUEST, 0xffffffff81000000, 100, 101);
	sample(f, OPD_PERF_MODE_GUEST, UINT64_MAX, 100, 101);
	sample(f, OPD_PERF_MODE_KERNEL, 0xffffffff81000000, 100, 101);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(f->nr_runs, 3);
	assert_int_equal(f->runs[1].ctx.domain, OPD_GUEST);
	assert_int_equal(f->runs[1].ctx.tid, 101);
	assert_string_equal(f->runs[1].ctx.app->path, "/bin/a");
	assert_int_equal(f->runs[1].sum, 3);
	assert_int_equal(f->runs[1].nr, 1);
	assert_int_equal(f->runs[1].first.offset, 0);
	assert_int_equal(f->runs[2].ctx.domain, OPD_KERNEL);
	assert_int_equal(f->a.counters.lost_mode, 0);
}

static void lost_samples_are_counted_by_reason(void **state)
{
	struct fixture *f = *state;
	const struct opd_perf_counters *c = &f->a.counters;
	struct opd_perf_record r = {
		.kind = OPD_PERF_SAMPLE, .mode = OPD_PERF_MODE_USER, .pid = 100,
	};

	start_program(f, 1, 100);
	user(f, 0x400000, 100);
	user(f, 0x999000, 100);
	user(f, 0x400000, 4711);
	sample(f, OPD_PERF_MODE_OTHER, 0x400000, 100, 100);
	opd_perf_attribute_sample(&f->a, 0, -1, &r, NULL);
	/* A sample that follows lost samples is counted as before. */
	user(f, 0x400000, 100);
	opd_processes_find(f->ps, 0, 100)->unread = true;
	user(f, 0x999000, 100);
	opd_processes_find(f->ps, 0, 100)->hidden = true;
	user(f, 0x999000, 100);
	opd_perf_attribute_end(&f->a);
	assert_int_equal(c->received, 8);
	assert_int_equal(c->lost_mapping, 1);
	assert_int_equal(c->lost_unread, 1);
	assert_int_equal(c->lost_hidden, 1);
	assert_int_equal(c->lost_process, 1);
	assert_int_equal(c->lost_mode, 1);
	assert_int_equal(c->lost_event, 1);
	assert_int_equal(f->nr_runs, 2);
	assert_int_equal(f->runs[0].sum + f->runs[1].sum, 2);
}

static void new_kernel_code_is_reported(void **state)
{
	struct fixture *f = *state;
	struct opd_perf_record r = { .kind = OPD_PERF_KERNEL_CODE };

	assert_false(f->a.modules_changed);
	notice(f, &r);
	assert_true(f->a.modules_changed);
}

static void task_names_are_reported(void **state)
{
	struct fixture *f = *state;
	struct opd_perf_record r = {
		.kind = OPD_PERF_NAME, .time = 2, .pid = 100, .tid = 101, .name = { "worker" },
	};

	start_program(f, 1, 100);
	assert_string_equal(f->named, "100 100 a");
	assert_int_equal(f->execed, 100);
	user(f, 0x400000, 100);
	notice(f, &r);
	assert_string_equal(f->named, "100 101 worker");
	user(f, 0x400000, 100);
	opd_perf_attribute_end(&f->a);
	/* A new name of a task does not end the run. */
	assert_int_equal(f->nr_runs, 1);
	assert_int_equal(f->runs[0].sum, 2);
	r = (struct opd_perf_record){
		.kind = OPD_PERF_FORK, .time = 3, .pid = 100, .tid = 102, .fork = { .parent_pid = 100, .parent_tid = 101 },
	};
	notice(f, &r);
	assert_string_equal(f->named, "100 102 of 100 101");
}

#define test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(samples_of_one_context_form_one_run),
		test(repeated_addresses_are_counted),
		test(long_runs_are_split),
		test(context_change_ends_run),
		test(notice_applies_to_next_sample),
		test(kernel_samples_of_exited_tasks_are_counted),
		test(guest_samples_share_one_address),
		test(lost_samples_are_counted_by_reason),
		test(new_kernel_code_is_reported),
		test(task_names_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
