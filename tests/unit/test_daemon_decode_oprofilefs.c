// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_daemon_decode_oprofilefs.c -- tests the decoder of the module's stream: the sink prints the
 * samples it receives as text.
 */
#include "config.h"
#include "tests/unit/stream.h"

#include "daemon/image/cgroups.h"

#define CTX(tid, cookie, tgid) \
	E, OPROFILE_CTX_SWITCH, tid, cookie, E, OPROFILE_CTX_TGID, tgid
#define CPU(n)		E, OPROFILE_CPU_SWITCH, n
#define GUEST		E, OPROFILE_GUEST_ENTER
#define GROUP(id)	E, OPROFILE_CGROUP, id
#define FOREIGN(cookie, tgid) E, OPROFILE_FOREIGN_FILE, cookie, tgid
#define WOKEN(offset, event, count, cookie) E, OPROFILE_WOKEN, offset, event, count, cookie

static void record_samples(struct opd_sink *sink, const struct opd_context *ctx,
			   const struct opd_sample *samples, size_t nr)
{
	struct recorder *r = (struct recorder *)sink;

	assert_true(nr > 0);
	if (ctx->domain == OPD_KERNEL || ctx->domain == OPD_GUEST)
		append(r, ctx->domain == OPD_GUEST ? "guest" : "kernel");
	else if (ctx->domain == OPD_USER_FILE)
		append(r, "%s", ctx->image->path);
	else
		append(r, "%s[%lx-%lx]", ctx->anon.label, (long)ctx->anon.start, (long)ctx->anon.end);
	if (ctx->unit)
		append(r, " in %s", ctx->unit);
	if (ctx->woken)
		append(r, " woke %s", ctx->woken->path);
	append(r, " %d/%d/%s@%u:", ctx->tgid, ctx->tid, ctx->app ? ctx->app->path : "-", ctx->cpu);
	for (size_t i = 0; i < nr; i++) {
		append(r, " %lx", (long)samples[i].offset);
		if (samples[i].event)
			append(r, "e%u", samples[i].event);
		if (samples[i].count != 1)
			append(r, "x%u", samples[i].count);
		r->stored += samples[i].count;
	}
	append(r, "\n");
}

static void record_name(struct opd_sink *sink, pid_t tgid, pid_t tid, const char *name, uint64_t when)
{
	append((struct recorder *)sink, "named %d/%d %s at %lu\n", tgid, tid, name, (unsigned long)when);
}

static void record_modules(struct opd_sink *sink)
{
	append((struct recorder *)sink, "modules\n");
}

static void record_lost(struct opd_sink *sink, const char *name, uint64_t nr)
{
	struct recorder *r = (struct recorder *)sink;

	append(r, "%s %lu\n", name, (long)nr);
	assert_int_equal(strncmp(name, "lost_", 5), 0);
	r->lost += nr;
}

static void record_unread(struct opd_sink *sink, const char *name, uint64_t nr)
{
	append((struct recorder *)sink, "%s %lu\n", name, (long)nr);
	assert_int_equal(strncmp(name, "stream_", 7), 0);
}

static void record_converted(struct opd_sink *sink, uint64_t derived)
{
	append((struct recorder *)sink, "converted %lu\n", (long)derived);
}

static void setup(struct recorder *r, struct opd_decoder *d)
{
	memset(r, 0, sizeof(*r));
	r->sink = (struct opd_sink){
		.samples = record_samples, .modules_changed = record_modules, .named = record_name, .lost = record_lost,
		.unread = record_unread, .converted = record_converted,
	};
	opd_decoder_init(d, &r->sink, find_image, NULL);
}

static void expect_units(struct opd_cgroups *cgroups, const unsigned long *words, size_t nr,
			 const char *text)
{
	struct opd_decoder *d = malloc(sizeof(*d));
	struct recorder r;

	setup(&r, d);
	d->cgroups = cgroups;
	opd_decode(d, words, nr);
	opd_decode_end(d);
	assert_string_equal(r.text, text);
	assert_int_equal(d->taken, r.stored + r.lost);
	free(d);
}

static void expect_words(const unsigned long *words, size_t nr, const char *text)
{
	expect_units(NULL, words, nr, text);
}

