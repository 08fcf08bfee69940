// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_attribute.c -- tests to which sample file a sample is attributed, for each value of
 * --separate and each filter.
 */
#include "config.h"
#include "tests/unit/store.h"

static const struct opd_image app = { .path = "/bin/app" }, lib = { .path = "/lib/l.so" };

static int setup(void **state)
{
	store_setup(state, (struct op_event_spec){ .name = "USERONLY", .count = 5000, .kernel = 0, .user = 1 });
	return 0;
}

static void send(struct store *f, enum opd_domain domain, const struct opd_image *image,
		 uint64_t offset, uint32_t event, uint32_t count)
{
	const struct opd_context ctx = {
		.domain = domain, .cpu = 3, .tid = 8, .tgid = 7, .app = &app, .image = image,
		.anon = { 0x1000, 0x2000, "[heap]" },
	};
	const struct opd_sample s = { offset, event, count };

	f->a.sink.samples(&f->a.sink, &ctx, &s, 1);
}

static bool there(struct store *f, const char *name)
{
	return faccessat(f->session.current_fd, name, F_OK, 0) == 0;
}

static void send_each(struct store *f)
{
	send(f, OPD_USER_FILE, &app, 0x10, 0, 1);
	send(f, OPD_USER_FILE, &lib, 0x10, 0, 1);
	send(f, OPD_USER_ANON, NULL, 0x1010, 0, 1);
	send(f, OPD_KERNEL, NULL, 0xffffffff81000010, 0, 1);
	send(f, OPD_KERNEL, NULL, 0xffffffffc0001010, 0, 1);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 5);
}

#define ALL "/TIMER.1000000.0.all.all.all"

static void test_files_without_separation(void **state)
{
	struct store *f = *state;

	store_start(f);
	send_each(f);
	assert_true(there(f, "{root}/bin/app/{dep}/{root}/bin/app" ALL));
	assert_true(there(f, "{root}/lib/l.so/{dep}/{root}/lib/l.so" ALL));
	assert_true(there(f, "{root}/bin/app/{dep}/{anon:[heap]}/7.0x1000.0x2000" ALL));
	assert_true(there(f, "{kern}/vmlinux/{dep}/{kern}/vmlinux" ALL));
	assert_true(there(f, "{kern}/ext4/{dep}/{kern}/ext4" ALL));
}

static void test_separate_lib_names_program(void **state)
{
	struct store *f = *state;

	f->cfg.set.separate = OP_SEPARATE_LIB;
	store_start(f);
	send_each(f);
	assert_true(there(f, "{root}/bin/app/{dep}/{root}/lib/l.so" ALL));
	assert_false(there(f, "{root}/lib"));
	assert_true(there(f, "{kern}/vmlinux/{dep}/{kern}/vmlinux" ALL));
}

static void test_separate_kernel_names_program(void **state)
{
	struct store *f = *state;
	const struct opd_context kthread = { .domain = OPD_KERNEL, .tid = 2, .tgid = 2 };
	const struct opd_sample s = { 0xffffffffc0001010, 0, 1 };

	f->cfg.set.separate = OP_SEPARATE_LIB | OP_SEPARATE_KERNEL;
	store_start(f);
	send_each(f);
	assert_true(there(f, "{root}/bin/app/{dep}/{kern}/vmlinux" ALL));
	assert_true(there(f, "{root}/bin/app/{dep}/{kern}/ext4" ALL));
	assert_false(there(f, "{kern}"));
	f->a.sink.samples(&f->a.sink, &kthread, &s, 1);
	assert_true(there(f, "{kern}/ext4/{dep}/{kern}/ext4" ALL));
}

static void test_separate_thread_and_cpu(void **state)
{
	struct store *f = *state;

	f->cfg.set.separate = OP_SEPARATE_THREAD | OP_SEPARATE_CPU;
	store_start(f);
	send_each(f);
	assert_true(there(f, "{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000000.0.7.8.3"));
	assert_true(there(f, "{kern}/ext4/{dep}/{kern}/ext4/TIMER.1000000.0.7.8.3"));
}

