// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_intervals_work.c -- simulates two months of a store: sessions are packed to intervals, and
 * intervals merged and deleted by the plan. The simulation is repeated, so that each system call
 * fails once and kills the process once. The store must always contain each sample exactly once.
 */
#include "config.h"
#include "intervals/work.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "intervals/file.h"
#include "intervals/plan.h"
#include "intervals/range.h"
#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/dir.h"
#include "libop/base/fs.h"
#include "libop/cpu/type.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"
#include "libop/session/path_images.h"
#include "libop/session/sample_header.h"
#include "module/uapi/unwind.h"
#include "tests/fault/fault.h"
#include "tests/unit/check.h"

#define BEGIN		1774000800	/* 2026-03-20 10:00:00 UTC */
#define HOUR		3600
#define DAY		(24 * HOUR)
#define INTERVAL	(2 * HOUR)
#define MAX_MEMORY	(64u << 20)
#define FEW_NODES	64	/* minimum number of nodes of a reduced tree */
#define KILLED		77	/* exit status of a process that the test kills at a system call */

static const struct op_image_name program = { .kind = OP_IMAGE_ROOT, .path = (char *)"/bin/program" };

/* Create the test's directory in memory if possible, because the tests sync thousands of times. */
static int make_dir(void **state)
{
	char *path = strdup("/dev/shm/oprofile-unit-XXXXXX");

	if (path && mkdtemp(path)) {
		*state = path;
		return 0;
	}
	free(path);
	return check_make_dir(state);
}