static void test_contexts_apply_to_later_samples(void **state)
{
	(void)state;
	expect("app 7/8/app@3: 10 20\n"
	       "lib 7/8/app@3: 30\n"
	       "kernel 7/8/app@3: ffffffff81000000\n"
	       "lib 7/8/app@3: 31\n",
	       CPU(3), CTX(8, 0xa, 7), USER, COOKIE(0xa), 0x10, 0, 0x20, 0, COOKIE(0xb), 0x30, 0,
	       KERNEL, 0xffffffff81000000, 0, USER, 0x31, 0);
	/* Samples of the idle task and of a kernel thread have no program. */
	expect("kernel 0/0/-@0: 1\nkernel 2/2/-@0: 1\n",
	       CPU(0), CTX(0, 0, 0), KERNEL, 1, 0, CTX(2, 0, 2), 1, 0);
}

static void test_events_and_counts(void **state)
{
	(void)state;
	expect("kernel 0/0/-@0: 1e5 2x700 3 4x4294967295\n",
	       KERNEL, 1, 5, COUNT(700), 2, 0, 3, 0, COUNT(0xffffffff), 4, 0);
}

static void test_anonymous_ranges_are_decoded(void **state)
{
	(void)state;
	expect("[heap][1000-3000] 5/5/app@0: 1fff\n"
	       "anon[7000-8000] 5/5/app@0: 7000\n"
	       "lost_torn_record 3\n",
	       CTX(5, 0xa, 5), USER, ANON(0x1000, 0x3000, OPROFILE_ANON_HEAP), COOKIE(0), 0x1fff, 0,
	       ANON(0x7000, 0x8000, OPROFILE_ANON_PLAIN), 0x7000, 0, E, OPROFILE_KERNEL_EXIT,
	       COUNT(3), 0x8000, 0);
	/* The stream contains a kind of memory that this version does not know. */
	expect("anon[1-2] 0/0/-@0: 1\n", USER, COOKIE(0), ANON(1, 2, 99), 1, 0);
	/* Without a cookie and a range of addresses, even the kind of memory is unknown. */
	expect("lost_no_file 1\n", USER, COOKIE(0), 1, 0);
	expect("stream_bad_record 1\nlost_no_file 1\n", USER, COOKIE(0), ANON(2, 2, 0), 2, 0);
}

/* A kernel sample has no file, and does not change the context of later user samples. */
static void test_guest_samples_keep_context(void **state)
{
	(void)state;
	expect("lib 7/8/app@3: 10\n"
	       "guest 7/8/app@3: 0x900\n"
	       "kernel 7/8/app@3: ffffffff81000000\n"
	       "guest 7/8/app@3: 0e1\n"
	       "lib 7/8/app@3: 11\n",
	       CPU(3), CTX(8, 0xa, 7), USER, COOKIE(0xb), 0x10, 0, GUEST, COUNT(900), 0, 0,
	       KERNEL, 0xffffffff81000000, 0, GUEST, 0, 1, USER, 0x11, 0);
	expect("guest 7/8/app@3: 0\n", CPU(3), CTX(8, 0xa, 7), GUEST, 0, 0);
}

static void test_path_records_do_not_change_samples(void **state)
{
	(void)state;
	expect("lib 7/8/app@3: 10\nlib 7/8/app@3: 0x900\nkernel 7/8/app@3: 12\n",
	       CPU(3), E, OPROFILE_TABLE_WANTED, 0xb, CTX(8, 0xa, 7), USER, COOKIE(0xb),
	       E, OPROFILE_PATH_IMAGE, 1, 0xb, 0, 0, 0, 0, E, OPROFILE_PATH_NODE, 1, 0, 1, 0, 0x10,
	       E, OPROFILE_PATH, 1, 0, 0x10, 0, E, OPROFILE_PATH, 1, 0, COUNT(900), 0, 0,
	       E, OPROFILE_PATHS_ANEW, KERNEL, E, OPROFILE_PATH, 1, 2, 0x12, 0);
}

