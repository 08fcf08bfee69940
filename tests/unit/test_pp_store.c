// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_pp_store.c -- reads rows of a database: rows of one host that cannot be used do not affect
 * the rows of other hosts, long answers end early, the time to build an interval does not depend on
 * the number of programs, and the hosts of --worst are those that differ most.
 */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <time.h>

#include "intervals/interval.h"
#include "intervals/merge.h"
#include "pp/store/build.h"
#include "pp/store/query.h"
#include "pp/store/worst.h"

/* An answer of a server. */
struct answer {
	FILE *out;
	char *text;
	size_t size;
};

static void begin(struct answer *a)
{
	a->out = open_memstream(&a->text, &a->size);
	assert_non_null(a->out);
}

static struct store_rows end(struct answer *a)
{
	assert_int_equal(fclose(a->out), 0);
	return (struct store_rows){ a->text, a->text + a->size, false };
}

static void put(struct answer *a, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		putc_unlocked((int)(number >> 8 * i & 0xff), a->out);
}

static void put_length(struct answer *a, size_t n)
{
	for (; n >= 128; n >>= 7)
		putc_unlocked((int)(n & 127) | 128, a->out);
	putc_unlocked((int)n, a->out);
}

static void put_double(struct answer *a, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	put(a, bits, 8);
}

static void put_text(struct answer *a, const char *text)
{
	put_length(a, strlen(text));
	fputs(text, a->out);
}

/* A row of table sessions. */
struct row {
	const char *host, *accounting;
	uint64_t taken;
	double mhz;
	uint32_t schema;
};

static void put_session(struct answer *a, const struct row *row)
{
	put(a, STORE_MARK, 4);
	put(a, 1000, 4);
	put(a, 1600, 4);
	put_text(a, row->host);
	put_text(a, "name");
	put(a, 5, 8);		/* samples */
	put(a, 5, 8);		/* sent */
	put(a, 1, 4);		/* rows */
	put(a, row->taken, 8);
	put(a, row->taken, 8);	/* stored */
	put_length(a, 1);
	put_text(a, "perf_lost_ring");
	put_length(a, 2);	/* more counts than names */
	put(a, 1, 8);
	put(a, 2, 8);
	put_text(a, "kernel");
	put_text(a, "cpu");
	put_double(a, row->mhz);
	put_text(a, row->accounting);
	put(a, row->schema, 4);
}

static int read_sessions(struct store_sessions *s, const struct row *rows, size_t nr,
			 struct op_reason *error)
{
	struct store_rows answer;
	struct answer a;
	int err;

	begin(&a);
	for (size_t i = 0; i < nr; i++)
		put_session(&a, &rows[i]);
	answer = end(&a);
	err = store_sessions_read(s, &answer, error);
	free(a.text);
	return err;
}

/* Return a text of @nr lines with the format @format of a number, as an accounting. */
__attribute__((format(printf, 2, 0))) static char *lines(int nr, const char *format)
{
	struct answer a;

	begin(&a);
	for (int i = 0; i < nr; i++)
		fprintf(a.out, format, i);
	end(&a);
	return a.text;
}

/* Add the accountings of all rows to *@sum. Return the number of rows without a usable one. */
static int add_all(struct itv_accounting *sum, const struct store_sessions *s)
{
	int nr = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct itv one = { .nr_images = 0 }, all = { .accounting = *sum };
		int err = store_session_accounting(&one.accounting, s, &s->items[i], "host", sum);

		assert_true(err >= 0);
		nr += err;
		assert_int_equal(itv_merge(&all, &one, NULL), 0);
		*sum = all.accounting;
		all.accounting = (struct itv_accounting){ .begun_ns = 0 };
		itv_release(&all);
		itv_release(&one);
	}
	return nr;
}

static void release(struct itv_accounting *sum)
{
	struct itv v = { .accounting = *sum };

	itv_release(&v);
}

