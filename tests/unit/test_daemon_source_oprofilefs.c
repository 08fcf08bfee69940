// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_source_oprofilefs.c -- tests the daemon's reader of the kernel module, with a
 * directory that simulates oprofilefs and a FIFO that simulates its buffer.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <sys/stat.h>

#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/image/image.h"
#include "daemon/base/record.h"
#include "daemon/source/source.h"
#include "libop/session/stats.h"
#include "module/uapi/oprofile.h"

#define E OPROFILE_ESCAPE

struct fixture {
	void *dir;
	int dirfd, feed;
	struct op_event_spec event;
	struct opd_config cfg;
	struct opd_images *images;
	struct opd_sink sink;
	struct opd_source *source;
	struct op_reason error;
	uint64_t got, lost;
};

static const struct opd_source_ops *const ops = &opd_source_oprofilefs;

static void write_setting(struct fixture *f, const char *name, const char *text)
{
	int fd = openat(f->dirfd, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *read_setting(struct fixture *f, const char *name)
{
	static char text[100];
	int fd = openat(f->dirfd, name, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	return text;
}

static void count_samples(struct opd_sink *sink, const struct opd_context *ctx,
			  const struct opd_sample *samples, size_t nr)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, sink));

	assert_int_equal(ctx->domain, OPD_KERNEL);
	for (size_t i = 0; i < nr; i++)
		f->got += samples[i].count;
}

static void count_lost(struct opd_sink *sink, const char *name, uint64_t nr)
{
	struct fixture *f = (struct fixture *)((char *)sink - offsetof(struct fixture, sink));

	if (!strncmp(name, "lost_", 5))
		f->lost += nr;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	check_make_dir(&f->dir);
	f->dirfd = check_open_dir(&f->dir);
	assert_int_equal(mkdirat(f->dirfd, "stats", 0755), 0);
	assert_int_equal(mkdirat(f->dirfd, "timer", 0755), 0);
	write_setting(f, "enable", "0\n");
	write_setting(f, "dump", "");
	write_setting(f, "buffer_size", "1\n");
	write_setting(f, "buffer_watershed", "1\n");
	write_setting(f, "cpu_buffer_size", "1\n");
	write_setting(f, "timer/count", "1\n");
	write_setting(f, "stats/all", "sample_received 10\nsample_lost_overflow 4\n");
	assert_int_equal(mkfifoat(f->dirfd, "buffer", 0600), 0);
	f->feed = openat(f->dirfd, "buffer", O_RDWR | O_NONBLOCK);
	f->event = (struct op_event_spec){
		.name = "TIMER", .count = 250000, .kernel = 1, .user = 1,
	};
	f->cfg.events = &f->event;
	f->cfg.nr_events = 1;
	f->cfg.set.oprofilefs = f->dir;
	f->sink.samples = count_samples;
	f->sink.lost = count_lost;
	assert_int_equal(opd_images_create(&f->images), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ops->destroy(f->source);
	opd_images_destroy(f->images);
	close(f->feed);
	close(f->dirfd);
	check_remove_dir(&f->dir);
	free(f);
	return 0;
}

static int create(struct fixture *f)
{
	return ops->create(&f->source, &f->cfg, f->images, &f->sink, &f->error);
}

static void test_settings_are_written_to_oprofilefs(void **state)
{
	struct fixture *f = *state;

	f->cfg.set.buffer_size = 65536;
	f->cfg.set.cpu_buffer_size = 4096;
	assert_int_equal(create(f), 0);
	assert_string_equal(f->error.text, "");
	assert_string_equal(read_setting(f, "buffer_size"), "65536\n");
	assert_string_equal(read_setting(f, "buffer_watershed"), "1\n");
	assert_string_equal(read_setting(f, "cpu_buffer_size"), "4096\n");
	assert_string_equal(read_setting(f, "timer/count"), "250000\n");
	assert_string_equal(read_setting(f, "enable"), "0\n");
	assert_int_equal(ops->start(f->source), 0);
	assert_string_equal(read_setting(f, "enable"), "1\n");
	assert_int_equal(ops->stop(f->source), 0);
	assert_string_equal(read_setting(f, "enable"), "0\n");
}

/*
 * Call path settings of an earlier daemon are reset. A module of an earlier version lacks these
 * settings.
 */
static void test_call_path_settings_are_reset(void **state)
{
	struct fixture *f = *state;

	f->cfg.paths.depth = 64;
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->error.text, "too old for --callgraph"));
	write_setting(f, "callgraph", "");
	assert_int_equal(create(f), 0);
	assert_string_equal(read_setting(f, "callgraph"), "64\n");
	ops->destroy(f->source);
	f->source = NULL;
	write_setting(f, "callgraph", "");
	f->cfg.paths.depth = 0;
	assert_int_equal(create(f), 0);
	assert_string_equal(read_setting(f, "callgraph"), "0\n");
}