static void test_task_names_are_decoded(void **state)
{
	unsigned long name[2] = { 0 };

	(void)state;
	memcpy(name, "worker", 6);
	expect("named 7/8 worker at 77\nkernel 7/8/app@3: 12\n",
	       CPU(3), CTX(8, 0xa, 7), E, OPROFILE_TASK_NAME, 8, 77, name[0], name[1], KERNEL, 0x12, 0);
	/* Names of the maximum length and of length 0 are decoded. */
	memset(name, 'x', sizeof(name));
	expect("named 7/8 xxxxxxxxxxxxxxx at 77\nkernel 7/8/app@3: 12\n",
	       CPU(3), CTX(8, 0xa, 7), E, OPROFILE_TASK_NAME, 8, 77, name[0], name[1], KERNEL, 0x12, 0);
	expect("kernel 7/8/app@3: 12\n",
	       CPU(3), CTX(8, 0xa, 7), E, OPROFILE_TASK_NAME, 8, 77, 0, 0, KERNEL, 0x12, 0);
	/* The name belongs to another task, so the record of the switch to that task is missing. */
	expect("stream_bad_record 1\nkernel 7/8/app@3: 12\n",
	       CPU(3), CTX(8, 0xa, 7), E, OPROFILE_TASK_NAME, 9, 77, name[0], name[1], KERNEL, 0x12, 0);
}

/* Groups 5 and 6 have names, and other ids are unknown. */
static struct opd_cgroups *two_groups(void)
{
	struct opd_cgroups *c;

	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	opd_cgroups_name(c, 5, "/a.service");
	opd_cgroups_name(c, 6, "/b.service/new\nline{dep}%");
	return c;
}

static void test_groups_apply_to_later_samples(void **state)
{
	const unsigned long words[] = {
		CPU(3), GROUP(5), CTX(8, 0xa, 7), KERNEL, 1, 0, USER, COOKIE(0xb), 0x10, 0,
		/* another task of the same group */
		CTX(9, 0xa, 9), KERNEL, 2, 0,
		/* a task that was moved, and groups without a name */
		GROUP(6), 3, 0, GROUP(0), 4, 0, GROUP(1234), 5, 0, GROUP(5), 6, 0,
		/* a switch of the CPU resets the group */
		CPU(4), CTX(9, 0xa, 9), KERNEL, 7, 0,
	};
	struct opd_cgroups *c = two_groups();

	(void)state;
	expect_units(c, words, sizeof(words) / sizeof(*words),
		     "kernel in /a.service 7/8/app@3: 1\n"
		     "lib in /a.service 7/8/app@3: 10\n"
		     "kernel in /a.service 9/9/app@3: 2\n"
		     "kernel in /b.service/new\nline{dep}% 9/9/app@3: 3\n"
		     "kernel 9/9/app@3: 4\nkernel 9/9/app@3: 5\n"
		     "kernel in /a.service 9/9/app@3: 6\n"
		     "kernel 9/9/app@4: 7\n");
	opd_cgroups_destroy(c);
	/* Without --separate=unit, the records are ignored. */
	expect("kernel 7/8/app@3: 1\nkernel 7/8/app@3: 2\n",
	       CPU(3), GROUP(5), CTX(8, 0xa, 7), KERNEL, 1, 0, GROUP(6), 2, 0);
}

/* A record of a group that is invalid, or in a wrong place, loses no other sample. */
static void test_hostile_groups(void **state)
{
	static const struct {
		const char *text;
		unsigned long words[16];
		size_t nr;
	} cases[] = {
		{ "stream_bad_record 1\nkernel in /a.service 0/0/-@0: 1\n",
		  { KERNEL, GROUP(5), GROUP(E), KERNEL, 1, 0 }, 12 },
		{ "stream_bad_record 1\nkernel in /a.service 0/0/-@0: 1\n",
		  { KERNEL, COUNT(9), GROUP(5), COUNT(1), 1, 0 }, 13 },
		{ "kernel 0/0/-@0: 1\n", { KERNEL, GROUP(E - 1), 1, 0 }, 7 },
		{ "kernel in /a.service 0/0/-@0: 1\nstream_bad_record 1\n",
		  { KERNEL, GROUP(5), 1, 0, E, OPROFILE_CGROUP }, 9 },
	};
	struct opd_cgroups *c = two_groups();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_units(c, cases[i].words, cases[i].nr, cases[i].text);
	opd_cgroups_destroy(c);
}

