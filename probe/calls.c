// SPDX-License-Identifier: GPL-2.0-or-later
/* calls.c -- counting of heap blocks, and of calls of other replaced functions (probe/wrap/), by
 * call path. */
#include "config.h"

#include <dlfcn.h>

#include "probe/arch/registers.h"
#include "probe/core/poisson.h"
#include "probe/probe.h"
#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

/* Exported and mutable: the libraries of replacements read the filter without a call
 * (wrap/calls.h). */
EXPORT uint32_t opprobe_filter[FILTER_SIZE];

/* Register the library that contains the address @code as the probe's code. The library replaces
 * functions and calls the probe, and call paths omit its frames. */
static void know_own(struct states *states, void *code)
{
	struct dl_find_object found;

	if (__atomic_load_n(&states->calls_us, __ATOMIC_RELAXED) == code)
		return;
	if (!states_is_own(states, (uintptr_t)code) && !_dl_find_object(code, &found))
		unsafe_add(&states->unsafe, (uintptr_t)found.dlfo_map_start,
			   (uintptr_t)found.dlfo_map_end, UNSAFE_OWN);
	__atomic_store_n(&states->calls_us, code, __ATOMIC_RELAXED);
}

/*
 * Return whether a new heap block of *@bytes bytes is sampled. If so, set *@nr and *@bytes to the
 * number of blocks and bytes that the block represents. *@gap: number of bytes that the thread will
 * allocate until the next sampled block.
 */
static bool is_sampled_block(const struct heap *heap, struct state *s, uint64_t *gap,
			     uint64_t *bytes, uint64_t *nr)
{
	uint64_t size = *bytes ? *bytes : 1;

	*nr = 1;
	if (!heap->mean)
		return true;
	if (!*gap)
		*gap = poisson_gap(&s->seed, heap->mean);
	if (*gap > size) {
		*gap -= size;
		return false;
	}
	/* If *@gap is 0, malloc()'s replacement reports the next block, whatever its size. */
	*gap = 0;
	poisson_weigh(&s->seed, heap->mean, size, bytes, nr);
	return true;
}

/* Return the tree node of the caller's call path. If the path has no node, or if the node's tree
 * was created before the event of @metric was added and so has no column for it, count the call as
 * lost and return NULL. */
static inline __attribute__((always_inline)) struct raw_live_node *
find_node(struct run *run, struct state *s, const void *context, const struct arch_caller *caller,
	  uint32_t metric)
{
	struct raw_live_node *node;

	if (metric >= run_nr_metrics(run))
		epochs_wait_for_column(&run->epochs, metric, s->driver.tid);
	node = state_call(&run->states, s, context, caller, 1);
	if (!node || raw_live_has_column(s->epoch->columns, metric))
		return node;
	state_lost_call(s);
	return NULL;
}

EXPORT void opprobe_allocated(const void *at, size_t size, const struct arch_caller *caller,
			      uint64_t *gap)
{
	struct run *run = probe_run();
	struct raw_live_node *node;
	uint64_t bytes = size, nr;
	struct state *s;
	ucontext_t here;

	if (!run->heap.run || probe_is_stopped() || !probe_enter(&s)) {
		/* The sizes of blocks that were not counted were also subtracted from *@gap. So the
		 * remaining gap is biased: draw a new gap at the next block. */
		*gap = 0;
		return;
	}
	if (!s) {
		run_lost_call(run);
	} else if (!is_sampled_block(&run->heap, s, gap, &bytes, &nr)) {
		s->last_block = NULL;
	} else {
		know_own(&run->states, __builtin_return_address(0));
		arch_here(&here);
		node = find_node(run, s, &here, caller, run->heap.first);
		if (node && !heap_add(&run->heap, &s->heap_held, at, size ? bytes : 0, nr, node))
			state_lost_call(s);
		s->last_block = at;
	}
	probe_leave();
}

static void freed(const struct heap_block *b, struct state *s)
{
	heap_freed(&probe_run()->heap, s ? &s->heap_held : NULL, b,
		   s && (uintptr_t)s->last_block == b->at);
}

EXPORT void opprobe_free(const void *at)
{
	struct heap_block b;
	struct state *s;

	if (!probe_enter(&s))
		return;
	if (heap_remove(&probe_run()->heap, at, &b))
		freed(&b, s);
	probe_leave();
}

EXPORT void opprobe_frees(const void *at, struct opprobe_block *block)
{
	struct heap_block b;
	struct state *s;

	if (!probe_enter(&s))
		return;
	if (heap_remove(&probe_run()->heap, at, &b))
		*block = (struct opprobe_block){ b.at, b.size, b.node, b.nr, probe_run()->pid };
	probe_leave();
}

/*
 * Enter the probe after the reallocation of @block. Return false if counting is off, or if
 * opprobe_frees() was called before fork(), in a parent process. On success, the program's signal
 * handlers are deferred until probe_leave().
 */
static bool enter_with(const struct opprobe_block *block, struct heap_block *b, struct state **s)
{
	*b = (struct heap_block){ block->at, block->size, block->node, block->nr };
	if (!probe_enter(s))
		return false;
	if (block->pid == (uint32_t)probe_run()->pid)
		return true;
	probe_leave();
	return false;
}

EXPORT void opprobe_freed(const struct opprobe_block *block)
{
	struct heap_block b;
	struct state *s;

	if (!enter_with(block, &b, &s))
		return;
	freed(&b, s);
	probe_leave();
}

EXPORT void opprobe_not_freed(const struct opprobe_block *block)
{
	struct heap_block b;
	struct state *s;

	if (!enter_with(block, &b, &s))
		return;
	heap_put_back(&probe_run()->heap, &b);
	probe_leave();
}

EXPORT int opprobe_source(const char *event)
{
	return run_metric(probe_run(), event);
}

EXPORT void opprobe_called(int metric, uint64_t value)
{
	struct run *run = probe_run();
	struct raw_live_node *node;
	struct state *s;
	ucontext_t here;

	if (metric < 0 || probe_is_stopped() || !probe_enter(&s))
		return;
	if (s) {
		know_own(&run->states, __builtin_return_address(0));
		arch_here(&here);
		node = find_node(run, s, &here, NULL, metric);
		if (node) {
			node->metrics[metric] += value;
			node->metrics[metric + 1]++;
		}
	} else {
		run_lost_call(run);
	}
	probe_leave();
}
