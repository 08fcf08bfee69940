/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp.h -- the parsed contents of a HPC_CSPROF file (doc/csprof-file.md).
 */
#ifndef PP_SOURCE_CSP_H
#define PP_SOURCE_CSP_H

#include "libop/base/reason.h"
#include "libop/session/stats.h"
#include "pp/source/csp_in.h"
#include "pp/source/source.h"

#define PP_CSP_MAX_METRICS	256
#define PP_CSP_MAX_ID		64

struct pp_csp_metric {
	char *event;
	uint64_t flags, period;
};

struct pp_csp_module {
	char *path;
	uint64_t preferred, mapped;
	uint64_t size;			/* UINT64_MAX: unknown */
	uint8_t *id;			/* its build-id; NULL: unknown */
	size_t id_len;
	uint32_t binary;		/* its number in the source + 1; 0: not added yet */
};

struct pp_csp_epoch {
	struct pp_csp_module *modules;
	size_t nr;
};

struct pp_csp_node {
	uint64_t ip;
	/* index in the same tree: lower than the node's, but the root's is its own */
	uint32_t parent;
	bool has_children, interrupted, is_short;
};

struct pp_csp_tree {
	uint32_t epoch;
	size_t first, nr;		/* nodes */
};

struct pp_csp {
	char *target;
	struct pp_csp_metric *metrics;
	size_t nr_metrics;
	struct pp_csp_epoch *epochs;
	size_t nr_epochs;
	struct pp_csp_tree *trees;
	size_t nr_trees;
	struct pp_csp_node *nodes;
	size_t nr_nodes;
	uint64_t *counts;		/* for each node, one count for each metric */
	size_t nr_counts;
	struct pp_source_rate rate;
	bool from_outside;
	uint32_t process;		/* 0: unknown */
	struct pp_source_whole of_signals, of_calls;
	char *command;			/* arguments separated by spaces; NULL: unknown */
	struct op_session_stats stats;
	struct op_reason broken;	/* the first error; empty: the file is complete */
};

/* Read the file up to the first error, and set .broken. Return 0, or a negative errno with the
 * cause in @error if no part of the file can be used. */
int pp_csp_read(struct pp_csp *ret, struct pp_csp_in *in, const char *path, struct op_reason *error);
/* Takes a zeroed struct. */
void pp_csp_release(struct pp_csp *csp);

#endif