static void test_image_filter_excludes_other_programs(void **state)
{
	struct store *f = *state;
	char *images[] = { (char *)"/bin/other", (char *)"/bin/app" };
	const struct opd_context unknown = { .domain = OPD_USER_FILE, .image = &lib };
	const struct opd_sample s = { 1, 0, 4 };

	f->cfg.images = images;
	f->cfg.nr_images = 2;
	store_start(f);
	send_each(f);
	f->a.sink.samples(&f->a.sink, &unknown, &s, 1);
	assert_int_equal(f->stats.v[OPD_STAT_EXCLUDED_IMAGE], 4);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 5);
}

/*
 * If the image filter names a library, the library's samples are counted in every program that uses
 * it. Samples of other code of those programs are not counted.
 */
static void test_image_filter_names_library(void **state)
{
	struct store *f = *state;
	char *images[] = { (char *)"/lib/l.so" };
	const struct opd_context unknown = { .domain = OPD_USER_FILE, .image = &lib };
	/* The image field of a kernel sample may be left over from an earlier sample: the filter
	 * must ignore it. */
	const struct opd_context kernel = { .domain = OPD_KERNEL, .app = &app, .image = &lib };
	const struct opd_sample s = { 1, 0, 4 }, k = { 0xffffffff81000010, 0, 8 };

	f->cfg.images = images;
	f->cfg.nr_images = 1;
	store_start(f);
	send(f, OPD_USER_FILE, &lib, 0x10, 0, 1);
	send(f, OPD_USER_FILE, &app, 0x10, 0, 2);
	send(f, OPD_USER_FILE, &lib, 0x20, 0, 1);
	f->a.sink.samples(&f->a.sink, &unknown, &s, 1);
	f->a.sink.samples(&f->a.sink, &kernel, &k, 1);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 6);
	assert_int_equal(f->stats.v[OPD_STAT_EXCLUDED_IMAGE], 10);
	assert_true(there(f, "{root}/lib/l.so/{dep}/{root}/lib/l.so" ALL));
	assert_false(there(f, "{root}/bin"));
}

static void test_every_loss_is_counted(void **state)
{
	struct store *f = *state;
	const struct opd_context nobody = {
		.domain = OPD_USER_ANON, .anon = { 0x1000, 0x2000, "anon" },
	};
	const struct opd_sample s = { 0x1001, 0, 4 };

	store_start(f);
	send(f, OPD_USER_FILE, &app, 1, 2, 10);
	send(f, OPD_USER_FILE, &app, 1, UINT32_MAX, 10);
	send(f, OPD_KERNEL, NULL, 0xffffffff81000010, 1, 7);
	send(f, OPD_USER_FILE, &app, 1, 1, 1);
	f->a.sink.samples(&f->a.sink, &nobody, &s, 1);
	f->a.sink.lost(&f->a.sink, "lost_no_file", 3);
	f->a.sink.lost(&f->a.sink, "made_up_name", 3);
	f->a.sink.unread(&f->a.sink, "stream_bad_record", 2);
	f->a.sink.converted(&f->a.sink, 5);
	f->a.sink.converted(&f->a.sink, 0);
	assert_int_equal(f->stats.v[OPD_STAT_EVENT], 20);
	assert_int_equal(f->stats.v[OPD_STAT_EXCLUDED_DOMAIN], 7);
	assert_int_equal(f->stats.v[OPD_STAT_NO_APP], 4);
	assert_int_equal(f->stats.v[OPD_STAT_NO_FILE], 3);
	assert_int_equal(f->stats.v[OPD_STAT_BAD_RECORD], 2);
	assert_int_equal(f->stats.v[OPD_STAT_IBS_RECORDS], 2);
	assert_int_equal(f->stats.v[OPD_STAT_IBS_DERIVED], 5);
	assert_int_equal(op_session_stats_get(&f->stats.extra, "made_up_name"), 3);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 1);
}

/*
 * Samples of virtual machines are attributed to the program that runs the virtual machine, for each
 * value of --separate and for user and kernel events.
 */
