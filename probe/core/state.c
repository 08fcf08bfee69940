// SPDX-License-Identifier: GPL-2.0-or-later
/* state.c -- the states of sampled threads, and the counting of samples and calls by call path. */
#include "config.h"
#include "probe/core/state.h"

#include <errno.h>

#include "libcfi/landing.h"
#include "module/uapi/unwind_walk.h"
#include "probe/arch/context.h"
#include "probe/arch/registers.h"
#include "probe/linux/calls.h"

#define FRAMES_AT_FIRST	128
#define PAGE		4096
/* maximum number of new modules that one stack walk may add to the set of known modules (epoch) */
#define MOST_NEW	16
/* Stack walks read this number of bytes at the upper end of the main thread's stack directly. They
 * read deeper parts of the stack by system calls. */
#define MOST_STACK	(64u << 20)

static struct raw_live_thread *record_of(const struct state *s)
{
	return arena_at(&s->arena, s->thread);
}

/* Count a sample or call in .taken. If the thread's arena is in private memory, also count it as
 * lost in the .csp.live file: if the process is killed, this memory is lost and no .csp file is
 * written. */
static void count_taken(const struct states *states, const struct state *s,
			struct raw_live_counts *counts, bool is_sample, uint64_t nr)
{
	struct raw_live_counts *unkept = is_sample ? &states->run->samples : &states->run->calls;

	counts->taken += nr;
	if (s->arena.is_in_file)
		return;
	__atomic_fetch_add(&unkept->taken, nr, __ATOMIC_RELAXED);
	__atomic_fetch_add(&unkept->lost[RAW_LIVE_NO_ROOM], nr, __ATOMIC_RELAXED);
}

static struct state *make(struct states *states)
{
	uint32_t number = __atomic_load_n(&states->nr, __ATOMIC_RELAXED);
	struct state *s;
	long at;

