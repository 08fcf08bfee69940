/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_infer.h -- inference of unwind rules from instructions, for code without an entry in its
 * file's unwind table.
 *
 * The unwind tables of small files already contain inferred entries. For larger files, a stack
 * walk infers the rule at a pc from the instructions around it. They are read from the page cache
 * only, so a read never blocks, whatever the file system does. Code that runs is nearly always in
 * the page cache. Only for x86.
 *
 * Not thread-safe.
 */
#ifndef OPD_PERF_INFER_H
#define OPD_PERF_INFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/uapi/unwind.h"

struct opd_image;
struct opd_perf_infer;
struct opd_shares;

/*
 * Callback that opens the file of @image, which process @tgid has mapped, as
 * opd_finder_open_in_memory() does. It returns a descriptor, which the caller closes, or a
 * negative errno.
 */
typedef int (*opd_perf_infer_open_fn)(void *arg, const struct opd_image *image, pid_t tgid);

/* A program counter in a mapped file, whose unwind rule the caller wants to know. */
struct opd_perf_infer_at {
	const struct opd_image *image;
	pid_t tgid;
	uint8_t machine;     /* type of the CPU, an enum oprofile_uw_machine */
	/* the program counter as a file offset; for a caller, an address in the call instruction */
	uint64_t pc;
	uint64_t start, end; /* range of the mapping, as file offsets */
	uint64_t time;	     /* time of the sample, in ns */
};

/* Create *@ret. @open(@arg, ...) opens files. @arg must outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_infer_create(struct opd_perf_infer **ret, opd_perf_infer_open_fn open, void *arg);
/* Limit the work per second for each user's processes to a share (shares.h). @shares is
 * borrowed. */
void opd_perf_infer_set_shares(struct opd_perf_infer *i, struct opd_shares *shares);
/* Close the files that no sample has needed in the second before @time. Call this function about
 * once a second. */
void opd_perf_infer_turn(struct opd_perf_infer *i, uint64_t time);
void opd_perf_infer_destroy(struct opd_perf_infer *i); /* @i may be NULL. */

/* Infer the unwind rule at @at and store it in *@ret. Return false if the code cannot be read, or
 * if the limit of opened files or decoded instructions per second is reached. */
bool opd_perf_infer_find(struct opd_perf_infer *i, const struct opd_perf_infer_at *at,
			 struct oprofile_uw_rule *ret);

#endif