static int create(int dir, const char *path)
{
	int fd;

	assert_int_equal(op_make_parents(dir, path, 0755), 0);
	fd = openat(dir, path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	return fd;
}

static struct odb *create_cells(int samples, const struct op_sample_name *name)
{
	struct op_sample_header *header;
	struct odb *db;
	char *path;

	assert_int_equal(op_mangle(&path, name), 0);
	assert_int_equal(odb_open(&db, create(samples, path), sizeof(*header), ODB_WRITE, NULL), 0);
	free(path);
	header = odb_header(db);
	op_sample_header_init(header);
	header->cpu_type = OP_CPU_TIMER;
	header->ctr_count = name->count;
	return db;
}

static void write_kernel(int samples, const char *build_id)
{
	struct op_kernel_syms syms = { 0 };

	assert_int_equal(op_kernel_syms_set_release(&syms, "6.1.0"), 0);
	assert_int_equal(op_kernel_syms_set_build_id(&syms, build_id), 0);
	assert_int_equal(op_kernel_syms_add_image(&syms, "vmlinux", 0x1000), 0);
	assert_int_equal(op_kernel_syms_add_symbol(&syms, 0x10, 't', "idle"), 0);
	op_kernel_syms_sort(&syms);
	assert_int_equal(op_kernel_syms_write(&syms, samples), 0);
	op_kernel_syms_release(&syms);
}

/* Write samples by address, and @nr call paths of three frames with a count of 1 each. Return the
 * number of samples. */
static uint64_t write_samples(int samples, unsigned int nr, unsigned int seed)
{
	const struct op_sample_name name = {
		.app = program, .image = program, .event = (char *)"TIMER", .count = 1000000,
		.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
	};
	struct odb *cells = create_cells(samples, &name);
	struct op_path_images_writer *images;
	struct op_path_image image = { .name = program };
	struct frames *frames;
	struct tree *tree;
	uint64_t sum = 0;
	char *path;

	assert_int_equal(frames_open(&frames, create(samples, OP_PATHS_FRAMES), ODB_WRITE, 1), 0);
	assert_int_equal(op_path_images_open(&images, samples, frames_generation(frames), 0), 0);
	assert_int_equal(op_tree_name(&path, &name), 0);
	assert_int_equal(tree_open(&tree, create(samples, path), ODB_WRITE, frames_generation(frames)), 0);
	free(path);
	for (unsigned int i = 0; i < nr; i++) {
		uint64_t count = 1 + (seed + i) % 7;
		struct frame frame = { .how = OPROFILE_UW_HOW_TABLE };
		uint32_t node = TREE_ROOT, number;

		assert_int_equal(op_path_images_number(images, &image, &frame.image), 0);
		for (unsigned int depth = 0; depth < 3; depth++) {
			frame.offset = 0x1000 * (depth + 1) + (seed * 31 + i * (depth + 1)) % (200 * (depth + 1));
			assert_int_equal(frames_number(frames, &frame, &number), 0);
			assert_int_equal(tree_child(tree, node, number, &node), 0);
		}
		assert_int_equal(tree_add(tree, node, count), 0);
		assert_int_equal(odb_update(cells, frame.offset, count), 0);
		sum += count;
	}
	tree_close(tree);
	frames_close(frames);
	op_path_images_close(images);
	odb_close(cells);
	return sum;
}

/* Set the store's modification time to long ago, so that itv_store_list() need not wait. */
static void set_old_mtime(int store)
{
	static time_t last = 1000000;
	struct timespec times[2] = { { .tv_sec = ++last }, { .tv_sec = last } };

	assert_int_equal(futimens(store, times), 0);
}

static void list_store(struct itv_list *list, int store)
{
	set_old_mtime(store);
	assert_int_equal(itv_store_list(list, store), 0);
}

/* Write and close a session with @nr paths. Set @name to its name. Return the number of its
 * samples. */
static uint64_t close_session(int store, char name[ITV_NAME_SIZE], int64_t begin, unsigned int nr, const char *kernel)
{
	struct itv_entry entry = { .begin = begin, .end = begin + INTERVAL, .is_session = true };
	uint64_t sum;
	int samples;

	set_old_mtime(store);
	assert_int_equal(itv_store_new_name(&entry, store), 0);
	assert_int_equal(mkdirat(store, entry.name, 0755), 0);
	samples = openat(store, entry.name, O_RDONLY | O_DIRECTORY);
	assert_true(samples >= 0);
	sum = write_samples(samples, nr, (unsigned int)(begin / INTERVAL % 1000));
	write_kernel(samples, kernel);
	close(samples);
	strcpy(name, entry.name);
	return sum;
}

static void delete_entry(int store, const struct itv_entry *entry)
{
	int fd;

	if (!entry->is_session) {
		assert_int_equal(unlinkat(store, entry->name, 0), 0);
		return;
	}
	assert_int_equal(renameat(store, entry->name, store, ".new-deleted"), 0);
	fd = openat(store, ".new-deleted", O_RDONLY | O_DIRECTORY);
	assert_int_equal(op_empty_dir(fd), 0);
	close(fd);
	assert_int_equal(unlinkat(store, ".new-deleted", AT_REMOVEDIR), 0);
}

static void read_file(struct itv *v, int store, const struct itv_entry *entry)
{
	int fd = openat(store, entry->name, O_RDONLY), err;

	*v = (struct itv){ 0 };
	assert_true(fd >= 0);
	err = itv_file_read(v, fd, ITV_READ_ALL, MAX_MEMORY);
	if (err)
		fail_msg("%s: %s", entry->name, itv_strerror(err));
	assert_int_equal(itv_sum(v), 0);
	close(fd);
}

/* Read an interval, and check that each of its samples has a call path. */
static void read_entry(struct itv *v, int store, const struct itv_entry *entry)
{
	read_file(v, store, entry);
	assert_true(v->accounting.paths == v->accounting.samples);
}

/* Return the number of samples of all packed intervals, plus @session for each session that is not
 * packed. */
static uint64_t sum_of(int store, uint64_t session)
{
	struct itv_list list;
	uint64_t sum = 0;

	list_store(&list, store);
	for (size_t i = 0; i < list.nr; i++) {
		struct itv v;

		if (list.entries[i].is_session) {
			sum += session;
			continue;
		}
		read_entry(&v, store, &list.entries[i]);
		sum += v.accounting.samples;
		itv_release(&v);
	}
	itv_list_release(&list);
	return sum;
}

static void delete_replaced(int store)
{
	struct itv_list list;

	list_store(&list, store);
	for (size_t i = 0; i < list.nr_replaced; i++)
		delete_entry(store, &list.replaced[i]);
	itv_list_release(&list);
}

/* Close and pack a session. Return the number of its samples. */
static uint64_t pack_session(int store, struct itv_entry *entry, int64_t begin, unsigned int nr)
{
	char name[ITV_NAME_SIZE];
	uint64_t samples = close_session(store, name, begin, nr, "aa");

	set_old_mtime(store);
	assert_int_equal(itv_work_pack(entry, store, name, 0), 0);
	delete_replaced(store);
	return samples;
}

/* Check that an interval's file has at most @max_bytes, or that its tree cannot be reduced further. */
static void check_limit(int store, const struct itv_entry *entry, uint64_t max_bytes)
{
	struct itv v;

	if (entry->bytes <= max_bytes)
		return;
	read_entry(&v, store, entry);
	if (v.nr_nodes > FEW_NODES)
		fail_msg("%s has %d bytes, not %d, and %u nodes", entry->name, (int)entry->bytes, (int)max_bytes,
			 v.nr_nodes);
	itv_release(&v);
}

/* Execute the next action of the plan. Subtract deleted samples from *@sum. Return false if the
 * plan has no action. */
static bool execute_action(int store, const struct itv_plan_config *config, int64_t now,
			   uint64_t *sum)
{
	const char *names[1000];
	struct itv_list list;
	struct itv_plan plan;
	bool is_done;

	list_store(&list, store);
	assert_int_equal(itv_plan_next(&plan, config, &list, now), 0);
	is_done = plan.kind == ITV_PLAN_NOTHING;
	assert_true(plan.nr_parts < 1000);
	for (size_t i = 0; i < plan.nr_parts; i++) {
		struct itv v;

		names[i] = plan.parts[i]->name;
		if (plan.kind != ITV_PLAN_DELETE)
			continue;
		read_entry(&v, store, plan.parts[i]);
		*sum -= v.accounting.samples;
		itv_release(&v);
		delete_entry(store, plan.parts[i]);
	}
	if (plan.kind == ITV_PLAN_MERGE) {
		assert_int_equal(itv_work_merge(&plan.result, store, names, plan.nr_parts, plan.max_bytes,
						plan.kind == ITV_PLAN_SHRINK), 0);
		check_limit(store, &plan.result, plan.max_bytes);
	}
	itv_plan_release(&plan);
	itv_list_release(&list);
	return !is_done;
}

static void test_two_months_keep_all_samples(void **state)
{
	const struct itv_plan_config config = { .interval = INTERVAL, .keep = 50 * DAY, .max_bytes = 1200000 };
	struct itv_step steps[ITV_NR_STEPS];
	int store = check_open_dir(state), merges = 0;
	uint64_t sum = 0;

	itv_plan_steps(steps, &config);
	for (int64_t n = 0; n < 60 * 12; n++) {
		int64_t begin = BEGIN + n * INTERVAL, now = begin + INTERVAL;
		char name[ITV_NAME_SIZE];
		struct itv_entry entry;

		/* Simulate the boot of another kernel every 100 intervals. */
		sum += close_session(store, name, begin, 20 + n % 9 * 30, n / 100 % 2 ? "aa" : "bb");
		set_old_mtime(store);
		assert_int_equal(itv_work_pack(&entry, store, name, steps[0].max_bytes), 0);
		check_limit(store, &entry, steps[0].max_bytes);
		delete_replaced(store);
		while (execute_action(store, &config, now, &sum)) {
			merges++;
			delete_replaced(store);
		}
		if (n % 12 == 7)
			assert_true(sum_of(store, 0) == sum);
	}
	assert_true(sum_of(store, 0) == sum);
	assert_true(sum > 0);
	assert_true(merges > 50);
	close(store);
}

/* A job during which calls fail: pack .session to an interval, or merge the parts to one interval. */
struct job {
	int store;
	char session[ITV_NAME_SIZE];
	const char *parts[3];
	size_t nr_parts;
	uint64_t max_bytes;
};

static int run_job(const struct job *job)
{
	struct itv_entry result = { .begin = BEGIN, .end = BEGIN + 3 * INTERVAL, .step = 2 };

	if (*job->session)
		return itv_work_pack(&result, job->store, job->session, job->max_bytes);
	return itv_work_merge(&result, job->store, job->parts, job->nr_parts, job->max_bytes,
			      false);
}

static void run_and_exit(const struct job *job, long n)
{
	fault_arm_exit(n, KILLED);
	_exit(run_job(job) ? 1 : 0);
}

static void delete_new_files(int store)
{
	struct dirent *d;
	DIR *dir;

	assert_int_equal(op_open_dir(store, ".", &dir), 0);
	while ((d = op_next_entry(dir)))
		if (!strncmp(d->d_name, ITV_NEW_PREFIX, strlen(ITV_NEW_PREFIX)))
			assert_int_equal(unlinkat(store, d->d_name, 0), 0);
	closedir(dir);
}

static void delete_result(int store, unsigned int step, bool is_pack)
{
	struct itv_list list;

	list_store(&list, store);
	for (size_t i = 0; i < list.nr; i++)
		if (!list.entries[i].is_session && (is_pack || list.entries[i].step == step))
			delete_entry(store, &list.entries[i]);
	itv_list_release(&list);
	delete_new_files(store);
}

/* Repeat the job: in each run, another call fails or ends the process. */
static void fail_each(const struct job *job, uint64_t sum, uint64_t session)
{
	static const int errors[] = { ENFILE, ENOSPC };
	long n;
	int err, status;

	for (n = 2;; n++) {
		set_old_mtime(job->store);
		fault_arm(n / 2, errors[n % 2]);
		err = run_job(job);
		if (!fault_disarm())
			break;
		if (sum_of(job->store, session) != sum)
			fail_msg("call %ld fails (%d): %d samples, not %d", n, err, (int)sum_of(job->store, session),
				 (int)sum);
		delete_result(job->store, 2, *job->session);
	}
	assert_int_equal(err, 0);
	assert_true(sum_of(job->store, session) == sum);
	delete_result(job->store, 2, *job->session);
	print_message("%ld calls failed\n", n / 2 - 1);
	for (n = 1;; n++) {
		pid_t pid;

		set_old_mtime(job->store);
		pid = check_fork();
		if (!pid)
			run_and_exit(job, n);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (sum_of(job->store, session) != sum)
			fail_msg("a kill at call %ld: %d samples, not %d", n, (int)sum_of(job->store, session), (int)sum);
		if (WEXITSTATUS(status) != KILLED)
			break;
		delete_result(job->store, 2, *job->session);
	}
	assert_int_equal(WEXITSTATUS(status), 0);
	print_message("%ld kills\n", n - 1);
}

/* Return the number of samples of packed intervals, plus the samples that were lost in damaged
 * files. Add the lost samples to *@lost. */
static uint64_t sum_with_lost(int store, uint64_t *lost)
{
	struct itv_list list;
	uint64_t sum = 0;

	list_store(&list, store);
	for (size_t i = 0; i < list.nr; i++) {
		struct itv v;

		if (list.entries[i].is_session)
			continue;
		read_file(&v, store, &list.entries[i]);
		sum += v.accounting.samples +
		       op_session_stats_get(&v.accounting.stats, "lost_file_damaged");
		*lost += op_session_stats_get(&v.accounting.stats, "lost_file_damaged");
		assert_int_equal(op_session_stats_get(&v.accounting.stats, "lost_crash"), 0);
		itv_release(&v);
	}
	itv_list_release(&list);
	return sum;
}

/* Samples in unreadable files are counted as lost, or the session is not packed. */
static void test_unreadable_samples_are_lost(void **state)
{
	struct job job = { .store = check_open_dir(state) };
	uint64_t sum = close_session(job.store, job.session, BEGIN, 100, "aa"), lost = 0;
	struct op_session_stats totals = { 0 };
	int err, fd = openat(job.store, job.session, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(op_session_stats_add(&totals, "stored", sum), 0);
	assert_int_equal(op_session_stats_write(&totals, fd), 0);
	op_session_stats_release(&totals);
	close(fd);
	for (long n = 1;; n++) {
		set_old_mtime(job.store);
		fault_arm(n, EIO);
		err = run_job(&job);
		if (!fault_disarm())
			break;
		if (!err && sum_with_lost(job.store, &lost) != sum)
			fail_msg("call %ld fails: %d samples in the accounting, not %d", n,
				 (int)sum_with_lost(job.store, &lost), (int)sum);
		if (err && sum_of(job.store, sum) != sum)
			fail_msg("call %ld fails with %d: %d samples, not %d", n, err,
				 (int)sum_of(job.store, sum), (int)sum);
		delete_result(job.store, 2, true);
	}
	assert_true(lost > 0);
	close(job.store);
}

/* A damaged part is marked, is not deleted, and does not prevent the merge of other intervals. */
static void test_damaged_part_is_kept_and_skipped(void **state)
{
	const struct itv_plan_config config = { .interval = INTERVAL, .keep = 50 * DAY, .max_bytes = 1200000 };
	int store = check_open_dir(state), fd, nr_bad = 0;
	const char *parts[3];
	struct itv_entry entries[3], day = { .begin = BEGIN, .end = BEGIN + 3 * INTERVAL, .step = 2 };
	struct itv_plan plan;
	struct itv_list list;

	for (int i = 0; i < 3; i++) {
		pack_session(store, &entries[i], BEGIN + i * INTERVAL, 60);
		parts[i] = entries[i].name;
	}
	fd = openat(store, parts[1], O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)entries[1].bytes / 2), 1);
	close(fd);
	set_old_mtime(store);
	assert_int_equal(itv_work_merge(&day, store, parts, 3, 0, false), ITV_ERR_FORMAT);
	list_store(&list, store);
	assert_int_equal(list.nr, 3);
	for (size_t i = 0; i < list.nr; i++)
		nr_bad += list.entries[i].is_bad;
	assert_int_equal(nr_bad, 1);
	assert_int_equal(itv_plan_next(&plan, &config, &list, BEGIN + 10 * DAY), 0);
	assert_int_equal(plan.kind, ITV_PLAN_MERGE);
	assert_int_equal(plan.nr_parts, 2);
	itv_plan_release(&plan);
	itv_list_release(&list);
	close(store);
}

