// SPDX-License-Identifier: GPL-2.0
/*
 * paths/paths.c -- call paths of samples, and their resources.
 */
#include "paths/paths.h"

#include <linux/log2.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "paths/kernel_stack.h"
#include "paths/regs.h"
#include "paths/walk.h"
#include "sampling.h"

/* number of unwind tables to free before the lock is released for a moment */
#define TABLES_AT_ONCE	64
/* number of new frames that a task walks before it checks whether other tasks wait for the CPU */
#define SLICE		32

/* Count @n samples for which the user stack was not walked, for the reason @end. Return the node
 * that records this reason. */
static u32 no_walk(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, u32 end, u64 n)
{
	u32 node = oprofile_path_end_node(&b->nodes, end);

	if (node)
		oprofile_add_local(&pcpu->path_stats.ends[end], n);
	return node;
}

/* Return whether the task has user registers: kernel threads do not run in user mode. */
static bool has_user_mode(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

static u32 kernel_node(struct oprofile_path_book *b, const struct oprofile_kernel_stack *stack)
{
	u32 node = OPROFILE_NO_NODE, i = stack->nr;

	if (stack->end != OPROFILE_UW_WHOLE)
		node = oprofile_path_end_node(&b->nodes, stack->end);
	while (i--) {
		node = oprofile_path_node(&b->nodes, node,
					  OPROFILE_KERNEL_IMAGE | OPROFILE_UW_HOW_KERNEL
									  << OPROFILE_HOW_SHIFT,
					  stack->code[i]);
		if (!node)
			break;
	}
	return node;
}

/* Return the CPU's walker for the current context (task, interrupt or NMI). Called with
 * interrupts off, or in an NMI. */
static struct oprofile_walker *walker_of(const struct oprofile_cpu *pcpu)
{
	return pcpu->walker[in_nmi() ? OPROFILE_WALKER_NMI : OPROFILE_WALKER_IRQ];
}

/* Return the node of the current task's user path, or NO_NODE if the book is full. Called with
 * interrupts off, or in an NMI. */
static u32 user_node(struct oprofile_cpu *pcpu, const struct oprofile_walk *walk, u64 n, u32 *end)
{
	struct oprofile_walker *w = walker_of(pcpu);

	if (unlikely(!w))
		return OPROFILE_NO_NODE;
	return oprofile_walk_user(w, walk, n, end);
}

/* Return whether the walk ended only because a handler's walk is limited, so that the task can
 * continue the walk later. */
static bool is_deeper(const struct oprofile_walk *walk, u32 end)
{
	return end == OPROFILE_UW_DEPTH && walk->depth > walk->max_new;
}

/* Subtract @n samples from the counter of the reason @end, because the walk will be retried. */
static void uncount(struct oprofile_cpu *pcpu, u32 end, u64 n)
{
	oprofile_add_local(&pcpu->path_stats.ends[end], -n);
}

static bool is_frame(const struct oprofile_path_node *node)
{
	return node->image >> OPROFILE_HOW_SHIFT < OPROFILE_UW_HOW_ENDS;
}

/* Subtract @n samples from the counter of the path's end, because the samples will not use the
 * path. The path's outermost node contains the reason for the end. */
static void uncount_path(struct oprofile_cpu *pcpu, const struct oprofile_path_book *b, u32 node,
			 u64 n)
{
	const struct oprofile_path_node *outermost = &b->nodes.node[node];

	while (outermost->parent)
		outermost = &b->nodes.node[outermost->parent];
	if (is_frame(outermost))
		uncount(pcpu, OPROFILE_UW_WHOLE, n);
	else
		uncount(pcpu, (outermost->image >> OPROFILE_HOW_SHIFT) - OPROFILE_UW_HOW_ENDS, n);
}

/* Return the stored map of the current task's mappings in @generation. Return NULL if no map is
 * stored, or if changes of mappings are currently not detected. */
static const struct oprofile_path_map *known_map(struct oprofile_sampling *s,
						 struct oprofile_path_book *b, u64 generation)
{
	if (unlikely(!READ_ONCE(s->hooks.maps_watched)))
		return NULL;
	return oprofile_path_map_of(b, oprofile_mm_id(current->mm), generation);
}

static struct oprofile_walk walk_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
				    const struct oprofile_path_map *map, struct pt_regs *regs,
				    u32 max_new)
{
	u32 depth = pcpu->s->paths->depth;

	return (struct oprofile_walk){
		.book = b, .map = map, .regs = regs, .depth = depth, .max_new = min(depth, max_new),
		.turn = READ_ONCE(pcpu->s->paths->tables.turn), .stats = &pcpu->path_stats,
	};
}

