/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- frames of JIT code, which a process generates at run time and which has no unwind
 * tables: found from the code's instructions.
 *
 * JIT code that is called returns by a `ret`. JIT code that a function of an interpreter enters by
 * a jump uses this function's frame, and jumps back to the function. libcfi/shown.h finds the frame
 * from these instructions. x86_64 only.
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

/* The location of a frame in code made at run time. */
struct opd_perf_code_at {
	pid_t pid, tid;
	/* the pc is a return address; false: the pc is that of the innermost frame */
	bool is_return;
	uint64_t pc;
	uint64_t time; /* time of the sample, in ns */
	cfi_target_fn target;
	void *arg;
};

/* Create *@ret. The function @read, which is passed @arg, reads the memory of a process. @arg must
 * outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
/* Limit each user to a share (shares.h) of the work per second. @shares is borrowed. */
void opd_perf_code_set_shares(struct opd_perf_code *c, struct opd_shares *shares);
void opd_perf_code_destroy(struct opd_perf_code *c); /* @c may be NULL */

/*
 * Examine the code from the program counter @at->pc on until the function is left. Set *@ret to the
 * unwind rule that this code shows; the rule applies to the stack pointer at @at->pc. Return 0, or
 * an enum oprofile_uw_end if the code cannot be read now or leads to code that is not known yet.
 */
int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct cfi_shown *ret);

/*
 * Return whether the process of @at may spend the time to examine @amount words of JIT code; if so,
 * charge it. The limit per second holds for all programs together, so that stack walks spend little
 * time on JIT code.
 */
bool opd_perf_code_may_work(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			    unsigned int amount);

/*
 * Return the known frames of the mapping of JIT code that begins at @mapping in the process of @at,
 * or NULL if there is no room for them. The pointer is valid until the next call of this function.
 */
struct cfi_returned *opd_perf_code_returned(struct opd_perf_code *c,
					    const struct opd_perf_code_at *at, uint64_t mapping);

/* Return cfi_leaves_by_jump() for the function that begins at @begin. */
bool opd_perf_code_leaves_by_jump(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t begin);

/*
 * Return the target of the direct call instruction that ends at @pc. Return 0 if there is another
 * instruction or the code cannot be read now. @again: read the code again, because it may have been
 * replaced since it was read.
 */
uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again);

#endif
