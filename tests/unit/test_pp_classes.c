// SPDX-License-Identifier: GPL-2.0-or-later
/* test_pp_classes.c -- tests which sample files a report combines in one column, and the error for
 * files that differ in too many properties ("axes"). */
#include "config.h"
#include "tests/unit/check.h"

#include <errno.h>

#include "pp/session/classes.h"
#include "tests/unit/pp_log.h"

#define ALL OP_ALL

struct row {
	const char *event;
	uint64_t count;
	uint32_t um;
	int tgid, tid, cpu;
};

#define MAX_ROWS (PP_MAX_CLASSES + 1)

struct fixture {
	struct pp_sample_file files[MAX_ROWS];
	struct pp_files list;
	struct pp_classes classes;
	struct check_log log;
	bool any_axes;		/* value of the argument any_axes */
};

static int classify(struct fixture *f, const struct row *rows, size_t nr, unsigned int merge)
{
	*f = (struct fixture){ .log = check_log(), .any_axes = f->any_axes };
	for (size_t i = 0; i < nr; i++) {
		f->files[i].name.event = (char *)rows[i].event;
		f->files[i].name.count = rows[i].count;
		f->files[i].name.um = rows[i].um;
		f->files[i].name.tgid = rows[i].tgid;
		f->files[i].name.tid = rows[i].tid;
		f->files[i].name.cpu = rows[i].cpu;
	}
	f->list = (struct pp_files){ .items = f->files, .nr = nr };
	return pp_classes_make(&f->classes, &f->list, merge, f->any_axes, &f->log.log);
}

#define CLASSIFY(f, rows, merge) classify(f, rows, sizeof(rows) / sizeof(rows[0]), merge)

static void single_class_has_no_axis(void **state)
{
	static const struct row rows[] = {{"A", 1, 0, ALL, ALL, ALL}, {"A", 1, 0, ALL, ALL, ALL}};
	static struct fixture f;

	(void)state;
	assert_int_equal(CLASSIFY(&f, rows, 0), 0);
	assert_int_equal(f.classes.nr, 1);
	assert_int_equal(f.classes.axis, PP_AXIS_NONE);
	pp_classes_release(&f.classes);
}

static void each_axis_gives_columns(void **state)
{
	static const struct row rows[][2] = {
		[PP_AXIS_EVENT] = { { "B", 1, 0, ALL, ALL, ALL }, { "A", 1, 0, ALL, ALL, ALL } },
		[PP_AXIS_TGID] = { { "A", 1, 0, 5, ALL, ALL }, { "A", 1, 0, 4, ALL, ALL } },
		[PP_AXIS_TID] = { { "A", 1, 0, 4, 6, ALL }, { "A", 1, 0, 4, 5, ALL } },
		[PP_AXIS_CPU] = { { "A", 1, 0, 4, 6, 1 }, { "A", 1, 0, 4, 6, 0 } },
	};
	static struct fixture f;

	(void)state;
	for (int axis = PP_AXIS_EVENT; axis <= PP_AXIS_CPU; axis++) {
		assert_int_equal(CLASSIFY(&f, rows[axis], 0), 0);
		assert_int_equal(f.classes.nr, 2);
		assert_int_equal(f.classes.axis, axis);
		/* Columns are sorted by name, and each file stores the index of its column. */
		assert_int_equal(f.files[0].class, 1);
		assert_int_equal(f.files[1].class, 0);
		pp_classes_release(&f.classes);
	}
}

static void events_differ_in_count_and_unit_mask_too(void **state)
{
	static const struct row rows[] = {
		{"A", 1, 0, ALL, ALL, ALL},
		{"A", 2, 0, ALL, ALL, ALL},
		{"A", 2, 1, ALL, ALL, ALL},
	};
	static struct fixture f;

	(void)state;
	assert_int_equal(CLASSIFY(&f, rows, 0), 0);
	assert_int_equal(f.classes.nr, 3);
	pp_classes_release(&f.classes);
	assert_int_equal(CLASSIFY(&f, rows, PP_MERGE_UNITMASK), 0);
	assert_int_equal(f.classes.nr, 2);
	pp_classes_release(&f.classes);
}

static void sampled_events_are_before_counted_events(void **state)
{
	static const struct row rows[] = { { "# SIGSEGVs", 1, 0, ALL, ALL, ALL }, { "TIMER", 1000, 0, ALL, ALL, ALL } };
	static struct fixture f;

	(void)state;
	assert_int_equal(CLASSIFY(&f, rows, 0), 0);
	assert_string_equal(f.classes.items[0].event, "TIMER");
	assert_string_equal(f.classes.items[1].event, "# SIGSEGVs");
	pp_classes_release(&f.classes);
}

static void two_axes_fail_with_merge_hint(void **state)
{
	static const struct row rows[] = {{"A", 1, 0, 4242, 4242, 0}, {"A", 1, 0, ALL, ALL, 1}};
	static struct fixture f;

	(void)state;
	assert_int_equal(CLASSIFY(&f, rows, 0), -EINVAL);
	assert_failed_with(&f.log, "tgid (not recorded, 4242)");
	assert_failed_with(&f.log, "cpu (1, 0)");
	assert_failed_with(&f.log, "--merge=tgid");
	assert_failed_with(&f.log, "--merge=cpu");
	assert_int_equal(CLASSIFY(&f, rows, PP_MERGE_TGID), 0);
	assert_int_equal(f.classes.axis, PP_AXIS_CPU);
	pp_classes_release(&f.classes);
	assert_int_equal(CLASSIFY(&f, rows, PP_MERGE_CPU), 0);
	assert_int_equal(f.classes.axis, PP_AXIS_TGID);
	pp_classes_release(&f.classes);
	assert_int_equal(CLASSIFY(&f, rows, PP_MERGE_ALL), 0);
	assert_int_equal(f.classes.nr, 1);
	pp_classes_release(&f.classes);
}

