// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * accounting.c -- sorts and adds the accounting of intervals: counters, gaps and parts.
 */
#include "config.h"
#include "intervals/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"

static int compare_gaps(const void *a, const void *b)
{
	const struct itv_gap *x = a, *y = b;
	int order = op_compare_s64(x->from_ns, y->from_ns);

	order = order ? order : op_compare_s64(x->to_ns, y->to_ns);
	return order ? order : strcmp(x->reason, y->reason);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_stats(const void *a, const void *b)
{
	const struct op_stat_value *x = a, *y = b;

	if (x->desc && y->desc)
		return x->desc < y->desc ? -1 : x->desc > y->desc;
	if (x->desc || y->desc)
		return x->desc ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void sort_gaps(struct itv_accounting *a)
{
	size_t kept = 0;

	if (a->nr_gaps)
		qsort(a->gaps, a->nr_gaps, sizeof(*a->gaps), compare_gaps);
	for (size_t i = 0; i < a->nr_gaps; i++) {
		struct itv_gap gap = a->gaps[i];

		if (kept && gap.from_ns < a->gaps[kept - 1].to_ns)
			gap.from_ns = a->gaps[kept - 1].to_ns;
		if (gap.from_ns < gap.to_ns)
			a->gaps[kept++] = gap;
		else
			free(gap.reason);
	}
	a->nr_gaps = kept;
}

static void sort_parts(struct itv_accounting *a)
{
	size_t kept = 0;

	if (a->nr_parts)
		qsort(a->parts, a->nr_parts, sizeof(*a->parts), compare_texts);
	for (size_t i = 0; i < a->nr_parts; i++) {
		if (kept && !strcmp(a->parts[kept - 1], a->parts[i]))
			free(a->parts[i]);
		else
			a->parts[kept++] = a->parts[i];
	}
	a->nr_parts = kept;
}

void itv_sort_accounting(struct itv_accounting *a)
{
	sort_gaps(a);
	sort_parts(a);
	if (a->stats.nr)
		qsort(a->stats.values, a->stats.nr, sizeof(*a->stats.values), compare_stats);
}

static bool has_time(const struct itv_accounting *a)
{
	return a->begun_ns || a->ended_ns;
}

/* The possible states of an interval at one moment: it has samples (`covered`), the moment is in a
 * gap (its reason), or the moment is not in the interval (`outside`). */
static const char covered[] = "covered", outside[] = "outside";

/* Return the state of an interval at the time @ns: `covered`, `outside`, or the reason of the gap.
 * Advance *@gap to the first gap that ends after @ns. */
static const char *state_at(const struct itv_accounting *a, size_t *gap, int64_t ns)
{
	if (!has_time(a) || ns < a->begun_ns || ns >= a->ended_ns)
		return outside;
	while (*gap < a->nr_gaps && a->gaps[*gap].to_ns <= ns)
		++*gap;
	if (*gap < a->nr_gaps && a->gaps[*gap].from_ns <= ns)
		return a->gaps[*gap].reason;
	return covered;
}

/* Return the reason of the gap that the sum of two intervals has at a moment, or NULL if the sum
 * has no gap then. @a, @b: states of the two intervals at this moment. @between: the reason if the
 * moment is outside of both intervals. */
static const char *join_states(const char *a, const char *b, const char *between)
{
	if (a == covered || b == covered)
		return NULL;
	if (a == outside && b == outside)
		return between;
	if (a == outside || b == outside)
		return a == outside ? b : a;
	return strcmp(a, b) < 0 ? a : b;
}

static int add_gap(struct itv_accounting *sum, int64_t from_ns, int64_t to_ns, const char *reason)
{
	struct itv_gap *last = sum->nr_gaps ? &sum->gaps[sum->nr_gaps - 1] : NULL;
	char *copy;

	if (last && last->to_ns == from_ns && !strcmp(last->reason, reason)) {
		last->to_ns = to_ns;
		return 0;
	}
	if (op_grow(&sum->gaps, sum->nr_gaps))
		return -ENOMEM;
	copy = strdup(reason);
	if (!copy)
		return -ENOMEM;
	sum->gaps[sum->nr_gaps++] = (struct itv_gap){ from_ns, to_ns, copy };
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	return op_compare_s64(*(const int64_t *)a, *(const int64_t *)b);
}

/* Append to @points the times at which the state of interval @a changes. Return the new number of
 * points. */
static size_t add_points(int64_t *points, size_t nr, const struct itv_accounting *a)
{
	if (has_time(a)) {
		points[nr++] = a->begun_ns;
		points[nr++] = a->ended_ns;
	}
	for (size_t i = 0; i < a->nr_gaps; i++) {
		points[nr++] = a->gaps[i].from_ns;
		points[nr++] = a->gaps[i].to_ns;
	}
	return nr;
}

static int merge_gaps(struct itv_accounting *sum, const struct itv_accounting *a,
		      const struct itv_accounting *b, const char *between)
{
	size_t max = 2 * (a->nr_gaps + b->nr_gaps + 2), nr, gap_a = 0, gap_b = 0;
	int64_t *points = itv_new_list(max, sizeof(*points));
	int err = 0;

	if (!points)
		return -ENOMEM;
	nr = add_points(points, add_points(points, 0, a), b);
	qsort(points, nr, sizeof(*points), compare_points);
	for (size_t i = 0; i + 1 < nr && !err; i++) {
		const char *reason = join_states(state_at(a, &gap_a, points[i]),
						 state_at(b, &gap_b, points[i]), between);

		if (reason && points[i] < points[i + 1] && points[i] >= sum->begun_ns &&
		    points[i] < sum->ended_ns)
			err = add_gap(sum, points[i], points[i + 1], reason);
	}
	free(points);
	return err;
}

static int merge_parts(struct itv_accounting *sum, const struct itv_accounting *a,
		       const struct itv_accounting *b)
{
	for (size_t i = 0; i < a->nr_parts + b->nr_parts; i++) {
		const char *part = i < a->nr_parts ? a->parts[i] : b->parts[i - a->nr_parts];

		if (op_grow(&sum->parts, sum->nr_parts))
			return -ENOMEM;
		sum->parts[i] = strdup(part);
		if (!sum->parts[i])
			return -ENOMEM;
		sum->nr_parts++;
	}
	return 0;
}

/* Copy the counters of @stats to the empty *@sum. The names differ, so no name is searched. */
static int copy_stats(struct op_session_stats *sum, const struct op_session_stats *stats)
{
	for (size_t i = 0; i < stats->nr; i++) {
		struct op_stat_value v = stats->values[i];

		v.name = strdup(v.name);
		if (!v.name || op_grow(&sum->values, sum->nr)) {
			free(v.name);
			return -ENOMEM;
		}
		sum->values[sum->nr++] = v;
	}
	sum->writer = stats->writer;
	return 0;
}

static int add_stats(struct op_session_stats *sum, const struct op_session_stats *stats)
{
	int err = 0;

	for (size_t i = 0; i < stats->nr && !err; i++) {
		const struct op_stat_value *v = &stats->values[i];

		if (op_session_stats_same(sum, v) > UINT64_MAX - v->value)
			return -EOVERFLOW;
		err = op_session_stats_add_same(sum, v, v->value);
	}
	if (stats->writer.pid)
		sum->writer = stats->writer;
	return err;
}

/* Return the text of the later one of two intervals. If the later one has no text, return the text
 * of the earlier one. @order is negative, 0 or positive if the interval of @a is earlier than,
 * simultaneous with, or later than the interval of @b. */
static const char *choose(const char *a, const char *b, int order)
{
	if (!a || !*a || !b || !*b)
		return a && *a ? a : b;
	order = order ? order : strcmp(a, b);
	return order < 0 ? b : a;
}

static int choose_copy(char **ret, const char *a, const char *b, int order)
{
	const char *text = choose(a, b, order);

	*ret = text ? strdup(text) : NULL;
	return text && !*ret ? -ENOMEM : 0;
}

static void merge_commands(struct op_session_about *sum, const struct op_session_about *first,
			   const struct op_session_about *second)
{
	char list[sizeof(second->command)], *rest = list, *next;

	snprintf(sum->command, sizeof(sum->command), "%s", first->command);
	snprintf(list, sizeof(list), "%s", second->command);
	for (; rest && *rest; rest = next) {
		next = strstr(rest, "; ");
		if (next) {
			*next = '\0';
			next += 2;
		}
		op_session_about_add_command(sum, rest);
	}
	if (__builtin_add_overflow(first->nr_commands, second->nr_commands, &sum->nr_commands))
		sum->nr_commands = UINT32_MAX;
}

static void merge_about(struct op_session_about *sum, const struct op_session_about *a,
			const struct op_session_about *b, int order)
{
	const bool b_is_first = b->begun && (!a->begun || b->begun < a->begun);
	const struct op_session_about *early = b_is_first ? b : a, *late = b_is_first ? a : b;

	sum->begun = early->begun ? early->begun : late->begun;
	sum->ended = a->ended > b->ended ? a->ended : b->ended;
	if (__builtin_add_overflow(a->sampled_ms, b->sampled_ms, &sum->sampled_ms))
		sum->sampled_ms = INT64_MAX;
	strcpy(sum->host, choose(a->host, b->host, order));
	strcpy(sum->kernel, choose(a->kernel, b->kernel, order));
	strcpy(sum->limits, choose(a->limits, b->limits, order));
	strcpy(sum->daemon, choose(a->daemon, b->daemon, order));
	strcpy(sum->reader, choose(a->reader, b->reader, order));
	strcpy(sum->packer, choose(a->packer, b->packer, order));
	if (a->begun == b->begun && strcmp(a->command, b->command) > 0)
		merge_commands(sum, b, a);
	else if (a->begun == b->begun)
		merge_commands(sum, a, b);
	else
		merge_commands(sum, early, late);
}

static void merge_times(struct itv_accounting *sum, const struct itv_accounting *a,
			const struct itv_accounting *b)
{
	if (!has_time(a) || !has_time(b)) {
		sum->begun_ns = has_time(a) ? a->begun_ns : b->begun_ns;
		sum->ended_ns = has_time(a) ? a->ended_ns : b->ended_ns;
		return;
	}
	sum->begun_ns = a->begun_ns < b->begun_ns ? a->begun_ns : b->begun_ns;
	sum->ended_ns = a->ended_ns > b->ended_ns ? a->ended_ns : b->ended_ns;
}

int itv_merge_accounting(struct itv_accounting *to, const struct itv_accounting *from,
			 const char *gap_reason)
{
	struct itv_accounting sum = { 0 };
	int order = op_compare_s64(to->ended_ns, from->ended_ns), err;

	if (!order)
		order = op_compare_s64(to->begun_ns, from->begun_ns);
	merge_times(&sum, to, from);
	merge_about(&sum.about, &to->about, &from->about, order);
	sum.precision = to->precision > from->precision ? to->precision : from->precision;
	err = merge_gaps(&sum, to, from, gap_reason);
	if (!err)
		err = merge_parts(&sum, to, from);
	if (!err)
		err = copy_stats(&sum.stats, &to->stats);
	if (!err)
		err = add_stats(&sum.stats, &from->stats);
	sum.kernel = to->kernel ? to->kernel : from->kernel;
	if (!err)
		err = choose_copy(&sum.settings, to->settings, from->settings, order);
	if (err) {
		itv_accounting_release(&sum);
		return err;
	}
	itv_sort_accounting(&sum);
	itv_accounting_release(to);
	*to = sum;
	return 0;
}