static void test_one_row_does_not_affect_others(void **state)
{
	char *counters = lines(4000, "stat x%d 1\n"), *gaps = lines(2000, "gap %d 9000 x\n");
	char *parts = lines(300, "part %d\n"), *longest = lines(20000, "a %d\n");
	const struct row rows[] = {
		{ "good", "stat perf_taken 40\nstat stored 40\n", 0, 2000, 2 },
		{ "plain", "", 7, 1000, 1 },
		{ "huge", "stat perf_taken 18446744073709551615\n", 0, INFINITY, 2 },
		{ "many", "stat perf_taken 70000000000000\nstat perf_taken 70000000000000\n", 0, NAN, 2 },
		{ "converted", "stat perf_taken 5\nstat wakers 6\n", 0, -1, 2 },
		{ "columns", "", UINT64_MAX, 1e300, 2 },
		{ "counters", counters, 0, 0, 2 }, { "gaps", gaps, 0, 0, 2 },
		{ "parts", parts, 0, 0, 2 }, { "longest", longest, 0, 0, 2 },
		{ "damaged", "stat perf_taken", 0, 0, 2 }, { "newer", "", 0, 0, 3 },
		{ "newest", "", 0, 0, 9 },
	};
	const size_t nr = sizeof(rows) / sizeof(rows[0]);
	struct op_reason error = { .text = "" };
	struct itv_accounting sum = { .begun_ns = 0 };
	struct store_sessions s;

	(void)state;
	assert_int_equal(read_sessions(&s, rows, nr, &error), 0);
	assert_int_equal(s.nr, nr - 2);
	assert_int_equal(s.nr_newer, 2);
	assert_string_equal(s.newer_host, "newer");
	for (size_t i = 0; i < s.nr; i++)
		assert_true(s.items[i].mhz == (i == 0 ? 2000 : i == 1 ? 1000 : 0));
	assert_int_equal(add_all(&sum, &s), s.nr - 2);
	assert_int_equal(op_session_stats_sum(&sum.stats, OP_STAT_TAKEN), 47);
	assert_int_equal(op_session_stats_sum(&sum.stats, OP_STAT_STORED), 47);
	assert_int_equal(op_session_stats_get(&sum.stats, "perf_lost_ring"), 1);
	assert_int_equal(op_session_stats_get(&sum.stats, "totals_unknown"), s.nr - 2);
	release(&sum);
	store_sessions_release(&s);
	/* A database of a newer version is refused. */
	assert_int_equal(read_sessions(&s, rows + nr - 2, 2, &error), -EPROTO);
	assert_non_null(strstr(error.text, "version 9"));
	free(counters);
	free(gaps);
	free(parts);
	free(longest);
}

/* Counters of many hosts saturate, and counters that this version does not know are limited. */
static void test_sum_is_limited(void **state)
{
	char *texts[20];
	struct row rows[20];
	struct op_reason error = { .text = "" };
	struct itv_accounting sum = { .begun_ns = 0 };
	struct store_sessions s;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		struct answer a;

		begin(&a);
		for (int k = 0; k < 200; k++)
			fprintf(a.out, "stat x%zu.%d 1\n", i, k);
		fputs("stat idle_ns 9000000000000000000\nstat stored 10\nstat perf_taken 10\n", a.out);
		end(&a);
		texts[i] = a.text;
		rows[i] = (struct row){ "host", texts[i], 0, 0, 2 };
	}
	assert_int_equal(read_sessions(&s, rows, 20, &error), 0);
	assert_int_equal(add_all(&sum, &s), 0);
	assert_int_equal(op_session_stats_get(&sum.stats, "stored"), 200);
	assert_true(op_session_stats_get(&sum.stats, "idle_ns") == UINT64_MAX);
	assert_int_equal(sum.stats.nr, 256 + 3);
	release(&sum);
	store_sessions_release(&s);
	for (size_t i = 0; i < 20; i++)
		free(texts[i]);
}

/* Stacks without frames after the program count for the limit. The reader stops there. */
static void test_stacks_are_limited(void **state)
{
	struct op_reason error = { .text = "" };
	struct pp_names names = { .nr = 0 };
	struct answer a;
	struct store_stacks stacks;
	struct store_rows rows;

	(void)state;
	begin(&a);
	for (uint32_t i = 0; i < STORE_MAX_STACKS + 1000; i++) {
		char program[40];

		put(&a, STORE_MARK, 4);
		put_text(&a, "service");
		put(&a, i, 8);
		put_length(&a, 1);
		snprintf(program, sizeof(program), "main\t/bin/%u\t", i);
		put_text(&a, program);
	}
	rows = end(&a);
	assert_int_equal(store_stacks_read(&stacks, &names, &rows, &error), -E2BIG);
	assert_non_null(strstr(error.text, "more than 500000 stacks"));
	assert_true(names.nr <= STORE_MAX_STACKS);
	pp_names_release(&names);
	free(a.text);
}