/* A sample of a waker has the context of the samples before it, and changes nothing for the samples
 * after it. */
static void test_wakers_are_samples_of_their_own(void **state)
{
	(void)state;
	expect("app 7/8/app@3: 10\n"
	       "app woke lib 7/8/app@3: 20e2x5\n"
	       "app 7/8/app@3: 30\n"
	       "kernel woke / 0/0/-@3: ffffffff81000000\n",
	       CPU(3), CTX(8, 0xa, 7), USER, COOKIE(0xa), 0x10, 0, WOKEN(0x20, 2, 5, 0xb), 0x30, 0,
	       CTX(0, 0, 0), KERNEL, WOKEN(0xffffffff81000000, 0, 1, 0));
	expect("stream_bad_record 1\nlost_no_file 3\nkernel 0/0/-@0: 1\n",
	       KERNEL, WOKEN(1, 0, 0, 0xa), WOKEN(1, 0, 3, 0x99), CPU(0), 1, 0);
}

/* Write the cookie and the process of each call to the recorder. */
static const struct opd_image *record_file(void *arg, uint64_t cookie, pid_t tgid)
{
	append(arg, "file %lx of %d\n", (long)cookie, tgid);
	return find_image(NULL, cookie, tgid);
}

/* A file of a container is opened at its record, which changes nothing for the samples after it. */
static void test_foreign_files_are_opened_at_once(void **state)
{
	static const unsigned long words[] = {
		CPU(0), CTX(8, 0, 7), USER, COOKIE(0xa), 0x10, 0, FOREIGN(0xb, 9), 0x20, 0,
		FOREIGN(0xc, (1ul << 30) + 1), KERNEL, COUNT(9), FOREIGN(0xb, 9), 1, 0,
	};
	struct opd_decoder *d = malloc(sizeof(*d));
	struct recorder r;

	(void)state;
	setup(&r, d);
	opd_decoder_init(d, &r.sink, record_file, &r);
	opd_decode(d, words, sizeof(words) / sizeof(*words));
	opd_decode_end(d);
	assert_string_equal(r.text, "file a of 7\n"
			    "app 7/8/-@0: 10\n"
			    "file b of 9\n"
			    "app 7/8/-@0: 20\n"
			    "stream_bad_record 1\n"
			    "stream_bad_record 1\n"
			    "file b of 9\n"
			    "kernel 7/8/-@0: 1\n");
	free(d);
}

/* The group stays valid in later parts of the stream, also if a new session begins in between, and
 * if its name is learned later. */
static void test_groups_outlive_sessions(void **state)
{
	const unsigned long first[] = { KERNEL, GROUP(5), 1, 0 }, other[] = { 2, 0 };
	struct opd_decoder *d = malloc(sizeof(*d));
	struct opd_cgroups *c;
	struct recorder r;

	(void)state;
	assert_int_equal(opd_cgroups_create(&c, NULL), 0);
	setup(&r, d);
	d->cgroups = c;
	opd_decode(d, first, sizeof(first) / sizeof(*first));
	opd_cgroups_name(c, 5, "/a.service");
	opd_decode(d, other, 2);
	opd_cgroups_new_session(c);
	opd_decode(d, other, 2);
	assert_string_equal(r.text, "kernel 0/0/-@0: 1\nkernel in /a.service 0/0/-@0: 2\n"
				    "kernel in /a.service 0/0/-@0: 2\n");
	opd_cgroups_destroy(c);
	free(d);
}

static void test_lost_samples_are_counted_by_reason(void **state)
{
	(void)state;
	expect("lost_no_domain 1\n", CPU(0), 0x10, 0);
	expect("lost_no_domain 9\n", COOKIE(0xa), COUNT(9), 0x10, 0);
	expect("lost_no_file 1\n", USER, COOKIE(0xdead), 1, 0);
	expect("lost_no_file 1\n", USER, COOKIE(OPROFILE_INVALID_COOKIE), 1, 0);
	expect("lost_event 1\nkernel 0/0/-@0: 1\n", KERNEL, 1, 1ul << 32, 1, 0);
	expect("kernel 0/0/-@0: 1\nlost_event 1\n", KERNEL, 1, 0, KERNEL, 2, E - 1);
}

