/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp.h -- the parsed contents of a HPC_CSPROF file (doc/csprof-file.md).
 */
#ifndef PP_SOURCE_CSP_H
#define PP_SOURCE_CSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "libop/session/stats.h"
#include "pp/source/source.h"

/*
 * Sequential parser for a HPC_CSPROF file, which is read from a descriptor or is in memory.
 *
 * If a number cannot be read, the function returns 0 and sets .err: -ENODATA at the end of the
 * file, -EINVAL for an impossible value, or the errno of read(). After an error, .err does not
 * change any more.
 */

struct pp_csp_in {
	/* descriptor of the file; -1: the whole file is in memory at .bytes */
	int fd;
	const unsigned char *bytes;
	/* buffer of PP_CSP_BUFFER bytes, owned by the caller; NULL if the file is in memory */
	unsigned char *buffer;
	size_t at, have; /* .at: parse position in .bytes; .have: number of bytes in .bytes */
	uint64_t before; /* offset in the file of the first byte that .bytes contains */
	bool big_endian;
	int err;
};

#define PP_CSP_BUFFER	65536

uint64_t pp_csp_offset(const struct pp_csp_in *in);
void pp_csp_take(struct pp_csp_in *in, void *to, size_t len);
void pp_csp_skip(struct pp_csp_in *in, uint64_t len);
uint32_t pp_csp_u32(struct pp_csp_in *in);
uint64_t pp_csp_u64(struct pp_csp_in *in);
/* Read @len bytes, and set .err to -EINVAL if they are not equal to @bytes. */
void pp_csp_expect(struct pp_csp_in *in, const char *bytes, size_t len);
/* pp_csp_string(): read a string of @len bytes. pp_csp_tagged_string(): read the tag @tag, a
 * length, and a string. Return the string malloc'd and cut at its first NUL, or NULL on an
 * error. */
char *pp_csp_string(struct pp_csp_in *in, uint32_t len);
char *pp_csp_tagged_string(struct pp_csp_in *in, uint32_t tag);
uint64_t pp_csp_tagged_number(struct pp_csp_in *in, uint32_t tag);
/* Set in->err to @err, unless an earlier error is stored there. */
void pp_csp_bad(struct pp_csp_in *in, int err);

#define PP_CSP_MAX_METRICS	256
#define PP_CSP_MAX_ID		64

struct pp_csp_metric {
	char *event;
	uint64_t flags, period;
};

struct pp_csp_module {
	char *path;
	uint64_t preferred, mapped;
	uint64_t size; /* size of the module's mapping in bytes; UINT64_MAX: unknown */
	uint8_t *id;			/* build-id of the module; NULL: unknown */
	size_t id_len;
	/* index of the module's binary in the source, plus 1; 0: not added yet */
	uint32_t binary;
};

struct pp_csp_epoch {
	struct pp_csp_module *modules;
	size_t nr;
};

struct pp_csp_node {
	uint64_t ip;
	/* index of the parent node in the same tree, lower than the index of the node itself; the
	 * root is its own parent */
	uint32_t parent;
	bool has_children, interrupted, is_short;
};

struct pp_csp_tree {
	uint32_t epoch;
	/* the tree's nodes are pp_csp.nodes[first] to [first + nr - 1] */
	size_t first, nr;
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
	uint64_t *counts;		/* for each node of .nodes: one count for each metric */
	size_t nr_counts;
	struct pp_source_rate rate;
	bool from_outside;
	uint32_t process;		/* pid of the profiled process; 0: unknown */
	struct pp_source_whole of_signals, of_calls;
	/* command line, arguments separated by blanks; NULL: unknown */
	char *command;
	struct op_session_stats stats;
	/* the first error found in the file; empty if the file has no error */
	struct op_reason broken;
};

/* Parse the file up to the first error, and store this error in .broken. If no part of the file can
 * be used, return a negative errno with the cause in @error. Otherwise return 0; the caller calls
 * pp_csp_release(). */
int pp_csp_read(struct pp_csp *ret, struct pp_csp_in *in, const char *path,
		struct op_reason *error);
/* Free the contents of @csp, which may be zeroed. */
void pp_csp_release(struct pp_csp *csp);

#endif