/* Find the call path of a sample in user mode. */
static enum oprofile_path_result capture_user(struct oprofile_cpu *pcpu,
					      struct oprofile_path_book *b, struct pt_regs *regs,
					      u64 generation, struct oprofile_hit *hit)
{
	const struct oprofile_path_map *map = known_map(pcpu->s, b, generation);
	struct oprofile_walk walk;
	u32 node, end;

	if (!map)
		return OPROFILE_PATH_INCOMPLETE;
	if (hit->where != instruction_pointer(regs))
		return OPROFILE_PATH_NONE;
	walk = walk_of(pcpu, b, map, regs, OPROFILE_HANDLER_FRAMES);
	node = user_node(pcpu, &walk, hit->n, &end);
	if (!node)
		return OPROFILE_PATH_NONE;
	if (!is_frame(&b->nodes.node[node])) {
		uncount(pcpu, end, hit->n);
		return OPROFILE_PATH_NONE;
	}
	if (is_deeper(&walk, end)) {
		uncount(pcpu, end, hit->n);
		return OPROFILE_PATH_INCOMPLETE;
	}
	hit->where = node;
	hit->event |= OPROFILE_HIT_PATH;
	return OPROFILE_PATH_CAPTURED;
}

void oprofile_path_uncount(struct oprofile_cpu *pcpu, const struct oprofile_path_book *b,
			   const struct oprofile_hit *hit)
{
	uncount_path(pcpu, b, (u32)hit->where, hit->n);
}

void oprofile_path_place(const struct oprofile_path_book *b, u64 where,
			 struct oprofile_place *place)
{
	const struct oprofile_path_node *leaf = &b->nodes.node[(u32)where];

	*place = b->image[leaf->image & OPROFILE_IMAGE_MASK].place;
	if (place->cookie != OPROFILE_NO_COOKIE)
		place->offset = leaf->offset;
}

/*
 * Walk the user stack of a kernel sample, and return the node of the user path. An NMI with
 * interrupts off may hit the kernel's entry or exit code, where the stack does not hold the user
 * registers: the walk of the kernel's stack detects this case. The NMI may also hit a change of
 * memory maps: copy_from_user_nmi() detects this case.
 */
static u32 user_part(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, struct pt_regs *regs,
		     const struct oprofile_kernel_stack *stack, u64 n,
		     enum oprofile_path_result *result)
{
	struct pt_regs *user = task_pt_regs(current);
	const struct oprofile_path_map *map;
	struct oprofile_walk walk;
	u32 node, end;

	if (!current->mm)
		return no_walk(pcpu, b, OPROFILE_UW_EXITING, n);
	map = known_map(pcpu->s, b, oprofile_generation(&pcpu->s->hooks, current->mm));
	if (!map) {
		*result = OPROFILE_PATH_INCOMPLETE;
		return no_walk(pcpu, b, OPROFILE_UW_MAPPING, n);
	}
	walk = walk_of(pcpu, b, map, user, OPROFILE_HANDLER_FRAMES);
	walk.careful = in_nmi() && !oprofile_irqs_enabled(regs);
	if (!user_mode(user) || (walk.careful && stack->user != user))
		return no_walk(pcpu, b, OPROFILE_UW_STACK, n);
	node = user_node(pcpu, &walk, n, &end);
	if (!node)
		return no_walk(pcpu, b, OPROFILE_UW_NOT_TAKEN, n);
	if (is_deeper(&walk, end))
		*result = OPROFILE_PATH_INCOMPLETE;
	return node;
}

static enum oprofile_path_result capture_kernel(struct oprofile_cpu *pcpu,
						struct oprofile_path_book *b, struct pt_regs *regs,
						struct oprofile_hit *hit)
{
	enum oprofile_path_result result = OPROFILE_PATH_CAPTURED;
	struct oprofile_walker *w = walker_of(pcpu);
	u32 kernel, user = OPROFILE_NO_NODE;