/* The setting of control groups is written before the start, and reset if another daemon set it. A
 * module of an earlier version lacks the setting. */
static void test_setting_of_groups_is_reset(void **state)
{
	struct fixture *f = *state;

	f->cfg.set.separate = OP_SEPARATE_UNIT;
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->error.text, "too old for --separate=unit: unload it with opcontrol --deinit"));
	write_setting(f, "cgroups", "");
	assert_int_equal(create(f), 0);
	assert_string_equal(read_setting(f, "cgroups"), "1\n");
	ops->destroy(f->source);
	f->source = NULL;
	write_setting(f, "cgroups", "");
	f->cfg.set.separate = OP_SEPARATE_LIB;
	assert_int_equal(create(f), 0);
	assert_string_equal(read_setting(f, "cgroups"), "0\n");
}

static void test_missing_files_are_reported(void **state)
{
	struct fixture *f = *state;
	char *dir = f->cfg.set.oprofilefs;

	f->cfg.set.oprofilefs = (char *)"/nonexistent";
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->error.text, "opcontrol --init"));
	f->cfg.set.oprofilefs = dir;
	f->event.name = (char *)"CYCLES";
	assert_int_equal(create(f), -EOPNOTSUPP);
	assert_non_null(strstr(f->error.text, "timer"));
	f->event.name = (char *)"TIMER";
	assert_int_equal(unlinkat(f->dirfd, "timer/count", 0), 0);
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->error.text, "sampling period"));
	assert_int_equal(unlinkat(f->dirfd, "buffer", 0), 0);
	assert_int_equal(create(f), -ENOENT);
	assert_non_null(strstr(f->error.text, "not loaded"));
}

/* Reads may split the stream anywhere; the daemon does not wait for the rest of a record. */
static void test_split_reads_are_joined(void **state)
{
	struct fixture *f = *state;
	const unsigned long words[] = {
		E, OPROFILE_KERNEL_ENTER, 1, 0, E, OPROFILE_COUNT, 5, 2, 0,
		E, OPROFILE_KERNEL_EXIT, E, OPROFILE_COOKIE_SWITCH, 77, 3, 0,
	};
	const char *bytes = (const char *)words;
	struct pollfd fds[4];

	assert_int_equal(create(f), 0);
	assert_int_equal(ops->fds(f->source, fds, 4), 1);
	assert_int_equal(fds[0].events, POLLIN);
	assert_int_equal(ops->process(f->source), 0);
	for (size_t i = 0; i < sizeof(words); i += 5) {
		size_t n = sizeof(words) - i < 5 ? sizeof(words) - i : 5;

		assert_int_equal(write(f->feed, bytes + i, n), n);
		assert_int_equal(ops->process(f->source), 0);
	}
	assert_int_equal(f->got, 6);
	/* the cookie of the sample is unknown, so the sample is lost */
	assert_int_equal(f->lost, 1);
	assert_int_equal(write(f->feed, words, 4 * sizeof(*words)), 4 * sizeof(*words));
	assert_int_equal(ops->flush(f->source), 0);
	assert_int_equal(f->got, 7);
	assert_string_equal(read_setting(f, "dump"), "1\n");
}