/* The titles of columns are the same for all samples of a host, in any order of the rows. */
static void test_columns_are_found(void **state)
{
	enum { COLUMNS = 8000, ROWS = 40000 };
	struct op_reason error = { .text = "" };
	struct answer a;
	struct store_samples samples;
	struct store_rows rows;

	(void)state;
	begin(&a);
	for (uint32_t i = 0; i < ROWS; i++) {
		char host[20];

		snprintf(host, sizeof(host), "%05u", i * 7919 % COLUMNS);
		put(&a, STORE_MARK, 4);
		put(&a, 1000, 4);
		put_text(&a, host);
		put_text(&a, "service");
		put_text(&a, i % 2 ? "A:1" : "B:1");
		put(&a, i * 7919 % COLUMNS, 8);
		put(&a, 1, 8);
	}
	rows = end(&a);
	assert_int_equal(store_samples_read(&samples, &rows, &error), 0);
	assert_int_equal(samples.nr, ROWS);
	assert_int_equal(samples.nr_columns, COLUMNS);
	assert_int_equal(samples.nr_events, 2);
	for (size_t i = 0; i < samples.nr; i++)
		assert_int_equal(samples.items[i].column, samples.items[i].stack);
	store_samples_release(&samples);
	free(a.text);
}

/* Samples of stacks of programs, in a builder. */
struct building {
	struct pp_names names;
	struct store_stacks stacks;
	struct store_samples samples;
	struct store_builder builder;
	char *text[2];
};

/* Put a stack of the unit, whose frames are texts of the database, the program first. */
static void put_stack(struct answer *a, uint64_t id, const char *const frames[], size_t nr)
{
	put(a, STORE_MARK, 4);
	put_text(a, "unit");
	put(a, id, 8);
	put_length(a, nr);
	for (size_t i = 0; i < nr; i++)
		put_text(a, frames[i]);
}

/* Put one sample of a stack. */
static void put_sample(struct answer *a, uint64_t stack)
{
	put(a, STORE_MARK, 4);
	put(a, 1000, 4);
	put_text(a, "");
	put_text(a, "unit");
	put_text(a, "A:1");
	put(a, stack, 8);
	put(a, 1, 8);
}

/* Read both answers. release_building() frees their texts. */
static void read_building(struct building *b, struct answer *stacks, struct answer *samples)
{
	struct op_reason error = { .text = "" };
	struct store_rows rows = end(stacks);

	*b = (struct building){ .builder = { .names = &b->names, .stacks = &b->stacks,
					     .samples = &b->samples } };
	assert_int_equal(store_stacks_read(&b->stacks, &b->names, &rows, &error), 0);
	rows = end(samples);
	assert_int_equal(store_samples_read(&b->samples, &rows, &error), 0);
	pp_names_finish(&b->names);
	b->text[0] = stacks->text;
	b->text[1] = samples->text;
	assert_int_equal(store_builder_init(&b->builder), 0);
}

static void make_building(struct building *b, uint32_t nr_programs, uint32_t nr_samples)
{
	struct answer stacks, samples;

	begin(&stacks);
	begin(&samples);
	for (uint32_t i = 0; i < nr_programs; i++) {
		char program[40];

		snprintf(program, sizeof(program), "main\t/bin/%u\t", i);
		put_stack(&stacks, i, (const char *[]){ program, "leaf\t/bin/0\t" }, 2);
	}
	for (uint32_t i = 0; i < nr_samples; i++)
		put_sample(&samples, (uint64_t)i * 7919 % nr_programs);
	read_building(b, &stacks, &samples);
}

static void release_building(struct building *b)
{
	store_builder_release(&b->builder);
	store_samples_release(&b->samples);
	store_stacks_release(&b->stacks);
	pp_names_release(&b->names);
	free(b->text[0]);
	free(b->text[1]);
}

/* Build an interval of samples of @nr_programs programs. Return the CPU time, in clocks. */
static double time_of_build(uint32_t nr_programs, uint32_t nr_samples)
{
	struct itv v = { .nr_images = 0 };
	struct building b;
	clock_t begun;

	make_building(&b, nr_programs, nr_samples);
	begun = clock();
	assert_int_equal(store_build(&b.builder, &v, 0, nr_samples), 0);
	begun = clock() - begun;
	assert_int_equal(v.accounting.samples, nr_samples);
	/* the programs, and the image of leaf */
	assert_int_equal(v.nr_images, nr_programs + 1);
	itv_release(&v);
	release_building(&b);
	return (double)begun;
}

static void test_programs_are_found_without_a_search(void **state)
{
	const double of_100 = time_of_build(100, 300000), of_many = time_of_build(20000, 300000);

	(void)state;
	/* a search takes 40 times the time */
	assert_true(of_many < 8 * of_100);
}

