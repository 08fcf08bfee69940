/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- frames of JIT code without unwind tables, found by analysis of the code's
 * instructions.
 *
 * JIT code that was called returns by a `ret` instruction. If an interpreter function has jumped
 * into JIT code, the JIT code uses the stack frame of this function, and jumps back to the
 * function. libcfi/shown.h finds the frame from these instructions. Only for x86_64.
 *
 * The code is read from the process some time after the sample was taken, and cached for a while.
 * Not thread-safe.
 */
#ifndef OPD_PERF_CODE_H
#define OPD_PERF_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/source/perf_stacks.h"
#include "libcfi/shown.h"

struct opd_perf_code;
struct opd_shares;

/* A program counter in JIT code, whose stack frame the caller wants to know. */
struct opd_perf_code_at {
	pid_t pid, tid;
	/* .pc is a return address; false: .pc is the sampled address */
	bool is_return;
	uint64_t pc;
	uint64_t time; /* time of the sample, in ns */
	cfi_target_fn target;
	void *arg;
};

/* Create *@ret. @read(@arg, ...) reads the memory of a process. @arg must outlive *@ret. Return 0
 * or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
/* Limit the work per second for each user's processes to a share (shares.h). @shares is
 * borrowed. */
void opd_perf_code_set_shares(struct opd_perf_code *c, struct opd_shares *shares);
void opd_perf_code_destroy(struct opd_perf_code *c); /* @c may be NULL. */

/*
 * Analyse the code from @at->pc to the end of its function. Set *@ret to the unwind rule at
 * @at->pc, relative to the stack pointer, that follows from the code. Return 0, or an enum
 * oprofile_uw_end if the code cannot be read now or leads to code that is not loaded yet.
 */
int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct cfi_shown *ret);

/*
 * Return true, and charge the budget, if the analysis of @amount more words of JIT code is allowed
 * for the process of @at. The budget per second is for all processes together, so that JIT code
 * uses only a small part of the time for stack walks.
 */
bool opd_perf_code_may_work(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			    unsigned int amount);

/* Return the stack frames that are known for the mapping of JIT code that begins at @mapping in the
 * process of @at, or NULL if the cache has no free entry. The pointer is valid until the next
 * call. */
struct cfi_returned *opd_perf_code_returned(struct opd_perf_code *c,
					    const struct opd_perf_code_at *at, uint64_t mapping);

/* Return the result of cfi_leaves_by_jump() for the function at @begin, from a cache if
 * possible. */
bool opd_perf_code_leaves_by_jump(struct opd_perf_code *c, const struct opd_perf_code_at *at,
				  uint64_t begin);

/*
 * Return the target of the direct call instruction that ends at @pc. Return 0 if the instruction
 * before @pc is not a direct call, or if the code cannot be read now. @again: do not use an older
 * copy of the code, which the process may have replaced since.
 */
uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again);

#endif