static void expect_stats(struct fixture *f, uint64_t received, uint64_t overflow)
{
	struct op_session_stats s = { 0 };

	assert_int_equal(ops->stats(f->source, &s), 0);
	assert_int_equal(op_session_stats_get(&s, "sample_received"), received);
	assert_int_equal(op_session_stats_get(&s, "sample_lost_overflow"), overflow);
	op_session_stats_release(&s);
}

/* The daemon adds up the counters of all runs, because the module resets its counters at each
 * start. */
static void test_module_counts_of_runs_are_summed(void **state)
{
	struct fixture *f = *state;

	write_setting(f, "stats/all", "sample_received 0\nsample_lost_overflow 0\n");
	assert_int_equal(create(f), 0);
	expect_stats(f, 0, 0);
	assert_int_equal(ops->start(f->source), 0);
	write_setting(f, "stats/all", "sample_received 10\nsample_lost_overflow 4\n");
	expect_stats(f, 10, 4);
	assert_int_equal(ops->stop(f->source), 0);
	expect_stats(f, 10, 4);
	assert_int_equal(ops->start(f->source), 0);
	write_setting(f, "stats/all", "sample_received 3\nsample_lost_overflow 0\n");
	expect_stats(f, 13, 4);
	assert_int_equal(ops->stop(f->source), 0);
	assert_int_equal(ops->start(f->source), 0);
	write_setting(f, "stats/all", "sample_received 1\nsample_lost_overflow 0\n");
	expect_stats(f, 14, 4);
}

/* Counts that the module still reports from another daemon's run are ignored: this daemon starts
 * from 0. */
static void test_counts_of_earlier_run_are_ignored(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(create(f), 0);
	expect_stats(f, 0, 0);
	assert_int_equal(ops->start(f->source), 0);
	write_setting(f, "stats/all", "sample_received 3\nsample_lost_overflow 1\n");
	expect_stats(f, 3, 1);
}

static void make_event_files(struct fixture *f, unsigned int nr)
{
	static const char *const files[] = {
		"enabled", "event", "unit_mask", "extra", "count", "kernel", "user", "counter", "group",
		"core_type",
	};
	char path[64];

	for (unsigned int i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%u", i);
		assert_int_equal(mkdirat(f->dirfd, path, 0755), 0);
		for (size_t n = 0; n < sizeof(files) / sizeof(files[0]); n++) {
			snprintf(path, sizeof(path), "%u/%s", i, files[n]);
			write_setting(f, path, "1\n");
		}
	}
	write_setting(f, "backend", "auto");
	write_setting(f, "backend_why", "a reason\n");
	write_setting(f, "counters", "2\n");
	write_setting(f, "time_slice", "1\n");
	write_setting(f, "jitter", "1\n");
}

/* Parse events as users write them, one per argument, each with the option @option. */
static void parse_events(struct opd_config *cfg, const char *option, ...)
{
	char *argv[12] = { (char *)"oprofiled", (char *)option };
	int argc = 2;
	va_list ap;
	struct op_reason error = { "" };

	va_start(ap, option);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	assert_int_equal(opd_config_parse(cfg, argc, argv, stdout, stderr), OPD_PARSE_RUN);
	if (opd_events_resolve(cfg, &error))
		fail_msg("%s", error.text);
	assert_int_equal(cfg->plan.cpu.cpu->number, op_cpu_by_name(cfg->set.cpu_type)->number);
}

#define SKYLAKE	"--cpu-type=i386/skylake"

static void event_is(struct fixture *f, int i, const char *file, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", i, file);
	if (strcmp(read_setting(f, path), value))
		fail_msg("%s is %s, not %s", path, read_setting(f, path), value);
}

static void create_with(struct fixture *f, struct opd_config *cfg, int expected)
{
	free(cfg->set.oprofilefs);
	cfg->set.oprofilefs = strdup(f->dir);
	assert_int_equal(ops->create(&f->source, cfg, f->images, &f->sink, &f->error), expected);
}