/* If the sum of parts exceeds the range of a count, the parts are marked, and are neither changed
 * nor merged. */
static void test_overflowing_sum_is_not_merged(void **state)
{
	const struct itv_plan_config config = { .interval = INTERVAL, .keep = 50 * DAY, .max_bytes = 1200000 };
	struct itv_entry entries[2], day = { .begin = BEGIN, .end = BEGIN + 2 * INTERVAL, .step = 2 };
	int store = check_open_dir(state), fd;
	const char *parts[2];
	struct itv_plan plan;
	struct itv_list list;
	struct itv v;

	for (int i = 0; i < 2; i++) {
		pack_session(store, &entries[i], BEGIN + i * INTERVAL, 20);
		parts[i] = entries[i].name;
		read_file(&v, store, &entries[i]);
		v.cells[0].count = 1ull << 63;
		assert_int_equal(itv_sum(&v), 0);
		fd = openat(store, entries[i].name, O_RDWR | O_TRUNC);
		assert_int_equal(itv_file_write(&v, fd, 1, NULL), 0);
		close(fd);
		itv_release(&v);
	}
	set_old_mtime(store);
	assert_int_equal(itv_work_merge(&day, store, parts, 2, 0, false), -EOVERFLOW);
	list_store(&list, store);
	assert_int_equal(list.nr, 2);
	for (size_t i = 0; i < list.nr; i++) {
		assert_true(list.entries[i].is_bad);
		read_file(&v, store, &list.entries[i]);
		assert_true(v.cells[0].count == 1ull << 63);
		itv_release(&v);
	}
	assert_int_equal(itv_plan_next(&plan, &config, &list, BEGIN + 10 * DAY), 0);
	assert_int_equal(plan.kind, ITV_PLAN_NOTHING);
	itv_plan_release(&plan);
	itv_list_release(&list);
	close(store);
}