/* The lists of an interval that itv_merge() made are freed. */
static void test_build_frees_lists(void **state)
{
	const struct itv none = { .nr_images = 0 };
	struct building b;
	size_t before = 0;

	(void)state;
	make_building(&b, 3, 9);
	for (int i = 0; i < 1001; i++) {
		struct itv v = { .nr_images = 0 };

		assert_int_equal(itv_merge(&v, &none, NULL), 0);
		assert_int_equal(store_build(&b.builder, &v, 0, 9), 0);
		itv_release(&v);
		if (!i)
			before = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks < before + 10000);
	release_building(&b);
}

/* A call path of one frame is in the tree if the interval has call paths at all. */
static void test_path_can_have_one_frame(void **state)
{
	static const char *const deep[] = { "\t/bin/0\t", "main\t/bin/0\t", "leaf\t/bin/0\t" };
	static const char *const none[] = { "\t/bin/0\t", "[no path]", "leaf\t/bin/0\t" };
	static const char *const single[] = { "\t/bin/0\t", "leaf\t/bin/0\t" };
	static const struct {
		uint64_t first;		/* the stack of the first sample; the other sample: single */
		uint64_t paths;
	} cases[] = { { 0, 2 }, { 1, 1 }, { 2, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer stacks, samples;
		struct itv v = { .nr_images = 0 };
		struct building b;

		begin(&stacks);
		begin(&samples);
		put_stack(&stacks, 0, deep, 3);
		put_stack(&stacks, 1, none, 3);
		put_stack(&stacks, 2, single, 2);
		put_sample(&samples, cases[i].first);
		put_sample(&samples, 2);
		read_building(&b, &stacks, &samples);
		assert_int_equal(store_build(&b.builder, &v, 0, 2), 0);
		assert_int_equal(v.accounting.samples, 2);
		assert_int_equal(v.accounting.paths, cases[i].paths);
		itv_release(&v);
		release_building(&b);
	}
}

/* A text of the accounting has all of its totals. */
static void test_accounting_has_wakers(void **state)
{
	const struct itv_accounting a = { .samples = 7, .paths = 5, .folded = 2, .wakers = 3 };
	struct itv v = { .nr_images = 0 };
	char *text;
	size_t len;

	(void)state;
	assert_int_equal(itv_accounting_write(&text, &len, &a), 0);
	assert_int_equal(itv_accounting_parse(&v.accounting, text, len), 0);
	assert_int_equal(v.accounting.samples, 7);
	assert_int_equal(v.accounting.paths, 5);
	assert_int_equal(v.accounting.folded, 2);
	assert_int_equal(v.accounting.wakers, 3);
	itv_release(&v);
	free(text);
}

#define EVENT	"TIMER:1000000"

/* A function in an answer to store_query_extremes(). */
static void put_extreme(struct answer *a, const struct store_extreme *e)
{
	put(a, STORE_MARK, 4);
	put_text(a, e->event);
	put_text(a, e->function);
	put(a, e->nr_hosts, 4);
	put_text(a, e->high);
	put_double(a, e->above);
	put_text(a, e->low);
	put_double(a, e->below);
}

static void put_total(struct answer *a, const char *event, const char *host, double samples)
{
	put(a, STORE_MARK, 4);
	put_text(a, event);
	put_text(a, host);
	put_double(a, samples);
}

/* A host with samples of the function "rare" in an answer to store_query_holders(). */
static void put_holder(struct answer *a, const char *event, const char *host)
{
	put(a, STORE_MARK, 4);
	put_text(a, event);
	put_text(a, "rare");
	put_text(a, host);
}

/* The hosts with samples of a function, and the hosts that a report shows. */
struct worst_case {
	const char *holders[2];
	const char *low;	/* the host with the smallest share among the holders */
	const char *shown[2];
};

static void read_worst(struct store_worst *w, const struct worst_case *c)
{
	static const char *const hosts[] = { "large", "middle", "small" };
	const struct store_extreme common = { EVENT, "common", 3, "small", "large", .3, .25 };
	const struct store_extreme rare = { EVENT, "rare", 2, "middle", c->low, .5, .4 };
	struct store_rows rows;
	struct answer a;

	begin(&a);
	/* This host has more samples than the others, but they are of another event. */
	put_total(&a, "OFFCPU:1000000", "waiting", 1000000);
	for (size_t i = 0; i < 3; i++)
		put_total(&a, EVENT, hosts[i], i == 2 ? 10 : 10000);
	put_total(&a, "OFFCPU:1000000", "large", 10);
	rows = end(&a);
	assert_int_equal(store_worst_read_totals(w, &rows, NULL), 0);
	assert_int_equal(w->nr_hosts, 4);
	free(a.text);
	begin(&a);
	put_extreme(&a, &common);
	put_extreme(&a, &rare);
	rows = end(&a);
	assert_int_equal(store_worst_read_extremes(w, &rows, NULL), 0);
	free(a.text);
	begin(&a);
	/* samples of another event */
	put_holder(&a, "OFFCPU:1000000", "large");
	for (size_t i = 0; i < 2; i++)
		put_holder(&a, EVENT, c->holders[i]);
	rows = end(&a);
	assert_int_equal(store_worst_read_holders(w, &rows, NULL), 0);
	free(a.text);
}

/* A host without samples of a function has the smallest share, unless it has too few samples to
 * tell. */
static void test_worst_finds_hosts_without_samples(void **state)
{
	static const struct worst_case cases[] = {
		{ { "small", "middle" }, "small", { "middle", "large" } },
		{ { "large", "middle" }, "large", { "middle", "large" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct store_worst w = { .totals = NULL };
		struct pp_values chosen = { .nr = 0 };

		read_worst(&w, &cases[i]);
		/* only of this function, some hosts have no samples */
		assert_int_equal(w.functions.nr, 1);
		assert_string_equal(w.functions.items[0], "rare");
		assert_int_equal(store_worst_choose(&chosen, &w, 1), 0);
		assert_int_equal(chosen.nr, 2);
		assert_string_equal(chosen.items[0], cases[i].shown[0]);
		assert_string_equal(chosen.items[1], cases[i].shown[1]);
		pp_values_release(&chosen);
		store_worst_release(&w);
	}
}

static int read_totals(struct store_worst *w, double samples, size_t nr)
{
	struct store_rows rows;
	char name[32];
	struct answer a;
	int err;

	begin(&a);
	for (size_t i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		put_total(&a, EVENT, name, samples);
	}
	rows = end(&a);
	err = store_worst_read_totals(w, &rows, NULL);
	free(a.text);
	return err;
}

static int read_extremes(struct store_worst *w, const struct store_extreme *e, size_t nr)
{
	struct store_rows rows;
	struct answer a;
	int err;

	begin(&a);
	for (size_t i = 0; i < nr; i++)
		put_extreme(&a, e);
	rows = end(&a);
	err = store_worst_read_extremes(w, &rows, NULL);
	free(a.text);
	return err;
}

/* Numbers without an order, and more rows than the query asks for, are refused. Empty answers are
 * valid. */
static void test_worst_refuses_wrong_numbers(void **state)
{
	static const double wrong[] = { NAN, INFINITY, -INFINITY, -1 };
	struct store_worst w = { .totals = NULL };
	struct pp_values chosen = { .nr = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct store_extreme high = { EVENT, "f", 1, "0", "0", wrong[i], 0 };
		const struct store_extreme low = { EVENT, "f", 1, "0", "0", 0, wrong[i] };

		assert_int_equal(read_totals(&w, wrong[i], 1), -EPROTO);
		assert_int_equal(read_extremes(&w, &high, 1), isfinite(wrong[i]) ? 0 : -EPROTO);
		assert_int_equal(read_extremes(&w, &low, 1), isfinite(wrong[i]) ? 0 : -EPROTO);
		store_worst_release(&w);
	}
	assert_int_equal(read_totals(&w, 1, STORE_MAX_TOTALS), 0);
	assert_int_equal(read_totals(&w, 1, 1), -EPROTO);
	store_worst_release(&w);
	assert_int_equal(read_totals(&w, 1, 0), 0);
	assert_int_equal(read_extremes(&w, NULL, 0), 0);
	assert_int_equal(store_worst_choose(&chosen, &w, 10), 0);
	assert_int_equal(chosen.nr, 0);
	store_worst_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_row_does_not_affect_others),
		cmocka_unit_test(test_sum_is_limited),
		cmocka_unit_test(test_stacks_are_limited),
		cmocka_unit_test(test_columns_are_found),
		cmocka_unit_test(test_programs_are_found_without_a_search),
		cmocka_unit_test(test_build_frees_lists),
		cmocka_unit_test(test_path_can_have_one_frame),
		cmocka_unit_test(test_accounting_has_wakers),
		cmocka_unit_test(test_worst_finds_hosts_without_samples),
		cmocka_unit_test(test_worst_refuses_wrong_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
