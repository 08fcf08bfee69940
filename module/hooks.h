/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks.h -- notices of what makes a known address mean something else: changes of executable mappings.
 *
 * A resolved user address stays valid until an executable mapping of its mm changes in place
 * (exec, fork and exit change the task's identity). So each mm in which something was looked up has
 * a generation, a number that no other ever had, and gets a new one with every new executable
 * mapping, while mmap_lock is held for writing. Removing a mapping needs none: nothing runs there
 * until something is mapped again. An mm whose place in the table another one took is looked up anew;
 * what mms nobody looked into do is of no consequence to anybody.
 *
 * Probes that are registered need not fire: kernel.ftrace_enabled=0 stops them at any moment, and
 * nobody is told. So they are tried, at first and before tables are drained, and while they are
 * silent each user sample is looked up anew.
 *
 * They know nothing of who uses them: the first user has the probes registered, the last one removed, and
 * what one does disturbs no other.
 */
#ifndef OPROFILE_HOOKS_H
#define OPROFILE_HOOKS_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

struct mm_struct;

#define OPROFILE_SPACE_BITS	10
#define OPROFILE_SPACE_WAYS	4

struct oprofile_space {
	const struct mm_struct *mm;	/* compared only */
	u64 generation;
};

struct oprofile_hooks_user {
	struct list_head list;
	struct mm_struct *mm;	/* where the probes may be tried; pinned, but may be dead */
};

struct oprofile_hooks {
	struct oprofile_space space[1 << OPROFILE_SPACE_BITS][OPROFILE_SPACE_WAYS];
	spinlock_t space_lock;		/* of putting an mm in; a generation is changed without */
	atomic64_t last_generation;
	u32 turn;			/* space_lock: who goes next where there is no room */
	struct kprobe mmap, account;
	struct mutex lock;	/* of what follows, but for reading */
	struct list_head users;
	bool registered;
	bool maps_watched;	/* false: every user sample must be resolved afresh */
	const char *trouble;	/* why so, or NULL */
	const struct mm_struct *tried;	/* a new mapping of it is a trial */
	bool seen;
};

/* 0: of that mm nothing is known. */
static inline u64 oprofile_generation(const struct oprofile_hooks *h,
				      const struct mm_struct *mm)
{
	const struct oprofile_space *space = h->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	int i;

	for (i = 0; i < OPROFILE_SPACE_WAYS; i++) {
		if (READ_ONCE(space[i].mm) != mm)
			continue;
		smp_rmb();	/* pairs with oprofile_generation_make(): no generation of who was there before */
		return READ_ONCE(space[i].generation);
	}
	return 0;
}

/* The same, but not 0. The caller holds @mm's lock. */
u64 oprofile_generation_make(struct oprofile_hooks *h, const struct mm_struct *mm);

void oprofile_hooks_init(struct oprofile_hooks *h);
/* In a process about as long-lived as @user is: in its memory the probes are tried. */
void oprofile_hooks_get(struct oprofile_hooks *h, struct oprofile_hooks_user *user);
void oprofile_hooks_put(struct oprofile_hooks *h, struct oprofile_hooks_user *user);
/* Tries the probes, if that can be done in this task. */
void oprofile_hooks_check(struct oprofile_hooks *h);

#endif