static void test_failing_calls_while_packing(void **state)
{
	struct job job = { .store = check_open_dir(state), .max_bytes = 1500 };
	uint64_t sum = close_session(job.store, job.session, BEGIN, 100, "aa");

	fail_each(&job, sum, sum);
	close(job.store);
}

static void test_failing_calls_while_merging(void **state)
{
	struct job job = { .store = check_open_dir(state), .nr_parts = 3, .max_bytes = 2500 };
	struct itv_entry entries[3];
	uint64_t sum = 0;

	for (int i = 0; i < 3; i++) {
		sum += pack_session(job.store, &entries[i], BEGIN + i * INTERVAL, 60);
		job.parts[i] = entries[i].name;
	}
	fail_each(&job, sum, 0);
	close(job.store);
}

/* If the deletion of merged parts is interrupted after any part, each sample is still counted once.
 * A part may have the same step as the merged interval, after the clock was set back. */
static void test_partial_deletion_counts_samples_once(void **state)
{
	struct itv_entry first = { .begin = BEGIN, .end = BEGIN + 2 * INTERVAL, .step = 2 }, late, sum;
	int store = check_open_dir(state);
	struct itv_entry entries[2];
	const char *parts[] = { entries[0].name, entries[1].name, NULL };
	uint64_t samples = pack_session(store, &entries[0], BEGIN, 40) +
			   pack_session(store, &entries[1], BEGIN + INTERVAL, 50);

	set_old_mtime(store);
	assert_int_equal(itv_work_merge(&first, store, parts, 2, 0, false), 0);
	delete_replaced(store);
	samples += pack_session(store, &late, BEGIN, 30) + pack_session(store, &entries[1], BEGIN + 2 * INTERVAL, 20);
	assert_true(sum_of(store, 0) == samples);
	sum = (struct itv_entry){ .begin = BEGIN, .end = BEGIN + 3 * INTERVAL, .step = 2 };
	parts[0] = late.name;
	parts[1] = first.name;
	parts[2] = entries[1].name;
	set_old_mtime(store);
	assert_int_equal(itv_work_merge(&sum, store, parts, 3, 0, false), 0);
	assert_true(sum_of(store, 0) == samples);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(unlinkat(store, parts[i == 0 ? 0 : 3 - i], 0), 0);
		assert_true(sum_of(store, 0) == samples);
	}
	close(store);
}