	if (unlikely(!w))
		return OPROFILE_PATH_NONE;
	oprofile_walk_kernel(&w->kernel, current, regs, pcpu->s->paths->depth);
	kernel = kernel_node(b, &w->kernel);
	if (!kernel)
		return OPROFILE_PATH_NONE;
	if (has_user_mode(current)) {
		user = user_part(pcpu, b, regs, &w->kernel, hit->n, &result);
		if (!user)
			return OPROFILE_PATH_NONE;
	}
	hit->where = (u64)kernel << 32 | user;
	hit->event |= OPROFILE_HIT_PATH;
	return result;
}

enum oprofile_path_result oprofile_path_capture(struct oprofile_cpu *pcpu, struct oprofile_table *t,
						struct pt_regs *regs,
						const struct oprofile_task_id *id,
						struct oprofile_hit *hit)
{
	enum oprofile_path_result result;

	rcu_read_lock();
	if (id->domain == OPROFILE_IN_USER)
		result = capture_user(pcpu, t->book, regs, id->generation, hit);
	else
		result = capture_kernel(pcpu, t->book, regs, hit);
	rcu_read_unlock();
	return result;
}

u32 oprofile_path_user_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			  const struct mm_struct *mm, struct pt_regs *user, u32 *end)
{
	const struct oprofile_path_map *map;
	struct oprofile_walk walk;
	u32 node;

	lockdep_assert_irqs_disabled();
	*end = OPROFILE_UW_MAPPING;
	rcu_read_lock();
	map = oprofile_path_map_of(b, oprofile_mm_id(mm), oprofile_generation(&pcpu->s->hooks, mm));
	if (map) {
		walk = walk_of(pcpu, b, map, user, pcpu->s->paths->depth);
		node = user_node(pcpu, &walk, 0, end);
	} else {
		node = no_walk(pcpu, b, *end, 0);
	}
	rcu_read_unlock();
	return node;
}

bool oprofile_path_kernel_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			     struct task_struct *task, struct pt_regs *regs, u32 user, u32 end,
			     struct oprofile_hit *hit)
{
	struct oprofile_walker *w = walker_of(pcpu);
	u32 kernel;

	if (unlikely(!w))
		return false;
	oprofile_walk_kernel(&w->kernel, task, regs, pcpu->s->paths->depth);
	kernel = kernel_node(b, &w->kernel);
	if (!kernel)
		return false;
	if (user)
		oprofile_add_local(&pcpu->path_stats.ends[end], hit->n);
	hit->where = (u64)kernel << 32 | user;
	hit->event |= OPROFILE_HIT_PATH;
	return true;
}

/*
 * Return the node of the current task's user path, on its return to user mode. The walk of a deep
 * stack is slow, so interrupts are off only for as many frames as a handler walks; the rest of the
 * stack is walked in slices. @paused: see oprofile_path_resolve().
 */
static u32 task_node(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, u64 n, bool *paused)
{
	const struct oprofile_path_map *map;
	struct oprofile_walk walk;
	unsigned long flags;
	u32 node, end;

	/* The task has just read its mappings, so the map is in the book, unless the book was
	 * full. */
	map = oprofile_path_map_of(b, oprofile_mm_id(current->mm),
				   oprofile_generation(&pcpu->s->hooks, current->mm));
	if (!map)
		return OPROFILE_NO_NODE;
	walk = walk_of(pcpu, b, map, task_pt_regs(current), OPROFILE_HANDLER_FRAMES);
	local_irq_save(flags);
	node = user_node(pcpu, &walk, n, &end);
	local_irq_restore(flags);
	if (!node || !is_deeper(&walk, end) || !pcpu->walker[OPROFILE_WALKER_TASK] || !paused)
		return node;
	uncount(pcpu, end, n);
	walk.max_new = walk.depth;
	walk.slice = SLICE;
	node = oprofile_walk_user(pcpu->walker[OPROFILE_WALKER_TASK], &walk, n, &end);
	*paused = end == OPROFILE_WALK_PAUSED;
	return node;
}

