/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_code.h -- finds frames of code made at run time that has no unwind tables, from its
 * instructions.
 *
 * Made code that is called returns by a `ret`. Made code that an interpreter's function enters by a
 * jump runs on that function's frame, and jumps back to it. libcfi/exits.h finds these exits.
 * x86_64 only.
 *
 * The code is read from the process some time after the sample, and kept for a while. Not
 * thread-safe.
 */
#ifndef OPD_PERF_CODE_H
#define OPD_PERF_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/source/perf_stacks.h"
#include "module/uapi/unwind.h"

struct opd_perf_code;

/* The code at an address. */
struct opd_perf_target {
	bool is_made;  /* made at run time */
	bool is_exact; /* the unwind table has rows for the function's first instructions */
	bool has_rule;
	struct oprofile_uw_rule rule; /* the unwind rule at the address */
	uint64_t begin; /* start of its function, or of the mapping of made code; 0: unknown */
	uint64_t end;	/* end of the mapping of made code */
};

/* Look up the code at @address. Return 0, or enum oprofile_uw_end if that is not possible yet. */
typedef int (*opd_perf_target_fn)(void *arg, uint64_t address, struct opd_perf_target *ret);

/* The place of a frame. */
struct opd_perf_code_at {
	pid_t pid, tid;
	bool is_return; /* the pc is a return address; false: the innermost frame's pc */
	uint64_t pc;
	uint64_t time; /* time of the sample, in ns */
	opd_perf_target_fn target;
	void *arg;
};

enum opd_perf_shows {
	OPD_PERF_SHOWS_NOTHING,
	OPD_PERF_SHOWS_RULE, /* the frame has the rule .rule */
	/* The code runs on the frame of function .entered, whose size is unknown: at most .most
	 * bytes. */
	OPD_PERF_SHOWS_FUNCTION,
};

/* The frame that the code at a place shows. */
struct opd_perf_shown {
	uint8_t shows;	/* enum opd_perf_shows */
	bool is_sure;	/* up to a `ret`, the instructions only remove values from the stack */
	bool is_strict; /* valid only if a direct call of .entered precedes the return address */
	/* The exits jump to addresses in registers or in memory, and other code of the mapping
	 * leaves for .entered. The frame of that function begins .body bytes from the stack
	 * pointer. */
	bool is_guess;
	int32_t body;
	int32_t most; /* in bytes */
	struct oprofile_uw_rule rule;
	uint64_t entered; /* opd_perf_target.begin of the function that was called */
};

/* @arg is passed to @read and must outlive *@ret. Return 0 or -ENOMEM. */
int opd_perf_code_create(struct opd_perf_code **ret, opd_perf_stacks_read_fn read, void *arg);
void opd_perf_code_destroy(struct opd_perf_code *c); /* takes NULL */

/* Find the frame that the code at @at shows. The rule is for the stack pointer at its pc. Return 0,
 * or enum oprofile_uw_end if the code cannot be read now or leads to code that is not known yet. */
int opd_perf_code_find(struct opd_perf_code *c, const struct opd_perf_code_at *at,
		       struct opd_perf_shown *ret);

/* Return whether there is time at @time, that of a sample, to look at @amount words. Whatever
 * programs run, walks spend little time on made code in a second. */
bool opd_perf_code_may_work(struct opd_perf_code *c, uint64_t time, unsigned int amount);

/* Return the target of the direct call that ends at @pc; 0: it is another instruction, or cannot be
 * read now. @again: the code may have been replaced since it was read. */
uint64_t opd_perf_code_called(struct opd_perf_code *c, const struct opd_perf_code_at *at,
			      uint64_t pc, bool again);

#endif
