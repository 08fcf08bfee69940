/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * csp.h -- writer of files of the format HPC_CSPROF: call paths of one program. doc/csprof-file.md
 * describes the format.
 *
 * Call the functions in the order of their declarations. Each number of items that a caller passes
 * must equal the number of items that it writes afterwards. The first error is stored, and
 * raw_csp_finish() returns it.
 */
#ifndef LIBOP_RAW_CSP_H
#define LIBOP_RAW_CSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAW_CSP_MAGIC		"HPC_CSPROF"
#define RAW_CSP_TREE_MAGIC	"HPC_CSTREE"
#define RAW_CSP_VERSION_LEN	5
#define RAW_CSP_NUM_CHUNKS	3

/* Tags of the strings and numbers that describe a metric: tag = meaning << 4 | encoding. */
#define RAW_CSP_TARGET		0x00
#define RAW_CSP_EVENT		0x30
#define RAW_CSP_FLAGS		0x51
#define RAW_CSP_PERIOD		0x41

#define RAW_CSP_ASYNC		2	/* flag of a metric: opprobe_sample() counts this metric */

#define RAW_CSP_RETURNS	"# returns"	/* name of the metric that counts returns of frames */
#define RAW_CSP_CRASHES	"# SIGSEGVs"	/* name of the metric that counts crashes by SIGSEGV */

/* Magic number of the trailer, which contains data that are not part of the format HPC_CSPROF.
 * The trailer comes after the trees, where other readers stop. */
#define RAW_CSP_TRAILER_MAGIC	"OPROBE\0\1"
#define RAW_CSP_TRAILER_MAGIC_LEN	8
enum raw_csp_item {
	RAW_CSP_END,
	RAW_CSP_COMMAND,	/* item: the command's arguments, each followed by a NUL */
	/* item: u32 epoch, u32 module, then the module's build-id */
	RAW_CSP_BUILD_ID,
	/* item: a number as u64, then the name of the number: "samples taken", and so on */
	RAW_CSP_COUNT,
	/* item: u32 tree, u32 0, then the u64 ids of the tree's nodes in which a signal has
	 * interrupted the program */
	RAW_CSP_INTERRUPTED,
	/* item: u32 tree, u32 0, and the u64 ids of the tree's nodes whose callers are unknown */
	RAW_CSP_SHORT,
	/* item: u32 epoch, u32 0, then a u64 bit mask of the metrics for which trees of this epoch
	 * have counts */
	RAW_CSP_COLUMNS,
	/* item: u32 driver, u32 errno, u64 number of signals, u64 period, u64 CPU time */
	RAW_CSP_RATE,
	RAW_CSP_OUTSIDE,	/* item without data: another process has sampled the program */
	/* item: u32 epoch, u32 0, then the size of each module of the epoch as u64: addresses
	 * beyond the size do not belong to the module */
	RAW_CSP_SIZES,
	RAW_CSP_PROCESS,	/* item: u32 process id, u32 0 */
	/* item: for each metric, the sum of its counts in all trees, as u64 */
	RAW_CSP_SUMS,
	RAW_CSP_NR_ITEMS
};

/* A function that writes all @len bytes of @buf. Return 0 or a negative errno. */
typedef int (*raw_csp_write_fn)(void *arg, const void *buf, size_t len);

struct raw_csp_out {
	raw_csp_write_fn write;
	void *arg;
	int err;
	size_t used;
	unsigned char buf[4096];
};

void raw_csp_begin(struct raw_csp_out *out, raw_csp_write_fn write, void *arg);

/* Write the bytes that are still in the buffer. Return 0 or the first error of all calls. */
int raw_csp_finish(struct raw_csp_out *out);

/* Write the header of the file. @version: five characters, "01.00" or "01.01". */
void raw_csp_header(struct raw_csp_out *out, const char *version);
void raw_csp_data(struct raw_csp_out *out, const char *target, uint32_t nr_metrics);
void raw_csp_metric(struct raw_csp_out *out, const char *event, uint64_t flags, uint64_t period);
void raw_csp_epochs(struct raw_csp_out *out, uint32_t nr_epochs);
void raw_csp_epoch(struct raw_csp_out *out, uint32_t nr_modules);
void raw_csp_module(struct raw_csp_out *out, const char *path, uint32_t len, uint64_t preferred,
		    uint64_t mapped);
void raw_csp_trees(struct raw_csp_out *out, uint32_t nr_trees, uint64_t trampoline_samples);
/* Begin a tree. @has_trampoline: a trampoline counts the returns from functions. */
void raw_csp_tree(struct raw_csp_out *out, uint64_t nr_nodes, uint32_t epoch, bool has_trampoline);
void raw_csp_node(struct raw_csp_out *out, uint64_t id, uint64_t parent, uint64_t ip, uint64_t sp,
		  const uint64_t *metrics, uint32_t nr_metrics);

void raw_csp_trailer(struct raw_csp_out *out);
/* Begin an item of the trailer with @len bytes. The caller writes the bytes with
 * raw_csp_bytes(), raw_csp_u32() and raw_csp_u64(). */
void raw_csp_item(struct raw_csp_out *out, enum raw_csp_item kind, uint64_t len);
void raw_csp_sums(struct raw_csp_out *out, const uint64_t *sums, uint32_t nr_metrics);
void raw_csp_bytes(struct raw_csp_out *out, const void *bytes, size_t len);
void raw_csp_u32(struct raw_csp_out *out, uint32_t value);
void raw_csp_u64(struct raw_csp_out *out, uint64_t value);

#endif