bool oprofile_path_resolve(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   struct oprofile_hit *hit, bool *paused)
{
	u32 node;

	/* After an NMI, the task may have executed one or two more instructions before this
	 * function. Then its registers are not those of the sample. */
	if (hit->data || hit->where != instruction_pointer(task_pt_regs(current)) ||
	    !has_user_mode(current))
		return false;
	node = task_node(pcpu, b, hit->n, paused);
	if (!node)
		return false;
	if (!is_frame(&b->nodes.node[node])) {
		uncount_path(pcpu, b, node, hit->n);
		return false;
	}
	hit->where = node;
	hit->event |= OPROFILE_HIT_PATH;
	return true;
}

u64 oprofile_path_complete(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
			   const struct oprofile_hit *hit, bool *paused)
{
	u32 node = task_node(pcpu, b, hit->n, paused);

	if (node == (u32)hit->where)
		uncount_path(pcpu, b, node, hit->n);
	if (!node)
		return hit->where;
	return hit->where >> 32 << 32 | node;
}

void oprofile_paths_init(struct oprofile_paths *p)
{
	spin_lock_init(&p->lock);
	oprofile_path_tables_init(&p->tables, &p->lock);
	p->tables_max = p->tables.max;
	p->nodes = 1 << 17;
}

int oprofile_paths_prepare_cpu(struct oprofile_sampling *s, struct oprofile_cpu *pcpu)
{
	struct oprofile_paths *p = s->paths;
	int node = cpu_to_node(pcpu->cpu), i;

	if (!pcpu->active)
		return 0;
	for (i = 0; p->depth && p->book && i < ARRAY_SIZE(pcpu->walker); i++) {
		if (!pcpu->walker[i])
			pcpu->walker[i] = vzalloc_node(sizeof(*pcpu->walker[i]), node);
		if (!pcpu->walker[i])
			return -ENOMEM;
	}
	/*
	 * Let the active table use the current book, because a drain may have freed the table's old
	 * book. Exception: a table with samples (the ring was full) must keep its book, because the
	 * samples' paths may be in that book.
	 */
	spin_lock(&p->lock);
	if (!pcpu->active->used || !pcpu->active->book)
		WRITE_ONCE(pcpu->active->book, p->depth ? p->book : NULL);
	spin_unlock(&p->lock);
	return 0;
}

int oprofile_paths_start(struct oprofile_sampling *s)
{
	struct oprofile_paths *p = s->paths;
	int cpu, err = 0;

	lockdep_assert_held(&s->lock);
	oprofile_paths_fit(p);
	p->waker = s->waker;
	if (p->depth && !p->book) {
		struct oprofile_path_book *book =
			oprofile_path_book_new(++p->epoch, ilog2(p->nodes), &p->lock, s->waker);

		if (!book)
			return -ENOMEM;
		spin_lock(&p->lock);
		p->book = book;
		spin_unlock(&p->lock);
	}
	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		memset(&pcpu->path_stats, 0, sizeof(pcpu->path_stats));
		err = err ?: oprofile_paths_prepare_cpu(s, pcpu);
	}
	return err;
}

void oprofile_paths_release(struct oprofile_cpu *pcpu)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pcpu->walker); i++) {
		vfree(pcpu->walker[i]);
		pcpu->walker[i] = NULL;
	}
}

/* The list may be long, so release the lock after every TABLES_AT_ONCE tables. No table can be
 * added during this, because `buffer` is closed. */
static void remove_tables(struct oprofile_paths *p, struct list_head *list)
{
	u32 nr = 0;

	spin_lock(&p->lock);
	while (!list_empty(list)) {
		oprofile_path_table_remove(
			&p->tables, list_first_entry(list, struct oprofile_path_table, list));
		if (++nr % TABLES_AT_ONCE)
			continue;
		spin_unlock(&p->lock);
		cond_resched();
		spin_lock(&p->lock);
	}
	spin_unlock(&p->lock);
}

void oprofile_paths_shutdown(struct oprofile_paths *p)
{
	struct oprofile_path_book *book, *old;
	int i;

	/* A task may still be reading its mappings, and must not find the books from now on. */
	spin_lock(&p->lock);
	book = p->book;
	old = p->old;
	p->old = p->book = NULL;
	spin_unlock(&p->lock);
	for (i = 0; i < ARRAY_SIZE(p->tables.share); i++)
		remove_tables(p, &p->tables.share[i].list);
	oprofile_path_book_free(old);
	oprofile_path_book_free(book);
}