/* Each event's fields are written to the module, and its times are read back. */
static void test_event_files_are_written(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;
	struct op_session_stats stats = { 0 };
	char name[300], error[300];
	uint64_t enabled, running;

	make_event_files(f, 4);
	parse_events(&cfg, SKYLAKE, "--backend=perf", "--jitter=8", "--time-slice=20", "--events="
		     "INST_RETIRED:100000:0:1:0,UOPS_EXECUTED:20000:stall_cycles:0:1,r1c2:5000", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "backend"), "perf");
	assert_string_equal(read_setting(f, "jitter"), "8\n");
	assert_string_equal(read_setting(f, "time_slice"), "20\n");
	event_is(f, 0, "event", "192\n");
	event_is(f, 0, "count", "100000\n");
	event_is(f, 0, "kernel", "1\n");
	event_is(f, 0, "user", "0\n");
	event_is(f, 0, "counter", "255\n");
	event_is(f, 0, "core_type", "0\n");
	event_is(f, 0, "enabled", "1\n");
	event_is(f, 1, "event", "177\n");
	event_is(f, 1, "unit_mask", "1\n");
	event_is(f, 1, "extra", "25165824\n");	/* the bits of inv and cmask=1 */
	event_is(f, 2, "event", "194\n");
	event_is(f, 2, "unit_mask", "1\n");
	event_is(f, 2, "extra", "0\n");
	event_is(f, 2, "enabled", "1\n");
	event_is(f, 3, "enabled", "0\n");
	/* Two masks have the same number and different extra bits: the names of their sample files
	 * must differ. */
	assert_int_equal(cfg.events[1].um, 25165825);

	assert_int_equal(mkdirat(f->dirfd, "stats/event1", 0755), 0);
	write_setting(f, "stats/event1/enabled_ns", "1000\n");
	write_setting(f, "stats/event1/running_ns", "250\n");
	assert_int_equal(ops->start(f->source), 0);
	assert_int_equal(ops->stats(f->source, &stats), 0);
	assert_int_equal(op_session_stats_event_time(&stats, "UOPS_EXECUTED", 20000, 25165825, &enabled,
						     &running), 0);
	assert_int_equal(enabled, 1000);
	assert_int_equal(running, 250);
	op_session_stats_release(&stats);

	assert_int_equal(ops->backend(f->source, name, error, sizeof(name)), 0);
	assert_string_equal(name, "perf");
	assert_string_equal(error, "a reason");
	opd_config_release(&cfg);
}

/*
 * If counters are programmed by the module ("native"), the daemon assigns them, and multiplexes
 * groups of events if there are too few.
 */
static void test_native_counters_are_assigned(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;

	make_event_files(f, 4);
	parse_events(&cfg, SKYLAKE, "--backend=native", "--events=BR_INST_RETIRED:100000,"
		     "BR_MISP_RETIRED:100000,LLC_MISSES:10000,INST_RETIRED:100000", NULL);
	create_with(f, &cfg, 0);
	event_is(f, 0, "counter", "0\n");
	event_is(f, 0, "group", "0\n");
	event_is(f, 1, "counter", "1\n");
	event_is(f, 2, "counter", "0\n");
	event_is(f, 2, "group", "1\n");
	event_is(f, 3, "counter", "32\n");
	event_is(f, 3, "group", "0\n");
	opd_config_release(&cfg);
}

/*
 * On a machine with two kinds of cores, an event is counted only on the kind whose table has the
 * event.
 */
static void test_event_is_counted_on_its_core_type(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;

	make_event_files(f, 1);
	parse_events(&cfg, "--cpu-type=i386/alderlake-e", "--backend=native",
		     "--events=MEM_UOPS_RETIRED:100000", NULL);
	create_with(f, &cfg, 0);
	event_is(f, 0, "core_type", "32\n");
	opd_config_release(&cfg);
}

