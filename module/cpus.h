/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpus.h -- the sampled CPUs, including CPUs that come online later.
 *
 * The caller of each function holds the session's lock. The hotplug callbacks do not take this
 * lock, because they run under cpus_write_lock(). They may read `started`, which changes only with
 * both the session's lock and cpus_read_lock() held.
 */
#ifndef OPROFILE_CPUS_H
#define OPROFILE_CPUS_H

struct oprofile_sampling;

/* Register and unregister the hotplug states, at module load and unload. oprofile_cpus_exit()
 * may be called only when no lookup is queued. */
int oprofile_cpus_init(struct oprofile_sampling *s);
void oprofile_cpus_exit(struct oprofile_sampling *s);

/* Allocate tables and bring the backend online on each CPU. Return 0, or the error of a CPU that
 * cannot be sampled. */
int oprofile_cpus_setup(struct oprofile_sampling *s);
void oprofile_cpus_shutdown(struct oprofile_sampling *s);
/* Free the tables. No CPU may use them any more. */
void oprofile_cpus_release(struct oprofile_sampling *s);

/* Start sampling, with all counters reset to 0. */
void oprofile_cpus_start(struct oprofile_sampling *s);
void oprofile_cpus_stop(struct oprofile_sampling *s);

#endif