static void test_module_records_keep_their_place(void **state)
{
	(void)state;
	expect("kernel 0/0/-@0: 1\nmodules\nkernel 0/0/-@0: 2\n",
	       KERNEL, 1, 0, E, OPROFILE_MODULE_LOADED, 2, 0);
}

static void test_traced_callers_are_not_counted(void **state)
{
	(void)state;
	expect("kernel 4/4/app@0: 1\napp 4/4/app@0: 7\n",
	       CTX(4, 0xa, 4), COOKIE(0xa), E, OPROFILE_TRACE_BEGIN, KERNEL, 1, 0, 2, 0, USER, 3, 0,
	       E, OPROFILE_TRACE_BEGIN, 7, 0, 8, 0);
}

static void test_unknown_codes_are_skipped(void **state)
{
	(void)state;
	/* The length of an unknown record is unknown: the decoder skips up to the next known code. */
	expect("stream_unknown_code 1\nkernel 0/0/-@0: 9\n",
	       KERNEL, E, 15, 1, 2, 3, E, 4000, 5, KERNEL, 9, 0);
	expect("stream_unknown_code 1\nkernel 0/0/-@0: 9\n", KERNEL, E, E, E, KERNEL, 9, 0);
	expect("stream_unknown_code 1\nkernel 0/0/-@0: 9\n",
	       E, OPROFILE_CTX_TGID, 5, KERNEL, 9, 0);
	/* A record of a disabled feature is counted as one lost interrupt; the samples after the
	 * record are kept. */
	expect("lost_event 1\nkernel 0/0/-@0: 9\n",
	       KERNEL, E, OPROFILE_IBS_FETCH, 1, 2, 3, 4, 5, 6, 7, 9, 0);
}

static void test_invalid_operands_are_refused(void **state)
{
	(void)state;
	expect("stream_bad_record 1\nkernel 0/0/-@0: 1\n", KERNEL, CPU(1ul << 40), 1, 0);
	expect("stream_bad_record 1\nkernel 0/0/-@0: 1\n", KERNEL, COUNT(0), 1, 0);
	expect("stream_bad_record 1\nkernel 0/0/-@0: 1\n", KERNEL, COUNT(1ul << 32), 1, 0);
	/* A count that is not followed by a sample does not represent an interrupt. */
	expect("stream_bad_record 1\nkernel 0/0/-@0: 1\n", KERNEL, COUNT(5), CPU(0), 1, 0);
	/* After an invalid record of a context switch, the owner of the next samples is unknown:
	 * they are counted without a task. */
	expect("stream_bad_record 1\nkernel 0/0/-@0: 2\n",
	       KERNEL, E, OPROFILE_CTX_SWITCH, 1, 2, 3, 4, 5, 8, 8, KERNEL, 2, 0);
	expect("stream_bad_record 1\nkernel 0/0/-@0: 2\n", KERNEL, CTX(-5ul, 0xa, 1), KERNEL, 2, 0);
}

/* A user who maps a file can choose offsets in the stream. An offset must not be mistaken for a
 * code, and an impossible offset is refused. */
static void test_operands_are_not_read_as_codes(void **state)
{
	(void)state;
	expect("lost_torn_record 1\napp 0/0/-@0: 10\n", USER, COOKIE(0xa), 1ul << 63, 0, 0x10, 0);
	expect("lost_torn_record 7\napp 0/0/-@0: 10\n",
	       USER, COOKIE(0xa), COUNT(7), E - 1, 0, 0x10, 0);
	/* The record is truncated by the start of another record, which is valid. */
	expect("stream_bad_record 1\nkernel 0/0/-@0: 9\n",
	       KERNEL, E, OPROFILE_IBS_FETCH, 1, 2, KERNEL, 9, 0, KERNEL);
	expect("stream_bad_record 1\nkernel 0/0/-@0: 9\n",
	       KERNEL, E, OPROFILE_ANON_RANGE, 1, KERNEL, 9, 0);
}