/* If a clock without a battery starts at the same time after each boot, a new interval does not get
 * the name of an interval that was merged earlier. */
static void test_equal_times_get_own_names(void **state)
{
	int store = check_open_dir(state);
	uint64_t sum = 0;

	for (int boot = 0; boot < 4; boot++) {
		struct itv_entry entry, result = { .begin = BEGIN, .end = BEGIN + INTERVAL, .step = 2 };
		const char *parts[8];
		struct itv_list list;

		sum += pack_session(store, &entry, BEGIN, 20 + (unsigned int)boot);
		assert_true(sum_of(store, 0) == sum);
		list_store(&list, store);
		for (size_t i = 0; i < list.nr; i++)
			parts[i] = list.entries[i].name;
		assert_int_equal(itv_work_merge(&result, store, parts, list.nr, 0, false), 0);
		itv_list_release(&list);
		assert_true(sum_of(store, 0) == sum);
		delete_replaced(store);
		assert_true(sum_of(store, 0) == sum);
	}
	close(store);
}

/* Thousands of long program names do not use up the size limit of an interval: other programs keep
 * their paths. */
static void test_many_program_names_keep_other_paths(void **state)
{
	const uint64_t max_bytes = 20000;
	int store = check_open_dir(state), samples;
	char name[ITV_NAME_SIZE], path[256] = "/tmp/";
	struct itv_entry entry;
	uint32_t seed = 1;
	uint64_t sum;
	struct itv v;

	sum = close_session(store, name, BEGIN, 400, "aa");
	samples = openat(store, name, O_RDONLY | O_DIRECTORY);
	assert_true(samples >= 0);
	for (int i = 0; i < 1500; i++) {
		struct op_sample_name file = {
			.app = { .kind = OP_IMAGE_ROOT, .path = path },
			.image = { .kind = OP_IMAGE_ROOT, .path = path },
			.event = (char *)"TIMER", .count = 1000000,
			.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
		};
		struct odb *cells;

		for (size_t c = 5; c < 200; c++) {
			seed = seed * 1664525 + 1013904223;
			path[c] = (char)('a' + (seed >> 24) % 26);
		}
		cells = create_cells(samples, &file);
		assert_int_equal(odb_update(cells, 0x1000, 1), 0);
		odb_close(cells);
		sum++;
	}
	close(samples);
	set_old_mtime(store);
	assert_int_equal(itv_work_pack(&entry, store, name, max_bytes), 0);
	assert_true(entry.bytes <= max_bytes);
	read_file(&v, store, &entry);
	assert_true(v.accounting.samples == sum);
	assert_true(v.nr_nodes > 5 * FEW_NODES);
	assert_true(v.nr_images > 5 && v.nr_images < 100);
	assert_int_equal(v.accounting.precision, ITV_ADDRESSES);
	itv_release(&v);
	close(store);
}

