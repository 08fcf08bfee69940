/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks.h -- detection of changed executable mappings, which invalidate resolved addresses.
 *
 * A resolved user address stays valid until an executable mapping of its mm changes (exec, fork and
 * exit change the task's identity). So each mm with resolved addresses has a generation, a unique
 * number, which changes with each new executable mapping while mmap_lock is held for writing.
 * Removing a mapping does not change the generation, because no code runs at these addresses until
 * another mapping is made. The table of generations has a fixed size: an mm whose entry was evicted
 * gets a new generation. Changes of an mm without an entry are ignored.
 *
 * Registered kprobes may stop firing: the sysctl kernel.ftrace_enabled=0 disables them at any time
 * without notice. So the probes are tested at registration and before each drain of the tables.
 * While the probes do not fire, each user sample is resolved separately.
 *
 * Several independent users may use the hooks. The first user registers the probes; the last user
 * removes them.
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
	/* the address space; this pointer is compared, but never dereferenced */
	const struct mm_struct *mm;
	u64 generation;
};

struct oprofile_hooks_user {
	struct list_head list;
	/* memory map of the process in which the probes are tested; a reference keeps the mm_struct
	 * allocated after the process has exited */
	struct mm_struct *mm;
};

struct oprofile_hooks {
	struct oprofile_space space[1 << OPROFILE_SPACE_BITS][OPROFILE_SPACE_WAYS];
	/* serializes insertions into the table of generations; a generation changes without this
	 * lock */
	spinlock_t space_lock;
	atomic64_t last_generation;
	/* index of the entry to evict next from a full set of the table; protected by
	 * .space_lock */
	u32 turn;
	struct kprobe mmap, account;
	struct mutex lock;	/* must be held to write the members below */
	struct list_head users;
	bool registered;
	/* whether the kprobes fire and report changes of memory maps; false: each user sample must
	 * be resolved separately */
	bool maps_watched;
	/* reason, as a text, why changes of memory maps are not detected; NULL: they are
	 * detected */
	const char *trouble;
	const struct mm_struct *tried;	/* the mm in which the probes are being tested */
	bool seen;
};

/* Return the generation of @mm, or 0 if the table has no entry for @mm. */
static inline u64 oprofile_generation(const struct oprofile_hooks *h,
				      const struct mm_struct *mm)
{
	const struct oprofile_space *space = h->space[hash_ptr(mm, OPROFILE_SPACE_BITS)];
	int i;

	for (i = 0; i < OPROFILE_SPACE_WAYS; i++) {
		if (READ_ONCE(space[i].mm) != mm)
			continue;
		/* Pairs with oprofile_generation_make(): a reader must not pair @mm with the
		 * generation of the mm that used this entry before. */
		smp_rmb();
		return READ_ONCE(space[i].generation);
	}
	return 0;
}

/* Return the generation of @mm; add an entry for @mm if it is missing. The caller holds @mm's
 * mmap_lock. */
u64 oprofile_generation_make(struct oprofile_hooks *h, const struct mm_struct *mm);

void oprofile_hooks_init(struct oprofile_hooks *h);
/* Register @user as a user of the hooks. The kprobes will be tested in the memory of the current
 * process, so this process should not exit long before @user is unregistered. */
void oprofile_hooks_get(struct oprofile_hooks *h, struct oprofile_hooks_user *user);
void oprofile_hooks_put(struct oprofile_hooks *h, struct oprofile_hooks_user *user);
/* Test whether the kprobes still fire, if the current task can make such a test. */
void oprofile_hooks_check(struct oprofile_hooks *h);

#endif
