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

int store_worst_read_hosts(struct store_worst *w, struct store_rows *rows, struct op_reason *error)
{
	int err = 0;

	while (!err && store_next_row(rows)) {
		struct store_host host = { .name = text(w, rows) };

		host.samples = store_double(rows);
		rows->is_bad |= !(host.samples >= 0) || !isfinite(host.samples) ||
				w->nr_hosts >= STORE_MAX_HOSTS;
		err = host.name ? op_grow(&w->hosts, w->nr_hosts) : -ENOMEM;
		if (!err && !rows->is_bad)
			w->hosts[w->nr_hosts++] = host;
	}
	return check(rows, err, error);
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
		if (e.nr_hosts < w->nr_hosts)
			err = pp_values_add(&w->functions, e.function, strlen(e.function));
	}
	return check(rows, err, error);
}

/* A host, found by the address of its name. */
struct place {
	uintptr_t name;
	size_t number;	/* in w->hosts */
};

static int compare_places(const void *a, const void *b)
{
	return op_compare_u64(((const struct place *)a)->name, ((const struct place *)b)->name);
}

/* Return the hosts, sorted by the addresses of their names, or NULL. A search by the order in
 * w->hosts would take minutes for thousands of hosts. */
static struct place *sort_hosts(const struct store_worst *w)
{
	struct place *places = calloc(w->nr_hosts + 1, sizeof(*places));

	for (size_t i = 0; places && i < w->nr_hosts; i++)
		places[i] = (struct place){ (uintptr_t)w->hosts[i].name, i };
	if (places && w->nr_hosts)
		qsort(places, w->nr_hosts, sizeof(*places), compare_places);
	return places;
}

/* Return the number of the host in w->hosts, or w->nr_hosts. */
static size_t find_host(const struct store_worst *w, const struct place *places, const char *host)
{
	const size_t at = op_partition_point(i, w->nr_hosts, places[i].name < (uintptr_t)host);

	return at < w->nr_hosts && places[at].name == (uintptr_t)host ? places[at].number :
									w->nr_hosts;
}

/* Return the upper limit of the share of a function without samples on a host with @samples
 * samples. */
static double limit_of_missing(double samples)
{
	const double n = samples + 2 * STORE_PRIOR, p = STORE_PRIOR / n;

	return p + STORE_ERRORS * sqrt(p * (1 - p) / n);
}

/* Take the host with the most samples among those without samples of the function, if its share is
 * the smallest. @holds: for each host, whether it has samples of the function. */
static void take_missing(const struct store_worst *w, struct store_extreme *e, const bool *holds)
{
	size_t at = 0;
	double limit;

	while (at < w->nr_hosts && holds[at])
		at++;
	if (at == w->nr_hosts || e->nr_hosts >= w->nr_hosts)
		return;
	limit = limit_of_missing(w->hosts[at].samples);
	if (limit >= e->below)
		return;
	e->low = w->hosts[at].name;
	e->below = limit;
}

int store_worst_read_holders(struct store_worst *w, struct store_rows *rows,
			     struct op_reason *error)
{
	/* for each extreme and host: the host has samples of the function */
	bool *holds = calloc(w->nr_extremes * w->nr_hosts + 1, sizeof(*holds));
	struct place *places = sort_hosts(w);
	int err = holds && places ? 0 : -ENOMEM;

	while (!err && store_next_row(rows)) {
		const char *event = text(w, rows), *function = text(w, rows), *host = text(w, rows);
		const size_t at = find_host(w, places, host);

		if (!event || !function || !host)
			err = -ENOMEM;
		for (size_t i = 0; i < w->nr_extremes && at < w->nr_hosts; i++)
			if (w->extremes[i].event == event && w->extremes[i].function == function)
				holds[i * w->nr_hosts + at] = true;
	}
	err = check(rows, err, error);
	for (size_t i = 0; i < w->nr_extremes && !err; i++)
		take_missing(w, &w->extremes[i], holds + i * w->nr_hosts);
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
	free(w->hosts);
	free(w->extremes);
	pp_values_release(&w->functions);
	pp_intern_release(&w->intern);
	pp_block_free(w->strings);
	*w = (struct store_worst){ .hosts = NULL };
}