static void test_guest_samples_belong_to_hypervisor_program(void **state)
{
	struct store *f = *state;
	const struct opd_context nobody = { .domain = OPD_GUEST };
	const struct opd_sample s = { 0, 0, 4 };

	store_start(f);
	send(f, OPD_GUEST, NULL, 0, 0, 3);
	send(f, OPD_GUEST, NULL, 0, 1, 2);
	f->a.sink.samples(&f->a.sink, &nobody, &s, 1);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 5);
	assert_int_equal(f->stats.v[OPD_STAT_NO_APP], 4);
	assert_true(there(f, "{root}/bin/app/{dep}/{anon:[guest]}/7.0x0.0x0" ALL));
}

/* If the images of the samples in a run differ, the run is split by image, also while events
 * alternate. */
static void test_runs_are_cut(void **state)
{
	struct store *f = *state;
	const struct opd_context ctx = { .domain = OPD_KERNEL };
	const struct opd_sample run[] = {
		{ 0xffffffff81000010, 0, 1 }, { 0xffffffff81000020, 0, 2 },
		{ 0xffffffffc0001010, 0, 4 }, { 0xffffffffc0001010, 1, 8 },
		{ 0xffffffff81000010, 0, 16 }, { 0xffffffff90000000, 0, 32 },
	};
	struct opd_sample s;

	store_start(f);
	f->a.sink.samples(&f->a.sink, &ctx, run, sizeof(run) / sizeof(run[0]));
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 55);
	assert_int_equal(f->stats.v[OPD_STAT_EXCLUDED_DOMAIN], 8);
	/*
	 * If a module is loaded at the address of an unloaded module, new samples go to the new
	 * module's file, and earlier samples stay in the old module's file.
	 */
	store_write_file(f->modules, "xfs 4096 1 - Live 0xffffffffc0001800\n");
	f->a.sink.modules_changed(&f->a.sink);
	s = (struct opd_sample){ 0xffffffffc0001810, 0, 1 };
	f->a.sink.samples(&f->a.sink, &ctx, &s, 1);
	assert_true(there(f, "{kern}/xfs/{dep}/{kern}/xfs" ALL));
}

/* If the kernel hides its addresses, sample files do not contain kernel addresses, and do not
 * reveal how many different addresses were sampled. */
static void test_hidden_kernel_addresses_are_not_stored(void **state)
{
	struct store *f = *state;
	const struct opd_context ctx = { .domain = OPD_KERNEL };
	const struct opd_sample run[] = {
		{ 0xffffffff81000010, 0, 1 }, { 0xffffffff81000020, 0, UINT32_MAX },
		{ 0xffffffff81000030, 0, 5 },
	};
	struct stat st;

	store_write_file(f->kallsyms, "0000000000000000 T _stext\n");
	store_start(f);
	f->a.sink.samples(&f->a.sink, &ctx, run, 3);
	assert_int_equal(f->stats.v[OPD_STAT_STORED], 6ull + UINT32_MAX);
	assert_int_equal(fstatat(f->session.current_fd, "{kern}/vmlinux/{dep}/{kern}/vmlinux" ALL,
				 &st, 0), 0);
	opd_sample_cache_close_all(f->cache);
	int fd = openat(f->session.current_fd, "{kern}/vmlinux/{dep}/{kern}/vmlinux" ALL, O_RDONLY);
	char data[8192];
	ssize_t n = read(fd, data, sizeof(data));

	close(fd);
	assert_true(n > 0);
	assert_null(memmem(data, n, "\x00\x00\x81\xff", 4));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, store_teardown)
	const struct CMUnitTest tests[] = {
		T(test_files_without_separation),
		T(test_separate_lib_names_program),
		T(test_separate_kernel_names_program),
		T(test_separate_thread_and_cpu),
		T(test_image_filter_excludes_other_programs),
		T(test_image_filter_names_library),
		T(test_every_loss_is_counted),
		T(test_guest_samples_belong_to_hypervisor_program),
		T(test_runs_are_cut),
		T(test_hidden_kernel_addresses_are_not_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
