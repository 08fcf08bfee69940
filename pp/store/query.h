/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.h -- the queries of a report: which sessions, samples and stacks it needs. The queries read
 * the three tables only, so the role of readers is sufficient.
 */
#ifndef PP_STORE_QUERY_H
#define PP_STORE_QUERY_H

#include <stdint.h>
#include <stdio.h>

#include "pp/base/log.h"
#include "pp/session/range.h"
#include "pp/session/spec.h"
#include "pp/store/store.h"

/* The time of a report, and its division into slices. */
struct store_times {
	struct op_period *asked;	/* requested periods, sorted by begin; malloc'd */
	size_t nr_asked;
	/* Samples of intervals that begin in the same @step seconds from @begin on are added up by
	 * the server; 0: each begin is a slice of its own. */
	uint32_t begin, step;
};

struct store_query {
	const char *database;
	const struct pp_spec *spec;
	const struct store_times *times;
	enum pp_store_by by;
	/* the hosts that --worst compares, in place of those of .spec; NULL: not chosen */
	const struct pp_values *hosts;
	/* the functions of store_query_holders() */
	const struct pp_values *functions;
};

/* Maximum numbers of rows of the answers. A query asks for one more, so that a longer answer is
 * noticed. */
#define STORE_MAX_SESSIONS	200000u
#define STORE_MAX_ROWS		2000000u
#define STORE_MAX_STACKS	500000u
#define STORE_MAX_TOTALS	20000u

/* Check that the values of tags can be a part of a query. Return 0 or -EINVAL with a message. */
int store_query_check(const struct pp_spec *spec, struct pp_log *log);
/* Write a query in the order of the columns in the function's comment in query.c. */
void store_query_first(FILE *out, const struct store_query *query);
void store_query_sessions(FILE *out, const struct store_query *query);
void store_query_samples(FILE *out, const struct store_query *query);
void store_query_stacks(FILE *out, const struct store_query *query);
/* The number of samples of each event and host. */
void store_query_totals(FILE *out, const struct store_query *query);
/* The functions with a large share of the samples of any host, and their extremes (worst.h). */
void store_query_extremes(FILE *out, const struct store_query *query);
/* The hosts that have samples of query->functions. */
void store_query_holders(FILE *out, const struct store_query *query);

#endif