static void tid_equal_to_tgid_adds_no_axis(void **state)
{
	static const struct row same[] = { { "A", 1, 0, 4, 4, ALL }, { "A", 1, 0, 5, 5, ALL } };
	static const struct row threads[] = { { "A", 1, 0, 4, 4, ALL }, { "A", 1, 0, 5, 6, ALL } };
	static struct fixture f;

	(void)state;
	assert_int_equal(CLASSIFY(&f, same, 0), 0);
	assert_int_equal(f.classes.axis, PP_AXIS_TGID);
	pp_classes_release(&f.classes);
	assert_int_equal(CLASSIFY(&f, threads, 0), -EINVAL);
	assert_int_equal(CLASSIFY(&f, threads, PP_MERGE_TID), 0);
	assert_int_equal(f.classes.axis, PP_AXIS_TGID);
	pp_classes_release(&f.classes);
}

static void long_value_lists_are_shortened(void **state)
{
	static struct row rows[20];
	static struct fixture f;

	(void)state;
	for (int i = 0; i < 20; i++)
		rows[i] = (struct row){ "A", 1, 0, i, ALL, i };
	assert_int_equal(CLASSIFY(&f, rows, 0), -EINVAL);
	assert_failed_with(&f.log, "0, 1, 2, 3, 4 and 15 more");
}

static void too_many_columns_are_refused(void **state)
{
	static struct row rows[PP_MAX_COLUMNS + 1];
	static struct fixture f;

	(void)state;
	for (int i = 0; i <= PP_MAX_COLUMNS; i++)
		rows[i] = (struct row){ "A", 1, 0, i, ALL, ALL };
	assert_int_equal(CLASSIFY(&f, rows, 0), -EINVAL);
	assert_failed_with(&f.log, "--merge=tgid");
	assert_int_equal(classify(&f, rows, PP_MAX_COLUMNS, 0), 0);
	pp_classes_release(&f.classes);
	/* If files differ in two axes, the error names both axes, whatever the limit of columns. */
	rows[7].cpu = 1;
	assert_int_equal(CLASSIFY(&f, rows, 0), -EINVAL);
	assert_failed_with(&f.log, "and by cpu (not recorded, 1)");
}

/* The columns of a database are chosen by other tags than those of sessions. */
static void columns_of_a_database_have_their_own_hints(void **state)
{
	static struct pp_sample_file files[PP_MAX_COLUMNS + 1];
	static char titles[PP_MAX_COLUMNS + 1][8];
	static char *sources[PP_MAX_COLUMNS + 1];
	struct pp_files list = { .items = files, .sources = sources, .column = "host" };
	struct check_log log = check_log();
	struct pp_classes classes;

	(void)state;
	for (size_t i = 0; i <= PP_MAX_COLUMNS; i++) {
		snprintf(titles[i], sizeof(titles[i]), "h%zu", i);
		sources[i] = titles[i];
		files[i] = (struct pp_sample_file){ .name = {
			.event = (char *)"A", .count = 1, .tgid = ALL, .tid = ALL, .cpu = ALL,
		}, .session = i };
	}
	list.nr = PP_MAX_COLUMNS + 1;
	assert_int_equal(pp_classes_make(&classes, &list, 0, false, &log.log), -EINVAL);
	assert_failed_with(&log, "one for each host: choose hosts by host:, or a shorter time");
	/* two events and two hosts */
	files[1].name.event = (char *)"B";
	list.nr = 2;
	assert_int_equal(pp_classes_make(&classes, &list, 0, false, &log.log), -EINVAL);
	assert_failed_with(&log, "To choose among hosts add host:, to add them up omit --by or --worst");
}

static void all_axes_are_allowed_for_machine_output(void **state)
{
	static struct row rows[PP_MAX_CLASSES + 1];
	static struct fixture f = { .any_axes = true };

	(void)state;
	for (int i = 0; i <= PP_MAX_CLASSES; i++)
		rows[i] = (struct row){ "A", 1, 0, i / 4, i / 2, i % 2 };
	assert_int_equal(classify(&f, rows, PP_MAX_CLASSES, 0), 0);
	assert_int_equal(f.classes.nr, PP_MAX_CLASSES);
	pp_classes_release(&f.classes);
	assert_int_equal(CLASSIFY(&f, rows, 0), -EINVAL);
	assert_failed_with(&f.log, "kinds of samples");
	assert_failed_with(&f.log, "--merge=tgid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_class_has_no_axis),
		cmocka_unit_test(each_axis_gives_columns),
		cmocka_unit_test(events_differ_in_count_and_unit_mask_too),
		cmocka_unit_test(sampled_events_are_before_counted_events),
		cmocka_unit_test(two_axes_fail_with_merge_hint),
		cmocka_unit_test(tid_equal_to_tgid_adds_no_axis),
		cmocka_unit_test(long_value_lists_are_shortened),
		cmocka_unit_test(too_many_columns_are_refused),
		cmocka_unit_test(columns_of_a_database_have_their_own_hints),
		cmocka_unit_test(all_axes_are_allowed_for_machine_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