/* The settings of instruction-based sampling are written to their own files in oprofilefs. */
static void test_ibs_settings_are_written(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;
	static const char *const files[] = {
		"ibs_fetch/enable", "ibs_fetch/max_count", "ibs_fetch/rand_enable", "ibs_op/enable",
		"ibs_op/max_count", "ibs_op/rand_enable", "ibs_op/dispatched_ops",
	};

	make_event_files(f, 1);
	assert_int_equal(mkdirat(f->dirfd, "ibs_fetch", 0755), 0);
	assert_int_equal(mkdirat(f->dirfd, "ibs_op", 0755), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_setting(f, files[i], "9\n");
	parse_events(&cfg, "--cpu-type=x86-64/zen2", "--events=IBS_OP_ALL:250000,IBS_OP_LOAD:250000", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "backend"), "native");
	assert_string_equal(read_setting(f, "ibs_op/max_count"), "250000\n");
	assert_string_equal(read_setting(f, "ibs_op/dispatched_ops"), "1\n");
	assert_string_equal(read_setting(f, "ibs_op/enable"), "1\n");
	assert_string_equal(read_setting(f, "ibs_fetch/enable"), "0\n");
	event_is(f, 0, "enabled", "0\n");
	opd_config_release(&cfg);
}

static void refused(struct fixture *f, const char *error, const char *cpu, const char *events,
		    const char *option)
{
	struct opd_config cfg;
	const struct opd_source_ops *o = ops;
	struct opd_source *source = NULL;

	parse_events(&cfg, cpu, events, option, NULL);
	free(cfg.set.oprofilefs);
	cfg.set.oprofilefs = strdup(f->dir);
	assert_true(o->create(&source, &cfg, f->images, &f->sink, &f->error) < 0);
	if (!strstr(f->error.text, error))
		fail_msg("'%s' is not in: %s", error, f->error.text);
	opd_config_release(&cfg);
}

static void make_waits_files(struct fixture *f)
{
	static const char *const files[] = {
		"count", "io", "lock", "sleep", "poll", "net", "pipe", "fault", "runqueue", "stopped",
		"child", "other", "condition", "latency", "scheduler_start", "scheduler_end",
		"wakers", "waking_start", "waking_end",
	};
	char path[64];

	assert_int_equal(mkdirat(f->dirfd, "offcpu", 0755), 0);
	for (size_t n = 0; n < sizeof(files) / sizeof(files[0]); n++) {
		snprintf(path, sizeof(path), "offcpu/%s", files[n]);
		write_setting(f, path, "7\n");
	}
}

/* Each reason of waits gets the number of its event. The events of waits follow all others, since the
 * timer's event has the number 0. */
static void test_reasons_of_waits_get_events(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;

	make_event_files(f, 4);
	make_waits_files(f);
	parse_events(&cfg, "--cpu-type=timer", "--events=OFFCPU:2ms,TIMER:1ms", NULL);
	assert_int_equal(cfg.nr_events, 13);
	assert_string_equal(cfg.events[0].name, "TIMER");
	for (uint32_t i = 1; i < 13; i++) {
		assert_string_equal(cfg.events[i].name, "OFFCPU");
		assert_int_equal(cfg.events[i].um, i);
	}
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "backend"), "auto");
	assert_string_equal(read_setting(f, "timer/count"), "1000000\n");
	assert_string_equal(read_setting(f, "offcpu/count"), "2000000\n");
	assert_string_equal(read_setting(f, "offcpu/io"), "1\n");
	assert_string_equal(read_setting(f, "offcpu/other"), "11\n");
	assert_string_equal(read_setting(f, "offcpu/condition"), "12\n");
	assert_string_equal(read_setting(f, "offcpu/latency"), "255\n");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	parse_events(&cfg, "--cpu-type=timer", "--events=OFFCPU.lock:3ms,offcpu:3ms:poll", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "backend"), "offcpu");
	assert_string_equal(read_setting(f, "offcpu/count"), "3000000\n");
	assert_string_equal(read_setting(f, "offcpu/lock"), "0\n");
	assert_string_equal(read_setting(f, "offcpu/poll"), "1\n");
	assert_string_equal(read_setting(f, "offcpu/io"), "255\n");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	/* a backend that was chosen for other sessions would sample time as the event number 0 */
	parse_events(&cfg, "--cpu-type=timer", "--backend=timer", "--events=OFFCPU.lock:3ms", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "backend"), "offcpu");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	/* another daemon does not inherit the waits of an earlier one */
	parse_events(&cfg, SKYLAKE, "--backend=perf", "--events=INST_RETIRED:100000", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "offcpu/lock"), "255\n");
	opd_config_release(&cfg);
}

