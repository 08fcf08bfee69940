// SPDX-License-Identifier: GPL-2.0
/*
 * paths.c -- paths taken by handlers, and what they need for that.
 */
#include "paths.h"

#include <linux/log2.h>
#include <linux/preempt.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>

#include "compat/compat.h"
#include "path_kernel.h"
#include "path_regs.h"
#include "path_walk.h"
#include "sampling.h"

static u32 end_node(struct oprofile_path_book *b, u32 end)
{
	return oprofile_path_node(&b->nodes, OPROFILE_NO_NODE, (OPROFILE_UW_HOW_ENDS + end) << OPROFILE_HOW_SHIFT, 0);
}

/* Why there is no path, or none that is whole: in the books, and a node. */
static u32 no_walk(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, u32 end, u64 n)
{
	oprofile_add_local(&pcpu->path_stats.ends[end], n);
	return end_node(b, end);
}

/* Tasks whose registers of user mode mean nothing, as they have none. */
static bool has_user_mode(const struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER));
}

static u32 kernel_node(struct oprofile_path_book *b, const struct oprofile_kernel_stack *stack)
{
	u32 node = OPROFILE_NO_NODE, i = stack->nr;

	if (stack->end != OPROFILE_UW_WHOLE)
		node = end_node(b, stack->end);
	while (i--) {
		node = oprofile_path_node(&b->nodes, node, OPROFILE_KERNEL_IMAGE | OPROFILE_UW_HOW_KERNEL << OPROFILE_HOW_SHIFT,
					  stack->code[i]);
		if (!node)
			break;
	}
	return node;
}

static void tell_place(struct oprofile_path_book *b, const struct oprofile_path_map *map,
		       const struct oprofile_area *area, unsigned long pc, struct oprofile_place *place)
{
	*place = b->image[area->image].place;
	if (area->named)
		place->offset = pc + area->delta;
}

/* The node of what the current task does in user mode; NO_NODE: no room. */
static u32 user_node(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, const struct oprofile_walk *walk, u64 n,
		     u32 *end)
{
	struct oprofile_walker *w = pcpu->walker[!!in_nmi()];

	if (unlikely(!w))
		return OPROFILE_NO_NODE;
	return oprofile_walk_user(w, walk, n, end);
}

static const struct oprofile_path_map *current_map(struct oprofile_sampling *s, struct oprofile_path_book *b)
{
	const struct mm_struct *mm = current->mm;

	return oprofile_path_map_of(b, oprofile_mm_id(mm), oprofile_generation(&s->hooks, mm));
}

static struct oprofile_walk walk_of(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
				    const struct oprofile_path_map *map, struct pt_regs *regs, u32 max_new)
{
	u32 depth = pcpu->s->paths->depth;

	return (struct oprofile_walk){
		.book = b, .map = map, .regs = regs, .depth = depth, .max_new = min(depth, max_new),
		.turn = READ_ONCE(pcpu->s->paths->tables.turn), .stats = &pcpu->path_stats,
	};
}

/* A sample in user mode. */
static enum oprofile_path_taken take_user(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, struct pt_regs *regs,
					  struct oprofile_hit *hit, struct oprofile_place *place)
{
	const struct oprofile_path_map *map = READ_ONCE(pcpu->s->hooks.maps_watched) ? current_map(pcpu->s, b) : NULL;
	const struct oprofile_area *area;
	struct oprofile_walk walk;
	u32 node, end;

	if (!map)
		return OPROFILE_PATH_UNKNOWN;
	area = hit->where == instruction_pointer(regs) ? oprofile_area_of(map, hit->where) : NULL;
	if (!area)
		return OPROFILE_PATH_NONE;
	walk = walk_of(pcpu, b, map, regs, OPROFILE_HANDLER_FRAMES);
	node = user_node(pcpu, b, &walk, hit->n, &end);
	if (!node)
		return OPROFILE_PATH_NONE;
	if (end == OPROFILE_UW_DEPTH && walk.depth > walk.max_new)
		return OPROFILE_PATH_UNKNOWN;
	tell_place(b, map, area, hit->where, place);
	hit->where = node;
	hit->event |= OPROFILE_HIT_PATH;
	return OPROFILE_PATH_TAKEN;
}

/*
 * What an NMI finds while interrupts are off may be the first and last instructions in the kernel, where the
 * registers of user mode are not those in the stack, or a change of the memory map. The kernel's own walk knows the one, and
 * copy_from_user_nmi() the other.
 */
static u32 user_part(struct oprofile_cpu *pcpu, struct oprofile_path_book *b, struct pt_regs *regs,
		     const struct oprofile_kernel_stack *stack, u64 n, enum oprofile_path_taken *taken)
{
	struct pt_regs *user = task_pt_regs(current);
	const struct oprofile_path_map *map;
	struct oprofile_walk walk;
	u32 node, end;

	if (!current->mm)
		return no_walk(pcpu, b, OPROFILE_UW_EXITING, n);
	map = READ_ONCE(pcpu->s->hooks.maps_watched) ? current_map(pcpu->s, b) : NULL;
	if (!map) {
		*taken = OPROFILE_PATH_UNKNOWN;
		return no_walk(pcpu, b, OPROFILE_UW_MAPPING, n);
	}
	walk = walk_of(pcpu, b, map, user, OPROFILE_HANDLER_FRAMES);
	walk.careful = in_nmi() && !oprofile_irqs_enabled(regs);
	if (!user_mode(user) || (walk.careful && stack->user != user))
		return no_walk(pcpu, b, OPROFILE_UW_STACK, n);
	node = user_node(pcpu, b, &walk, n, &end);
	return node ?: no_walk(pcpu, b, OPROFILE_UW_NOT_TAKEN, n);
}

