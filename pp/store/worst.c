// SPDX-License-Identifier: GPL-2.0-or-later
/* worst.c -- chooses the hosts that --worst compares. */
#include "config.h"
#include "pp/store/worst.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/store/query.h"

/* Return a copy of the next string, which @w owns; equal texts have equal addresses. Return NULL if
 * memory is short. */
static const char *text(struct store_worst *w, struct store_rows *rows)
{
	char buf[STORE_MAX_NAME + 1];

	store_string(rows, buf, sizeof(buf));
	return pp_intern(&w->intern, &w->strings, buf);
}

/* Return @err, or an error if the answer is damaged. */
static int check(const struct store_rows *rows, int err, struct op_reason *error)
{
	if (!err && rows->is_bad)
		err = op_fail(error, -EPROTO, "the answer of the server is damaged, or not from tables "
			      "of opexport");
	return err;
}

/* The place of a total in w->totals. */
struct place {
	uintptr_t host, event;	/* addresses of the names */
	size_t number;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int d = op_compare_u64(x->host, y->host);

	return d ? d : op_compare_u64(x->event, y->event);
}

/* Return the places of all totals, sorted by host and event, or NULL. A search in the order of
 * w->totals would take minutes for thousands of hosts. */
static struct place *sort_places(const struct store_worst *w)
{
	struct place *places = calloc(w->nr_totals + 1, sizeof(*places));

	for (size_t i = 0; places && i < w->nr_totals; i++)
		places[i] = (struct place){ (uintptr_t)w->totals[i].host,
					    (uintptr_t)w->totals[i].event, i };
	if (places && w->nr_totals)
		qsort(places, w->nr_totals, sizeof(*places), compare_places);
	return places;
}

/* Return the number of a total in w->totals, or w->nr_totals. */
static size_t find_total(const struct store_worst *w, const struct place *places, const char *event,
			 const char *host)
{
	const struct place key = { (uintptr_t)host, (uintptr_t)event, 0 };
	const size_t at = op_partition_point(i, w->nr_totals, compare_places(&places[i], &key) < 0);

	return at < w->nr_totals && !compare_places(&places[at], &key) ? places[at].number :
									 w->nr_totals;
}

static int count_hosts(struct store_worst *w)
{
	struct place *places = sort_places(w);

	if (!places)
		return -ENOMEM;
	w->nr_hosts = 0;
	for (size_t i = 0; i < w->nr_totals; i++)
		w->nr_hosts += !i || places[i].host != places[i - 1].host;
	free(places);
	return 0;
}

int store_worst_read_totals(struct store_worst *w, struct store_rows *rows,
			    struct op_reason *error)
{
	int err = 0;

	while (!err && store_next_row(rows)) {
		struct store_total total = { .event = text(w, rows) };

		total.host = text(w, rows);
		total.samples = store_double(rows);
		rows->is_bad |= !(total.samples >= 0) || !isfinite(total.samples) ||
				w->nr_totals >= STORE_MAX_TOTALS;
		err = total.event && total.host ? op_grow(&w->totals, w->nr_totals) : -ENOMEM;
		if (!err && !rows->is_bad)
			w->totals[w->nr_totals++] = total;
	}
	err = check(rows, err, error);
	return err ? err : count_hosts(w);
}

/* Return whether some hosts with samples of the event have no samples of the function. */
static bool is_missing(const struct store_worst *w, const struct store_extreme *e)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->nr_totals; i++)
		nr += w->totals[i].event == e->event;
	return e->nr_hosts < nr;
}

int store_worst_read_extremes(struct store_worst *w, struct store_rows *rows,
			      struct op_reason *error)
{
	int err = 0;