/* LATENCY gets the number of its event, and another daemon does not inherit it. */
static void test_latency_gets_event(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;

	make_event_files(f, 4);
	make_waits_files(f);
	write_setting(f, "backend", "timer");
	parse_events(&cfg, "--cpu-type=timer", "--backend=timer",
		     "--events=OFFCPU.lock,LATENCY,TIMER:1ms", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "offcpu/lock"), "1\n");
	assert_string_equal(read_setting(f, "offcpu/latency"), "2\n");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	parse_events(&cfg, "--cpu-type=timer", "--events=OFFCPU.lock,TIMER:1ms", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "offcpu/latency"), "255\n");
	opd_config_release(&cfg);
}

/* --wakers=on needs the event OFFCPU and a module with wakers; the next daemon disables it. */
static void test_wakers_are_written(void **state)
{
	struct fixture *f = *state;
	struct opd_config cfg;

	make_event_files(f, 4);
	make_waits_files(f);
	parse_events(&cfg, "--cpu-type=timer", "--wakers=on", "--events=OFFCPU.lock:3ms", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "offcpu/wakers"), "1\n");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	parse_events(&cfg, "--cpu-type=timer", "--events=OFFCPU.lock:3ms", NULL);
	create_with(f, &cfg, 0);
	assert_string_equal(read_setting(f, "offcpu/wakers"), "0\n");
	ops->destroy(f->source);
	f->source = NULL;
	opd_config_release(&cfg);

	parse_events(&cfg, "--cpu-type=timer", "--wakers=on", "--events=TIMER:1ms", NULL);
	create_with(f, &cfg, -EINVAL);
	assert_non_null(strstr(f->error.text, "add --event=OFFCPU"));
	opd_config_release(&cfg);

	unlinkat(f->dirfd, "offcpu/wakers", 0);
	unlinkat(f->dirfd, "offcpu/waking_start", 0);
	parse_events(&cfg, "--cpu-type=timer", "--wakers=on", "--events=OFFCPU.lock:3ms", NULL);
	create_with(f, &cfg, -EOPNOTSUPP);
	assert_non_null(strstr(f->error.text, "too old for --wakers"));
	opd_config_release(&cfg);
}

static void test_refused_events_are_reported(void **state)
{
	struct fixture *f = *state;

	make_event_files(f, 4);
	refused(f, "TIMER and other events", SKYLAKE, "--events=TIMER:1000000,INST_RETIRED:100000", NULL);
	/* The error message contains the reason that the module gives. */
	refused(f, "a reason", SKYLAKE, "--events=INST_RETIRED:100000", "--backend=timer");
	refused(f, "needs a register", SKYLAKE, "--events=FRONTEND_RETIRED:10000:DSB_MISS", NULL);
	refused(f, "two counters together", "--cpu-type=x86-64/zen2",
		"--events=RETIRED_SSE_AVX_FLOPS:10000", "--backend=native");
	refused(f, "IBS", "--cpu-type=x86-64/zen2", "--events=IBS_OP_ALL:250000", NULL);
	refused(f, "too old for the event OFFCPU", "--cpu-type=timer", "--events=OFFCPU", NULL);
	assert_int_equal(unlinkat(f->dirfd, "backend", 0), 0);
	refused(f, "too old for events", SKYLAKE, "--events=INST_RETIRED:100000", NULL);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	setenv("OPROFILE_EVENTS_DIR", EVENTS_DIR, 1);
	const struct CMUnitTest tests[] = {
		T(test_settings_are_written_to_oprofilefs),
		T(test_call_path_settings_are_reset),
		T(test_setting_of_groups_is_reset),
		T(test_missing_files_are_reported),
		T(test_split_reads_are_joined),
		T(test_module_counts_of_runs_are_summed),
		T(test_counts_of_earlier_run_are_ignored),
		T(test_event_files_are_written),
		T(test_native_counters_are_assigned),
		T(test_event_is_counted_on_its_core_type),
		T(test_ibs_settings_are_written),
		T(test_reasons_of_waits_get_events),
		T(test_latency_gets_event),
		T(test_wakers_are_written),
		T(test_refused_events_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