static void test_truncated_samples_are_lost(void **state)
{
	(void)state;
	expect("lost_torn_record 1\nkernel 0/0/-@0: 5\n", KERNEL, 0x77, KERNEL, 5, 0);
	expect("kernel 0/0/-@0: 1\nlost_torn_record 4\nkernel 0/0/-@0: 5\n",
	       KERNEL, 1, 0, KERNEL, COUNT(4), 0x77, KERNEL, 5, 0);
	expect("kernel 0/0/-@0: 1\nlost_torn_record 1\n", KERNEL, 1, 0, 2);
	expect("stream_bad_record 1\n", KERNEL, E, OPROFILE_CTX_SWITCH, 1);
	expect("stream_bad_record 1\n", KERNEL, COUNT(2));
	expect("stream_bad_record 1\n", E);
}

static void test_split_stream_gives_same_result(void **state)
{
	static const unsigned long words[] = {
		CPU(1), CTX(8, 0xa, 7), USER, COOKIE(0xa), 0x10, 0, COUNT(5), 0x20, 0,
		ANON(0x1000, 0x2000, 1), COOKIE(0), 0x1234, 0, E, 77, 5, 5, KERNEL, 3, 0, 9,
		KERNEL, E, OPROFILE_MODULE_LOADED, E, OPROFILE_TRACE_BEGIN, 4, 0, 5, 0,
		E, OPROFILE_CTX_SWITCH, 9, 9, 9, 9, 9, 6, 0, CPU(2), KERNEL, 0x42, 1,
	};
	const size_t nr = sizeof(words) / sizeof(words[0]);
	struct opd_decoder *d = malloc(sizeof(*d));
	struct recorder whole, cut;

	(void)state;
	setup(&whole, d);
	opd_decode(d, words, nr);
	opd_decode_end(d);
	assert_true(whole.stored > 5);
	for (size_t a = 0; a <= nr; a++) {
		for (size_t b = a; b <= nr; b++) {
			setup(&cut, d);
			opd_decode(d, words, a);
			opd_decode(d, words + a, b - a);
			opd_decode(d, words + b, nr - b);
			opd_decode_end(d);
			assert_int_equal(cut.stored, whole.stored);
			assert_int_equal(cut.lost, whole.lost);
			assert_int_equal(d->taken, whole.stored + whole.lost);
		}
	}
	free(d);
}

enum { COOKIES = 500 };

struct ahead {
	bool announced[COOKIES];
	/* .nr_lookups: number of cookies that were looked up; .after_announcement: number of these
	 * that were announced before */
	unsigned int nr_lookups, after_announcement;
	struct recorder *r;
};

static void mark_announced(void *arg, uint64_t cookie)
{
	struct ahead *a = arg;

	assert_true(cookie < COOKIES);
	a->announced[cookie] = true;
}

static const struct opd_image *count_lookup(void *arg, uint64_t cookie, pid_t tgid)
{
	static const struct opd_image image = { .path = "some" };
	struct ahead *a = arg;

	assert_int_equal(tgid, 7);	/* the process of the context */
	a->r->len = 0;		/* only the sums are compared here */
	a->nr_lookups++;
	a->after_announcement += a->announced[cookie];
	return &image;
}

/* The hook is called before a cookie is looked up, and does not change the result. The look-up has
 * the process of the context. */
static void test_cookie_hook_runs_before_lookup(void **state)
{
	unsigned long *words = calloc(COOKIES * 40, sizeof(*words));
	struct opd_decoder *d = malloc(sizeof(*d));
	uint64_t stored = 0;
	struct recorder *r = malloc(sizeof(*r));

	(void)state;
	for (int announced = 0; announced < 2; announced++) {
		struct ahead a = { .r = r };
		size_t nr = 0;

		setup(r, d);
		opd_decoder_init(d, &r->sink, count_lookup, &a);
		d->image_ahead = announced ? mark_announced : NULL;
		for (unsigned long i = 1; i + 1 < COOKIES; i += 2) {
			const unsigned long context[] = { CTX(8, i, 7), USER, COOKIE(i + 1) };

			memcpy(words + nr, context, sizeof(context));
			nr += sizeof(context) / sizeof(context[0]);
			for (unsigned long n = 0; n < i % 13; n++, nr += 2) {
				words[nr] = 0x1000 + i;
				words[nr + 1] = 0;
			}
		}
		assert_true(nr < COOKIES * 40);
		opd_decode(d, words, nr);
		opd_decode_end(d);
		assert_int_equal(r->lost, 0);
		assert_true(r->stored > COOKIES);
		assert_true(!announced || r->stored == stored);
		stored = r->stored;
		assert_true(a.nr_lookups > COOKIES - 10);
		/* Cookies are announced before their look-up, except in calls in which the decoder
		 * stops for a look-up. */
		assert_true(announced ? a.after_announcement * 10 > a.nr_lookups * 9
				      : !a.after_announcement);
	}
	free(words);
	free(r);
	free(d);
}