static enum oprofile_path_taken take_kernel(struct oprofile_cpu *pcpu, struct oprofile_path_book *b,
					    struct pt_regs *regs, struct oprofile_hit *hit)
{
	enum oprofile_path_taken taken = OPROFILE_PATH_TAKEN;
	struct oprofile_kernel_stack stack;
	u32 kernel, user = OPROFILE_NO_NODE;

	oprofile_walk_kernel(&stack, regs, pcpu->s->paths->depth);
	kernel = kernel_node(b, &stack);
	if (!kernel)
		return OPROFILE_PATH_NONE;
	if (has_user_mode(current)) {
		user = user_part(pcpu, b, regs, &stack, hit->n, &taken);
		if (!user)
			return OPROFILE_PATH_NONE;
	}
	hit->where = (u64)kernel << 32 | user;
	hit->event |= OPROFILE_HIT_PATH;
	return taken;
}

enum oprofile_path_taken oprofile_path_take(struct oprofile_cpu *pcpu, struct oprofile_table *t, struct pt_regs *regs,
					    bool user, struct oprofile_hit *hit, struct oprofile_place *place)
{
	enum oprofile_path_taken taken;

	rcu_read_lock();
	if (user)
		taken = take_user(pcpu, t->book, regs, hit, place);
	else
		taken = take_kernel(pcpu, t->book, regs, hit);
	rcu_read_unlock();
	return taken;
}

void oprofile_path_resolve(struct oprofile_cpu *pcpu, struct oprofile_table *t, struct oprofile_hit *hit)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct oprofile_path_map *map;
	struct oprofile_walk walk;
	u32 node = OPROFILE_NO_NODE, end;

	/* After an NMI the task may have gone on by an instruction or two. */
	if (!t->book || hit->data || hit->where != instruction_pointer(regs) || !has_user_mode(current))
		return;
	rcu_read_lock();
	map = current_map(pcpu->s, t->book);
	if (map && oprofile_area_of(map, hit->where)) {
		walk = walk_of(pcpu, t->book, map, regs, OPROFILE_MAX_DEPTH);
		node = user_node(pcpu, t->book, &walk, hit->n, &end);
	}
	rcu_read_unlock();
	if (node) {
		hit->where = node;
		hit->event |= OPROFILE_HIT_PATH;
	}
}

void oprofile_paths_init(struct oprofile_paths *p)
{
	spin_lock_init(&p->lock);
	oprofile_path_tables_init(&p->tables, &p->lock);
	p->tables_max = p->tables.max;
	p->nodes = 1 << 17;
}

int oprofile_paths_take_on(struct oprofile_sampling *s, struct oprofile_cpu *pcpu)
{
	struct oprofile_path_book *book = s->paths->depth ? s->paths->book : NULL;
	int node = cpu_to_node(pcpu->cpu), i;

	if (!pcpu->active)
		return 0;
	for (i = 0; book && i < ARRAY_SIZE(pcpu->walker); i++) {
		if (!pcpu->walker[i])
			pcpu->walker[i] = vzalloc_node(sizeof(*pcpu->walker[i]), node);
		if (!pcpu->walker[i])
			return -ENOMEM;
	}
	/* What is in it already, for want of room in the ring, may be paths. */
	if (book || !pcpu->active->used)
		WRITE_ONCE(pcpu->active->book, book);
	return 0;
}

int oprofile_paths_start(struct oprofile_sampling *s)
{
	struct oprofile_paths *p = s->paths;
	int cpu, err = 0;

	lockdep_assert_held(&s->lock);
	p->tables.max = p->tables_max;
	p->waker = s->waker;
	if (p->depth && !p->book) {
		struct oprofile_path_book *book = oprofile_path_book_new(++p->epoch, ilog2(p->nodes), &p->lock,
								       s->waker);

		if (!book)
			return -ENOMEM;
		spin_lock(&p->lock);
		p->book = book;
		spin_unlock(&p->lock);
	}
	for_each_possible_cpu(cpu) {
		struct oprofile_cpu *pcpu = per_cpu_ptr(s->cpu, cpu);

		memset(&pcpu->path_stats, 0, sizeof(pcpu->path_stats));
		err = err ?: oprofile_paths_take_on(s, pcpu);
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

void oprofile_paths_shutdown(struct oprofile_paths *p)
{
	struct oprofile_path_table *table, *next;
	struct oprofile_path_book *book, *old;

	/* A task may still be learning, and finds none. */
	spin_lock(&p->lock);
	book = p->book;
	old = p->old;
	p->old = p->book = NULL;
	list_for_each_entry_safe(table, next, &p->tables.list, list)
		oprofile_path_table_remove(&p->tables, table);
	spin_unlock(&p->lock);
	oprofile_path_book_free(old);
	oprofile_path_book_free(book);
}
