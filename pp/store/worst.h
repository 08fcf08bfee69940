/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worst.h -- chooses the hosts that --worst compares, if a column for each host is impossible.
 *
 * The server finds the functions with the largest shares of the samples of any host, and for each
 * function the hosts with the largest and the smallest share. A host without samples of a function
 * has no row of it, so the server is asked which hosts have rows.
 */
#ifndef PP_STORE_WORST_H
#define PP_STORE_WORST_H

#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "pp/base/block.h"
#include "pp/session/spec.h"
#include "pp/store/decode.h"

/* maximum number of hosts that are compared in columns of their own */
#define STORE_MAX_COLUMNS	256
/* maximum number of functions that the server finds */
#define STORE_MAX_EXTREMES	200
/* The limits of a share: STORE_ERRORS standard errors, with STORE_PRIOR samples in the function and
 * as many in others, so that a host with few samples has wide limits (Agresti and Caffo). */
#define STORE_ERRORS		3
#define STORE_PRIOR		2.25

/* A function whose share of the samples of an event differs between hosts. */
struct store_extreme {
	const char *event, *function;
	uint32_t nr_hosts;		/* number of hosts with samples of the function */
	/* hosts with the largest and the smallest share, and limits of these shares */
	const char *high, *low;
	double above, below;
};

/* The number of samples of an event on a host. */
struct store_total {
	const char *event, *host;
	double samples;
};

struct store_worst {
	struct store_total *totals;	/* the total with the most samples first */
	size_t nr_totals, nr_hosts;
	struct store_extreme *extremes;
	size_t nr_extremes;
	/* functions of which some hosts have no samples */
	struct pp_values functions;
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Read the answers to store_query_totals() and to store_query_extremes(). *@w is zeroed before the
 * first. Return 0, -ENOMEM, or -EPROTO with a message. */
int store_worst_read_totals(struct store_worst *w, struct store_rows *rows,
			    struct op_reason *error);
int store_worst_read_extremes(struct store_worst *w, struct store_rows *rows,
			      struct op_reason *error);
/* Read the answer to store_query_holders(): a host that has samples of the event, but does not have
 * samples of a function, may have the smallest share. Return as above. */
int store_worst_read_holders(struct store_worst *w, struct store_rows *rows,
			     struct op_reason *error);
/* Sort the extremes by their differences, and add the names of the hosts of the first @nr ones to
 * @ret, at most STORE_MAX_COLUMNS. Return 0 or -ENOMEM. */
int store_worst_choose(struct pp_values *ret, struct store_worst *w, size_t nr);
void store_worst_release(struct store_worst *w);

#endif