/* An interval omits files that only their owner may read, because members of a group can read
 * root's intervals. */
static void test_private_files_are_not_packed(void **state)
{
	static const char *const paths[] = { "jit/7.map", "jit/8.map" };
	int store = check_open_dir(state), samples;
	char name[ITV_NAME_SIZE];
	struct itv_entry entry;
	struct itv v;

	close_session(store, name, BEGIN, 20, "aa");
	samples = openat(store, name, O_RDONLY | O_DIRECTORY);
	assert_true(samples >= 0);
	for (size_t i = 0; i < 2; i++) {
		int fd = create(samples, paths[i]);

		assert_int_equal(fchmod(fd, i ? 0600 : 0644), 0);
		assert_int_equal(op_write_all(fd, "10000 0 function\n", 17), 0);
		close(fd);
	}
	close(samples);
	set_old_mtime(store);
	assert_int_equal(itv_work_pack(&entry, store, name, 0), 0);
	read_file(&v, store, &entry);
	assert_int_equal(v.nr_files, geteuid() == 0 ? 1 : 2);
	assert_string_equal(v.files[0].name, paths[0]);
	itv_release(&v);
	close(store);
}

/* A damaged file that has the name of the new interval does not prevent the packing of a session. */
static void test_damaged_file_does_not_block_packing(void **state)
{
	int store = check_open_dir(state);
	char name[ITV_NAME_SIZE];
	struct itv_entry entry;
	struct itv v;
	uint64_t sum = close_session(store, name, BEGIN, 20, "aa");

	assert_int_equal(itv_work_pack(&entry, store, name, 0), 0);
	close(openat(store, entry.name, O_WRONLY | O_TRUNC));
	set_old_mtime(store);
	assert_int_equal(itv_work_pack(&entry, store, name, 0), 0);
	read_entry(&v, store, &entry);
	assert_true(v.accounting.samples == sum);
	/* The interval has a single event, which sample files and trees share. */
	assert_int_equal(v.nr_events, 1);
	itv_release(&v);
	close(store);
}

