/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- frames of made code, which is code that a process generates at run time and that
 * has no unwind tables: found from its instructions.
 *
 * Made code that is called returns by a `ret`. Made code that a function of an interpreter enters
 * by a jump runs on this function's frame, and jumps back to the function. libcfi/shown.h finds the
 * frame from these exits. x86_64 only.
 *
 * The code is read from the process some time after the sample was taken, and kept for a while. Not
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

/* The location of a frame in made code. */
struct opd_perf_code_at {
	pid_t pid, tid;
	bool is_return; /* the pc is a return address; false: the innermost frame's pc */
	uint64_t pc;
	uint64_t time; /* time of the sample, in ns */
	cfi_target_fn target;
	void *arg;
};

/* Create *@ret. @read reads memory of a process; @arg is passed to it and must outlive *@ret.
 * Return 0 or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
/* Limit each user to a share (shares.h) of the work per second. @shares is borrowed. */
void opd_perf_code_set_shares(struct opd_perf_code *c, struct opd_shares *shares);
void opd_perf_code_destroy(struct opd_perf_code *c); /* @c may be NULL */

/*
 * Find the frame that the instructions at @at lead to. The rule in @ret is for the stack pointer at
 * @at->pc. Return 0, or an enum oprofile_uw_end if the code cannot be read now or leads to code
 * that is not known yet.
 */
int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct cfi_shown *ret);

/*
 * Return whether the process of @at may spend the work of looking at @amount words of made code,
 * and charge the work. The limit per second holds for all programs together, so walks spend little
 * time on made code.
 */
bool opd_perf_code_may_work(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			    unsigned int amount);

/*
 * Return the known frames of the mapping of made code that begins at @mapping in the process of
 * @at, or NULL if there is no room for them. The pointer is valid until the next call of this
 * function.
 */
struct cfi_returned *opd_perf_code_returned(struct opd_perf_code *c,
					    const struct opd_perf_code_at *at, uint64_t mapping);

/* Return cfi_leaves_by_jump() for the function that begins at @begin. */
bool opd_perf_code_leaves_by_jump(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t begin);

/*
 * Return the target of the direct call instruction that ends at @pc; 0: another instruction is
 * there, or the code cannot be read now. @again: the code may have been replaced since it was read,
 * so read it again.
 */
uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again);

#endif
