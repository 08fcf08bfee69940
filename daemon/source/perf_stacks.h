/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stacks.h -- the outer parts of threads' stacks, which the copy that comes with a sample does not reach.
 *
 * perf_events copies the innermost bytes of a stack. Programs with large frames have more on it than that. The part beyond
 * rarely changes: so it is read from the thread once, and kept. A walk that comes to the end of its copy goes on in the kept
 * part if it stands at a frame that a former walk of the thread passed with the same pc, sp and frame pointer; otherwise the
 * part is read anew, and counts only if the word that led to the frame still is in its place.
 *
 * One thread.
 */
#ifndef OPD_PERF_STACKS_H
#define OPD_PERF_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include <sys/types.h>

struct opd_perf_stack;
struct opd_perf_stacks;
struct opd_perf_outer;

/* Reads up to @size bytes of thread @tid's memory from @address on to @to: so many bytes, or a negative errno. */
typedef ssize_t (*opd_perf_stacks_read_fn)(void *arg, pid_t tid, uint64_t address, void *to, size_t size);

/* A frame of a walk, whose caller is still to be found. */
struct opd_perf_frame_state {
	uint64_t pc, sp, fp;
};

/* How often a walk went on beyond its copy: in the kept part, and in one that was read for it. */
struct opd_perf_stacks_counters {
	uint64_t kept, read;
};

/* @arg of @read is borrowed. 0 or -ENOMEM. */
int opd_perf_stacks_create(struct opd_perf_stacks **ret, opd_perf_stacks_read_fn read, void *arg);
void opd_perf_stacks_destroy(struct opd_perf_stacks *s);	/* takes NULL */
const struct opd_perf_stacks_counters *opd_perf_stacks_counters(const struct opd_perf_stacks *s);

/*
 * Returns the stack of thread @tid of process @pid beyond the copy @copy, which begins at @sp, for a walk that stands at @at,
 * or NULL: it cannot be had. @slot: address of the word that led to that frame; 0: the frame is the innermost. @time: of the
 * sample, in ns. Valid until the next call.
 */
struct opd_perf_outer *opd_perf_stacks_find(struct opd_perf_stacks *s, pid_t pid, pid_t tid, uint64_t time,
					    const struct opd_perf_frame_state *at, uint64_t slot, uint64_t sp,
					    const struct opd_perf_stack *copy);

/* Reads @size bytes, at most 8, at @address of the part that is kept. */
bool opd_perf_outer_word(const struct opd_perf_outer *o, uint64_t address, unsigned int size, __u64 *value);

/* Keeps what a walk has passed: @states, innermost first, and its copy. */
void opd_perf_outer_keep(struct opd_perf_outer *o, const struct opd_perf_frame_state *states, size_t nr, uint64_t sp,
			 const struct opd_perf_stack *copy);

#endif
