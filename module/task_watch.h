/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_watch.h -- notices of what makes a known address mean something else: changes of executable
 * mappings, and kernel modules that come and go.
 *
 * A resolved user address stays valid until an executable mapping of its mm changes in place
 * (exec, fork and exit change the task's identity). So each mm has a generation, shared with
 * others that hash alike, that is counted up with every new executable mapping, while mmap_lock
 * is held for writing. Removing a mapping needs no count: nothing runs there until something is
 * mapped again.
 */
#ifndef OPROFILE_TASK_WATCH_H
#define OPROFILE_TASK_WATCH_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>

struct mm_struct;

#define OPROFILE_GENERATION_BITS	9

struct oprofile_task_watch {
	atomic_t generation[1 << OPROFILE_GENERATION_BITS];
	struct kprobe mmap, account;
	struct notifier_block module;
	bool maps_watched;	/* false: no kprobes; every user sample must be resolved afresh */
};

static inline u32 oprofile_generation(const struct oprofile_task_watch *w,
				      const struct mm_struct *mm)
{
	return atomic_read(&w->generation[hash_ptr(mm, OPROFILE_GENERATION_BITS)]);
}

int oprofile_task_watch_setup(struct oprofile_task_watch *w);
void oprofile_task_watch_shutdown(struct oprofile_task_watch *w);

#endif
