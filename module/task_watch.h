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
 *
 * Probes that are registered need not fire: kernel.ftrace_enabled=0 stops them at any moment, and
 * nobody is told. So they are tried, at setup and before tables are drained, and while they are
 * silent each user sample is looked up anew.
 */
#ifndef OPROFILE_TASK_WATCH_H
#define OPROFILE_TASK_WATCH_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/notifier.h>

struct mm_struct;

#define OPROFILE_GENERATION_BITS	9

struct oprofile_task_watch {
	atomic_t generation[1 << OPROFILE_GENERATION_BITS];
	struct kprobe mmap, account;
	struct notifier_block module;
	struct mutex lock;	/* of what follows, but for reading */
	bool registered;
	bool maps_watched;	/* false: every user sample must be resolved afresh */
	const char *trouble;	/* why so, or NULL */
	struct mm_struct *reader;	/* where kernel threads try the probes; pinned, but may be dead */
	const struct mm_struct *tried;	/* a new mapping of it is a trial */
	bool seen;
};

static inline u32 oprofile_generation(const struct oprofile_task_watch *w,
				      const struct mm_struct *mm)
{
	return atomic_read(&w->generation[hash_ptr(mm, OPROFILE_GENERATION_BITS)]);
}

void oprofile_task_watch_init(struct oprofile_task_watch *w);
/* In the process that reads `buffer`. */
int oprofile_task_watch_setup(struct oprofile_task_watch *w);
/* Tries the probes, unless the caller is an exiting process. */
void oprofile_task_watch_check(struct oprofile_task_watch *w);
void oprofile_task_watch_shutdown(struct oprofile_task_watch *w);

#endif
