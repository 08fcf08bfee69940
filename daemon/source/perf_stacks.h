/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stacks.h -- cache of the outer parts of threads' stacks, which perf_events does not copy
 * into samples.
 *
 * perf_events copies the innermost bytes of a stack into a sample. Programs with large frames have
 * larger stacks. The part of the stack beyond the copy changes rarely, so the daemon reads it from
 * the thread once and caches it. A walk that reaches the end of its copy continues in the cached
 * part under three conditions: an earlier walk of the thread passed the same frame with the same
 * pc, sp and frame pointer; the first words of the frame are the same; and the part was read at
 * most a few milliseconds before. Otherwise the part is read again. The walk uses it only if the
 * return address that led to the frame and the first words of the frame are unchanged. These checks
 * do not prove that the part was the same when the sample was taken.
 *
 * Not thread-safe.
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

/* Callback that reads up to @size bytes at @address in the memory of thread @tid to @to. It
 * returns the number of bytes, or a negative errno. */
typedef ssize_t (*opd_perf_stacks_read_fn)(void *arg, pid_t tid, uint64_t address, void *to,
					   size_t size);

/* The registers of a thread at one frame of its stack. */
struct opd_perf_frame_state {
	uint64_t pc, sp, fp;
};

/* Numbers of stack walks that continued beyond the sample's copy of the stack. .kept: walks that
 * used the cached part; .read: walks for which the part was read. */
struct opd_perf_stacks_counters {
	uint64_t kept, read;
};

/* Create *@ret. @read(@arg, ...) reads the memory of a thread. @arg must outlive *@ret. Return 0
 * or -ENOMEM. */
int opd_perf_stacks_create(struct opd_perf_stacks **ret, opd_perf_stacks_read_fn read, void *arg);
void opd_perf_stacks_destroy(struct opd_perf_stacks *s);	/* @s may be NULL. */
const struct opd_perf_stacks_counters *opd_perf_stacks_counters(const struct opd_perf_stacks *s);

/*
 * Return the part of the stack of thread @tid of process @pid that is beyond @copy, the sample's
 * copy of the stack, or NULL if it cannot be read. @copy begins at address @sp; the stack walk has
 * reached the frame @at. @slot: stack address of the return address that led to the frame; 0 for
 * the innermost frame. @time: time of the sample in ns. The result is valid until the next call.
 */
struct opd_perf_outer *opd_perf_stacks_find(struct opd_perf_stacks *s, pid_t pid, pid_t tid,
					    uint64_t time, const struct opd_perf_frame_state *at,
					    uint64_t slot, uint64_t sp,
					    const struct opd_perf_stack *copy);

/* Set *@value to the @size bytes (at most 8) at stack address @address. Return false if the cached
 * part of the stack does not contain them. */
bool opd_perf_outer_word(const struct opd_perf_outer *o, uint64_t address, unsigned int size,
			 __u64 *value);

/* Store the registers at the frames of a stack walk (@states, innermost first) and the sample's
 * copy of the stack in @o, for later walks. */
void opd_perf_outer_save(struct opd_perf_outer *o, const struct opd_perf_frame_state *states,
			 size_t nr, uint64_t sp, const struct opd_perf_stack *copy);

#endif