/* Runs have a maximum length, and no sample is lost between two runs. */
static void test_long_runs_are_split(void **state)
{
	enum { NR = 3 * OPD_DECODE_RUN + 7 };
	unsigned long *words = calloc(2 * NR + 2, sizeof(*words));
	struct opd_decoder *d = malloc(sizeof(*d));
	struct recorder *r = malloc(sizeof(*r));

	(void)state;
	words[0] = E;
	words[1] = OPROFILE_KERNEL_ENTER;
	setup(r, d);
	for (size_t i = 0; i < NR; i++)
		words[2 + 2 * i] = i % 10;
	opd_decode(d, words, 2 * NR + 2);
	assert_int_equal(r->stored, NR);
	assert_int_equal(d->taken, NR);
	free(r);
	free(d);
	free(words);
}

/* A fixed sequence of random words, with some codes among mostly invalid words, is decoded without
 * a crash. */
static void test_random_words_are_survived(void **state)
{
	unsigned long words[512];
	struct opd_decoder *d = malloc(sizeof(*d));
	struct recorder *r = malloc(sizeof(*r));
	uint64_t seed = 12345;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		setup(r, d);
		for (size_t i = 0; i < 512; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			switch (seed >> 61) {
			case 0:
			case 1:
				words[i] = E;
				break;
			case 2:
			case 3:
				words[i] = (seed >> 32) % 26;
				break;
			case 4:
				words[i] = 0xa + (seed >> 32) % 2;
				break;
			default:
				words[i] = seed >> (seed >> 58);
			}
		}
		const size_t step = round % 2 ? 64 : 512;

		for (size_t i = 0; i < 512; i += step) {
			r->len = 0;
			opd_decode(d, words + i, step);
			assert_true(d->nr_run == 0 && d->nr_tail < OPD_DECODE_TAIL);
		}
		r->len = 0;
		opd_decode_end(d);
		assert_int_equal(d->taken, r->stored + r->lost);
	}
	free(r);
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contexts_apply_to_later_samples),
		cmocka_unit_test(test_events_and_counts),
		cmocka_unit_test(test_anonymous_ranges_are_decoded),
		cmocka_unit_test(test_guest_samples_keep_context),
		cmocka_unit_test(test_path_records_do_not_change_samples),
		cmocka_unit_test(test_task_names_are_decoded),
		cmocka_unit_test(test_groups_apply_to_later_samples),
		cmocka_unit_test(test_hostile_groups),
		cmocka_unit_test(test_groups_outlive_sessions),
		cmocka_unit_test(test_wakers_are_samples_of_their_own),
		cmocka_unit_test(test_foreign_files_are_opened_at_once),
		cmocka_unit_test(test_lost_samples_are_counted_by_reason),
		cmocka_unit_test(test_module_records_keep_their_place),
		cmocka_unit_test(test_traced_callers_are_not_counted),
		cmocka_unit_test(test_unknown_codes_are_skipped),
		cmocka_unit_test(test_invalid_operands_are_refused),
		cmocka_unit_test(test_operands_are_not_read_as_codes),
		cmocka_unit_test(test_truncated_samples_are_lost),
		cmocka_unit_test(test_split_stream_gives_same_result),
		cmocka_unit_test(test_cookie_hook_runs_before_lookup),
		cmocka_unit_test(test_long_runs_are_split),
		cmocka_unit_test(test_random_words_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