static void count_damaged(void *arg, const char *name, int err)
{
	unsigned int *nr = arg;

	(void)name;
	assert_int_equal(err, ITV_ERR_TOO_BIG);
	++*nr;
}

static int check_no_sum(void *arg, const struct itv_range_sum *sum)
{
	(void)arg;
	fail_msg("a sum of %llu samples", (unsigned long long)sum->v->accounting.samples);
	return 0;
}

/* Reports skip an interval with more samples than any machine can record, because its sample files
 * would have terabytes. */
static void test_impossible_counts_are_skipped(void **state)
{
	int samples = check_open_dir(state), store, fd;
	struct op_period *asked = calloc(1, sizeof(*asked));
	struct itv_range range = { .asked = asked, .nr_asked = 1 };
	unsigned int nr = 0;
	const struct itv_range_reader reader = {
		.sum = check_no_sum, .damaged = count_damaged, .arg = &nr,
	};
	struct itv_entry entry;
	struct itv v;

	assert_non_null(asked);
	*asked = (struct op_period){ BEGIN, BEGIN + INTERVAL };
	assert_int_equal(mkdirat(samples, ITV_STORE_DIR, 0755), 0);
	store = openat(samples, ITV_STORE_DIR, O_RDONLY | O_DIRECTORY);
	pack_session(store, &entry, BEGIN, 20);
	read_file(&v, store, &entry);
	v.cells[0].count = 1ull << 63;
	assert_int_equal(itv_sum(&v), 0);
	fd = openat(store, entry.name, O_RDWR | O_TRUNC);
	assert_int_equal(itv_file_write(&v, fd, 1, NULL), 0);
	close(fd);
	set_old_mtime(store);
	assert_int_equal(itv_range_read(&range, samples, &reader), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(range.nr_parts, 0);
	assert_true(range.nr_gaps > 0);
	itv_range_release(&range);
	itv_release(&v);
	close(store);
	close(samples);
}

#define IN_MEMORY(test)	cmocka_unit_test_setup_teardown(test, make_dir, check_remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_MEMORY(test_two_months_keep_all_samples),
		IN_MEMORY(test_unreadable_samples_are_lost),
		IN_MEMORY(test_damaged_part_is_kept_and_skipped),
		IN_MEMORY(test_overflowing_sum_is_not_merged),
		IN_MEMORY(test_failing_calls_while_packing),
		IN_MEMORY(test_failing_calls_while_merging),
		IN_MEMORY(test_partial_deletion_counts_samples_once),
		IN_MEMORY(test_equal_times_get_own_names),
		IN_MEMORY(test_many_program_names_keep_other_paths),
		IN_MEMORY(test_private_files_are_not_packed),
		IN_MEMORY(test_damaged_file_does_not_block_packing),
		IN_MEMORY(test_impossible_counts_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
