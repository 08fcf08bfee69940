/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- finds frames of code made at run time that has no unwind tables, from its
 * instructions.
 *
 * Made code that is called returns by a `ret`. Made code that an interpreter's function enters by a
 * jump runs on that function's frame, and jumps back to it. libcfi/shown.h finds the frame
 * from these exits. x86_64 only.
 *
 * The code is read from the process some time after the sample, and kept for a while. Not
 * thread-safe.
 */
#ifndef OPD_PERF_CODE_H
#define OPD_PERF_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/source/perf_stacks.h"
#include "libcfi/shown.h"

struct opd_perf_code;
struct opd_shares;

/* The place of a frame. */
struct opd_perf_code_at {
	pid_t pid, tid;
	bool is_return; /* the pc is a return address; false: the innermost frame's pc */
	uint64_t pc;
	uint64_t time; /* time of the sample, in ns */
	cfi_target_fn target;
	void *arg;
};

/* @arg is passed to @read and must outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
/* Let users have shares in the work of a second; @shares is borrowed. */
void opd_perf_code_set_shares(struct opd_perf_code *c, struct opd_shares *shares);
void opd_perf_code_destroy(struct opd_perf_code *c); /* takes NULL */

/* Find the frame that the code at @at shows. The rule is for the stack pointer at its pc. Return 0,
 * or enum oprofile_uw_end if the code cannot be read now or leads to code that is not known yet. */
int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct cfi_shown *ret);

/* Return whether there is time to look at @amount words for the frame at @at. Whatever programs
 * run, walks spend little time on made code in a second. */
bool opd_perf_code_may_work(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			    unsigned int amount);

/* Return the frames of the mapping of made code that begins at @mapping in the process of @at, or
 * NULL if there is no room for them. They are valid up to the next call. */
struct cfi_returned *opd_perf_code_returned(struct opd_perf_code *c,
					    const struct opd_perf_code_at *at, uint64_t mapping);

/* Return cfi_leaves_by_jump() of the function that begins at @begin. */
bool opd_perf_code_leaves_by_jump(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t begin);

/* Return the target of the direct call that ends at @pc; 0: it is another instruction, or cannot be
 * read now. @again: the code may have been replaced since it was read. */
uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again);

#endif