	do
		if (number >= RAW_LIVE_MAX_ARENAS - 1)
			return NULL;
	while (!__atomic_compare_exchange_n(&states->nr, &number, number + 1, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	number++;
	at = call_mmap(sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (call_failed(at))
		return NULL;
	s = (struct state *)at;
	s->taken = true;
	if (arena_init(&s->arena, states->file, number))
		goto unmap;
	arena_grow(&s->arena, states->memory);
	s->thread = arena_alloc(&s->arena, sizeof(struct raw_live_thread));
	if (backtrace_init(&s->bt, FRAMES_AT_FIRST,
			   __atomic_load_n(&states->epochs->now, __ATOMIC_ACQUIRE)))
		goto release_arena;
	s->next = __atomic_load_n(&states->first, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&states->first, &s->next, s, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return s;
release_arena:
	arena_release(&s->arena);
unmap:
	call_munmap(s, sizeof(*s));
	return NULL;
}

struct state *state_claim(struct states *states, uint32_t tid, uint64_t low, uint64_t high)
{
	struct state *s =
		states->by_thread ? NULL : __atomic_load_n(&states->first, __ATOMIC_ACQUIRE);

	while (s && (__atomic_load_n(&s->taken, __ATOMIC_RELAXED) ||
		     __atomic_exchange_n(&s->taken, true, __ATOMIC_ACQUIRE)))
		s = s->next;
	if (!s)
		s = make(states);
	if (!s)
		return NULL;
	/* .inside is still set if a signal handler of the program interrupted the probe's handler
	 * and left by longjmp() */
	s->inside = 0;
	s->last_block = NULL;
	s->seed = ((uint64_t)call_now_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)tid << 32 ^
		   (uintptr_t)s) |
		  1;
	driver_threads_init(&s->driver, tid);
	s->bt.low = low;
	s->bt.high = high;
	s->bt.bufstk = s->bt.btend;
	s->marker = (struct marker){.counts = &record_of(s)->marker,
				    .column = s->epoch ? s->marker.column : -1};
	record_of(s)->tid = tid;
	return s;
}

void state_release(struct state *s)
{
	marker_lift(&s->marker, &s->bt, 0);
	__atomic_store_n(&s->taken, false, __ATOMIC_RELEASE);
}

/* Switch the thread to its tree for @epoch; create the tree if the thread has none. Return 0 or
 * -ENOMEM. */
static int switch_tree(const struct states *states, struct state *s, const struct epoch *epoch)
{
	struct raw_live_thread *record = record_of(s);
	struct cct cct = { .arena = &s->arena, .nr_metrics = raw_live_nr_columns(epoch->columns) };
	struct raw_live_tree *tree = NULL;
	uint32_t ref;

	for (ref = record->trees; ref; ref = tree->older) {
		tree = arena_at(&s->arena, ref);
		if (tree->epoch == epoch->number)
			break;
	}
	if (ref) {
		cct.root = tree->root;
	} else {
		ref = arena_alloc(&s->arena, sizeof(*tree));
		if (!ref || cct_init(&cct, &s->arena, cct.nr_metrics))
			return -ENOMEM;
		tree = arena_at(&s->arena, ref);
		tree->epoch = epoch->number;
		tree->older = record->trees;
		tree->root = cct.root;
		tree->columns = epoch->columns;
		__atomic_store_n(&record->trees, ref, __ATOMIC_RELEASE);
	}
	s->marker.column = raw_live_has_column(epoch->columns, states->marks.metric) ?
			   (int)raw_live_column(epoch->columns, states->marks.metric) : -1;
	s->cct = cct;
	s->epoch = epoch;
	backtrace_set_epoch(&s->bt, epoch);
	return 0;
}

/* Extend the known mapped range of the stack down to @sp, if all pages in between can be read. */
static void extend_stack(struct backtrace *bt, uint64_t sp)
{
	uint64_t page = sp & ~(uint64_t)(PAGE - 1);
	char byte;

	if (!bt->high || sp >= bt->low || bt->high - page > MOST_STACK)
		return;
	for (uint64_t at = bt->low; at > page; at -= PAGE)
		if (call_read_memory(bt->pid, at - PAGE, &byte, 1))
			return;
	bt->low = page;
}

bool states_is_own(const struct states *states, uint64_t ip)
{
	const struct unsafe_range *r = unsafe_find(&states->unsafe, ip);

	return r && r->why == UNSAFE_OWN;
}

/*
 * Return whether it is unsafe to walk the stack at @pc and @sp: @pc is in unsafe code (unsafe.h),
 * the thread is already walking its stack, or marker_returned() is running. @pc 0: the program has
 * called the probe, and the walk starts at the caller.
 */
static bool context_is_unsafe(const struct states *states, struct state *s, uint64_t pc,
			      uint64_t sp)
{
	return __atomic_load_n(&s->inside, __ATOMIC_RELAXED) ||
	       marker_is_busy(&s->marker, &s->bt, sp) || (pc && unsafe_find(&states->unsafe, pc));
}

/* Return the address of a leaf node: @ip or, with states->by_function, the start of the function
 * that contains @ip. */
static uint64_t leaf_of(const struct states *states, const struct state *s, uint64_t ip)
{
	const struct epoch_module *m = states->by_function ? epoch_find(s->epoch, ip) : NULL;
	__u64 from, to;

	return m && m->cfi.data && !cfi_function_at(&m->cfi, ip - m->moved, &from, &to)
		       ? from + m->moved
		       : ip;
}

/* Return whether @f is, or may be, the frame of an exception handler for which the unwinder has
 * just set the registers. Such a frame cannot be unwound reliably. */
static bool is_landing(const struct state *s, const struct backtrace_frame *f)
{
	const struct epoch_module *m =
		f < s->bt.btend && f->installs ? epoch_find(s->epoch, f->ip) : NULL;
	__u64 from, to;

	/* The unwind tables of a module do not contain the addresses of its second mapping. So
	 * exception handlers in a second mapping cannot be recognized. */
	if (!m || m->moved || cfi_function_at(&m->cfi, f->ip - !f->innermost, &from, &to))
		return false;
	return f->ip < m->code || to > m->code_end ||
	       cfi_is_landing(&m->cfi, (const unsigned char *)(uintptr_t)f->ip, f->ip, to);
}

/* Return the frame that called the probe (@unwinds 1), that frame's caller (2), and so on. Skip
 * frames of the probe's code. Return NULL if @unwinds is 0. */
static struct backtrace_frame *find_caller(const struct states *states, const struct state *s,
					   uint32_t unwinds)
{
	struct backtrace_frame *caller = unwinds ? s->bt.bufstk : NULL;

	while (caller && caller < s->bt.btend && states_is_own(states, caller->ip))
		caller++;
	for (; unwinds > 1 && caller < s->bt.btend - 1; unwinds--)
		do
			caller++;
		while (caller < s->bt.btend - 1 && states_is_own(states, caller->ip));
	return caller;
}

/*
 * Insert the call path of the last walk into the tree. Return the node of the path, or 0 if out of
 * memory. Omit frames of the probe: they start threads or replace functions such as malloc().
 * @caller: the frame that called the probe, or NULL. This frame is in the middle of a call, so its
 * node depends on the call: store the node only in .calling.
 */
static uint32_t insert(struct states *states, struct state *s, uint32_t fresh, int end,
		       struct backtrace_frame *caller)
{
	struct backtrace_frame *f = s->bt.bufstk + fresh;
	struct unsafe_gap gap = { 0 };
	uint32_t node;

	while (f < s->bt.btend && !f->node)
		f++;
	if (caller && f <= caller)
		f = caller + 1;
	node = f < s->bt.btend ? f->node : s->cct.root;
	while (f > s->bt.bufstk && node) {
		const struct unsafe_range *range = NULL;
		uint32_t flags = 0;

		f--;
		if (f == caller) {
			for (struct backtrace_frame *inner = s->bt.bufstk; inner <= f; inner++)
				inner->node = 0;
			return f->calling = cct_child(&s->cct, node, leaf_of(states, s, f->ip - 1),
						      f->sp, 0);
		}
		if (f->ip - gap.start >= gap.size)
			range = unsafe_find_or_gap(&states->unsafe, f->ip, &gap);
		f->is_unsafe = range != NULL;
		if (!range || range->why != UNSAFE_OWN) {
			if (f->innermost && f > s->bt.bufstk)
				flags |= RAW_LIVE_INTERRUPTED;
			if (node == s->cct.root && end != OPROFILE_UW_WHOLE)
				flags |= RAW_LIVE_SHORT;
			node = cct_child(&s->cct, node,
					 f > s->bt.bufstk ? f->ip : leaf_of(states, s, f->ip),
					 f->sp, flags);
		}
		f->node = node;
	}
	return node;
}

/*
 * Walk the stack. Repeat the walk with new epochs until the epoch contains all modules of the
 * stack. Return the result of backtrace_walk(), -ESTALE if such an epoch cannot be created, or
 * -ENOMEM.
 */
static int walk(struct states *states, struct state *s, const void *context,
		const struct arch_caller *from, uint32_t *fresh)
{
	int end = -ESTALE;

	for (int turn = 0; end == -ESTALE && turn < MOST_NEW; turn++) {
		const struct epoch *epoch = __atomic_load_n(&states->epochs->now, __ATOMIC_ACQUIRE);

		/* If another thread is creating an epoch, use the current epoch. The sample is lost
		 * only if nodes of the current epoch have no count for the sample's metric. */
		if (!epochs_has_columns(states->epochs, epoch) &&
		    !epochs_learn(states->epochs, 0, s->driver.tid))
			epoch = __atomic_load_n(&states->epochs->now, __ATOMIC_ACQUIRE);
		if (epoch != s->epoch && switch_tree(states, s, epoch))
			return -ENOMEM;
		end = backtrace_walk(&s->bt, context, from, fresh);
		if (end == -ESTALE && epochs_learn(states->epochs, s->bt.stale, s->driver.tid))
			break;
	}
	return end;
}

/* The result of searching the tree for the node of a call path. */
struct found {
	uint32_t node;			/* tree node of the path; 0: not found */
	/* mask of the metrics for which nodes of the path's tree have a count */
	uint64_t columns;
	bool is_whole;
	enum raw_live_loss loss;	/* cause of the loss of the sample, if .node is 0 */
};

/* The thread was interrupted in the trampoline (marker.h). Find the node of the frame to which the
 * thread is returning. */
static struct found find_in_trampoline(struct state *s, const void *context)
{
	struct found found = { .loss = RAW_LIVE_UNSAFE };

	found.node = marker_goes_to(&s->marker, &s->bt, arch_pc(context), arch_sp(context));
	if (!found.node)
		return found;
	found.columns = s->epoch->columns;
	found.is_whole = s->bt.end == OPROFILE_UW_WHOLE;
	s->marker.counts->nr[RAW_LIVE_MARKER_SAMPLES]++;
	return found;
}

/* Return whether the thread was interrupted in the trampoline (marker.h) or in a function that the
 * trampoline calls. */
static bool is_in_trampoline(const struct states *states, struct state *s, const void *context)
{
	uint64_t pc = arch_pc(context);

	return marker_is_trampoline(pc) ||
	       (marker_is_busy(&s->marker, &s->bt, arch_sp(context)) && states_is_own(states, pc));
}

/*
 * Return the tree node of the call path at @context; on failure, node 0 and the cause of the loss.
 * @marks: whether a marker may be placed on the stack.
 */
static uint32_t find_node(struct states *states, struct state *s, const void *context,
			  const struct arch_caller *from, uint32_t unwinds, bool marks,
			  bool *is_whole, enum raw_live_loss *loss)
{
	struct backtrace_frame *caller, *leaf;
	uint32_t node, fresh;
	bool is_held;
	int end;

	extend_stack(&s->bt, arch_sp(context));
	is_held = marker_hold(&s->marker, &s->bt, arch_sp(context), arch_link(context));
	end = walk(states, s, context, from, &fresh);
	if (is_held)
		marker_finish_walk(&s->marker, &s->bt);
	*loss = end == -ESTALE ? RAW_LIVE_EPOCH : RAW_LIVE_MEMORY;
	if (end < 0)
		return 0;
	/* The stack has not changed since the last call from this frame: reuse the node of that
	 * call. */
	if (from && from->pc && !fresh && unwinds == 1 && s->bt.bufstk->calling &&
	    !states->marks.is_on) {
		*is_whole = end == OPROFILE_UW_WHOLE;
		return s->bt.bufstk->calling;
	}
	/* Check for unsafe code again, because the caller is known only now, and the walk may have
	 * found new modules with unsafe functions. */
	caller = find_caller(states, s, unwinds);
	if ((!caller || caller < s->bt.btend) &&
	    unsafe_find(&states->unsafe, caller ? caller->ip - 1 : arch_pc(context)))
		*loss = RAW_LIVE_UNSAFE;
	if (*loss == RAW_LIVE_UNSAFE)
		return 0;
	leaf = caller ? caller : s->bt.bufstk;
	if (is_landing(s, leaf) || is_landing(s, leaf + 1)) {
		*loss = RAW_LIVE_EXCEPTION;
		/* discard the frames of this walk, which may be wrong */
		s->bt.bufstk = s->bt.btend;
		return 0;
	}
	*is_whole = end == OPROFILE_UW_WHOLE;
	node = insert(states, s, fresh, end, caller);
	if (!node)
		/* discard the frames of this walk, which have no tree nodes */
		s->bt.bufstk = s->bt.btend;
	else if (marks && states->marks.is_on)
		marker_place(&s->marker, &s->bt, caller ? caller - s->bt.bufstk : 0, node,
			     arch_sp(context));
	return node;
}

/*
 * Find the tree node of the call path at @context. Also return the metrics of the node's tree,
 * because a signal handler may switch the thread to another tree afterwards. @marks: whether a
 * marker may be placed on the stack. If the walk faults, for example because a module was unmapped,
 * the sample is lost.
 */
__attribute__((noinline)) static struct found
find_node_or_escape(struct states *states, struct state *s, const void *context,
		    const struct arch_caller *from, uint32_t unwinds, bool marks)
{
	struct found found = { .loss = RAW_LIVE_UNSAFE };

	if (!unwinds && !__atomic_load_n(&s->inside, __ATOMIC_RELAXED) &&
	    is_in_trampoline(states, s, context))
		return find_in_trampoline(s, context);
	if (context_is_unsafe(states, s, unwinds ? 0 : arch_pc(context), arch_sp(context)))
		return found;
	if (!__builtin_setjmp(s->escape)) {
		__atomic_store_n(&s->inside, 1, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		found.node = find_node(states, s, context, from, unwinds, marks, &found.is_whole,
				       &found.loss);
		found.columns = found.node ? s->epoch->columns : 0;
	} else {
		marker_lift(&s->marker, &s->bt, 0);
		epochs_escaped(states->epochs, s->driver.tid);
		backtrace_set_epoch(&s->bt, s->epoch);
		found = (struct found){ .loss = RAW_LIVE_EPOCH };
	}
	__atomic_store_n(&s->inside, 0, __ATOMIC_RELEASE);
	return found;
}

void state_escape(struct state *s)
{
	if (__atomic_load_n(&s->inside, __ATOMIC_RELAXED))
		__builtin_longjmp(s->escape, 1);
}

/* Add @value to @metric of the node @found. Return false if no node was found, or if nodes of its
 * tree have no count for @metric. */
static bool add(const struct state *s, const struct found *found, uint32_t metric, uint64_t value)
{
	if (!found->node || !raw_live_has_column(found->columns, metric))
		return false;
	cct_node(&s->cct, found->node)->metrics[raw_live_column(found->columns, metric)] += value;
	return true;
}

static bool count(struct states *states, struct state *s, const void *context, uint32_t unwinds,
		  bool marks, uint32_t metric, uint64_t value, bool is_sample, uint64_t nr)
{
	struct raw_live_counts *counts = is_sample ? &record_of(s)->samples : &record_of(s)->calls;
	struct found found;

	count_taken(states, s, counts, is_sample, nr);
	found = find_node_or_escape(states, s, context, NULL, unwinds, marks);
	if (found.node)
		found.loss = RAW_LIVE_EPOCH;
	if (!add(s, &found, metric, value)) {
		counts->lost[found.loss] += nr;
		return false;
	}
	counts->complete += found.is_whole ? nr : 0;
	return true;
}

void state_sample(struct states *states, struct state *s, const void *context, uint32_t metric,
		  uint64_t weight)
{
	count(states, s, context, 0, true, metric, weight, true, weight);
}

void state_signal(struct state *s)
{
	record_of(s)->signals++;
}

int state_record(struct states *states, struct state *s, const void *context, uint32_t unwinds,
		 uint32_t metric, uint64_t value, bool is_sample)
{
	if (is_sample)
		return count(states, s, context, unwinds, unwinds, metric, value, true, value)
			       ? 0
			       : -EAGAIN;
	if (!count(states, s, context, unwinds, unwinds, metric, value, false, 1))
		return -EAGAIN;
	record_of(s)->calls.recorded++;
	return 0;
}

void state_count(struct states *states, struct state *s, const void *context, uint32_t metric)
{
	/* The caller has blocked all other signals, so the search cannot be interrupted by
	 * another sample. */
	const struct found found = find_node_or_escape(states, s, context, NULL, 0, false);

	add(s, &found, metric, 1);
}

struct raw_live_node *state_call(struct states *states, struct state *s, const void *context,
				 const struct arch_caller *caller, uint32_t unwinds)
{
	struct raw_live_counts *counts = &record_of(s)->calls;
	struct found found;

	count_taken(states, s, counts, false, 1);
	found = find_node_or_escape(states, s, context, caller, unwinds, true);
	if (!found.node) {
		counts->lost[found.loss]++;
		return NULL;
	}
	counts->recorded++;
	counts->complete += found.is_whole;
	return cct_node(&s->cct, found.node);
}

void state_lost_call(struct state *s)
{
	struct raw_live_counts *counts = &record_of(s)->calls;

	counts->recorded--;
	counts->lost[RAW_LIVE_MEMORY]++;
}

bool states_wait(struct states *states)
{
	for (struct state *s = __atomic_load_n(&states->first, __ATOMIC_ACQUIRE); s; s = s->next)
		for (int i = 0; __atomic_load_n(&s->inside, __ATOMIC_SEQ_CST); i++) {
			if (i == 100)
				return false;
			call_sleep_ms(1);
		}
	return true;
}