	while (!err && store_next_row(rows)) {
		struct store_extreme e = { .event = text(w, rows) };

		e.function = text(w, rows);
		e.nr_hosts = store_u32(rows);
		e.high = text(w, rows);
		e.above = store_double(rows);
		e.low = text(w, rows);
		e.below = store_double(rows);
		/* other limits have no order */
		rows->is_bad |= !isfinite(e.above) || !isfinite(e.below) ||
				w->nr_extremes >= STORE_MAX_EXTREMES;
		err = e.event && e.function && e.high && e.low ?
			      op_grow(&w->extremes, w->nr_extremes) : -ENOMEM;
		if (err || rows->is_bad)
			break;
		w->extremes[w->nr_extremes++] = e;
		if (is_missing(w, &e))
			err = pp_values_add(&w->functions, e.function, strlen(e.function));
	}
	return check(rows, err, error);
}

/* Return the upper limit of the share of a function without samples on a host with @samples
 * samples. */
static double limit_of_missing(double samples)
{
	const double n = samples + 2 * STORE_PRIOR, p = STORE_PRIOR / n;

	return p + STORE_ERRORS * sqrt(p * (1 - p) / n);
}

/* Among the hosts with samples of the event and without samples of the function, take the one with
 * the most samples, if its share is the smallest. @holds: for each total, whether its host has
 * samples of the function. */
static void take_missing(const struct store_worst *w, struct store_extreme *e, const bool *holds)
{
	size_t at = 0;
	double limit;

	while (at < w->nr_totals && (holds[at] || w->totals[at].event != e->event))
		at++;
	if (at == w->nr_totals)
		return;
	limit = limit_of_missing(w->totals[at].samples);
	if (limit >= e->below)
		return;
	e->low = w->totals[at].host;
	e->below = limit;
}

int store_worst_read_holders(struct store_worst *w, struct store_rows *rows,
			     struct op_reason *error)
{
	/* for each extreme and total: the host has samples of the function */
	bool *holds = calloc(w->nr_extremes * w->nr_totals + 1, sizeof(*holds));
	struct place *places = sort_places(w);
	int err = holds && places ? 0 : -ENOMEM;

	while (!err && store_next_row(rows)) {
		const char *event = text(w, rows), *function = text(w, rows), *host = text(w, rows);
		const size_t at = find_total(w, places, event, host);

		if (!event || !function || !host)
			err = -ENOMEM;
		for (size_t i = 0; i < w->nr_extremes && at < w->nr_totals; i++)
			if (w->extremes[i].event == event && w->extremes[i].function == function)
				holds[i * w->nr_totals + at] = true;
	}
	err = check(rows, err, error);
	/* The server was not asked for the hosts of other functions. */
	for (size_t i = 0; i < w->nr_extremes && !err; i++)
		if (is_missing(w, &w->extremes[i]))
			take_missing(w, &w->extremes[i], holds + i * w->nr_totals);
	free(holds);
	free(places);
	return err;
}

static int add_host(struct pp_values *ret, const char *host)
{
	for (size_t i = 0; i < ret->nr; i++)
		if (!strcmp(ret->items[i], host))
			return 0;
	return pp_values_add(ret, host, strlen(host));
}

static int compare(const void *a, const void *b)
{
	const struct store_extreme *x = a, *y = b;
	const double first = x->above - x->below, second = y->above - y->below;

	return first > second ? -1 : first < second ? 1 : strcmp(x->function, y->function);
}

int store_worst_choose(struct pp_values *ret, struct store_worst *w, size_t nr)
{
	int err = 0;

	if (w->nr_extremes)
		qsort(w->extremes, w->nr_extremes, sizeof(*w->extremes), compare);
	nr = nr < w->nr_extremes ? nr : w->nr_extremes;
	for (size_t i = 0; i < nr && ret->nr + 2 <= STORE_MAX_COLUMNS && !err; i++) {
		err = add_host(ret, w->extremes[i].high);
		if (!err)
			err = add_host(ret, w->extremes[i].low);
	}
	return err;
}

void store_worst_release(struct store_worst *w)
{
	free(w->totals);
	free(w->extremes);
	pp_values_release(&w->functions);
	pp_intern_release(&w->intern);
	pp_block_free(w->strings);
	*w = (struct store_worst){ .totals = NULL };
}
