/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpus.h -- the CPUs that are sampled, by the backend in use: those that are there, and those that come.
 *
 * Called with the session's lock, which the hotplug callback does not take: it runs under
 * cpus_write_lock(), and `started` changes only under lock and cpus_read_lock() together.
 */
#ifndef OPROFILE_CPUS_H
#define OPROFILE_CPUS_H

struct oprofile_sampling;

/* Module load and unload; by then no task has an errand any more. */
int oprofile_cpus_init(struct oprofile_sampling *s);
void oprofile_cpus_exit(struct oprofile_sampling *s);

/* 0, or why one of them cannot be sampled. */
int oprofile_cpus_setup(struct oprofile_sampling *s);
void oprofile_cpus_shutdown(struct oprofile_sampling *s);
/* Frees the tables, when nobody can be looking at them any more. */
void oprofile_cpus_release(struct oprofile_sampling *s);

/* All books begin at 0. */
void oprofile_cpus_start(struct oprofile_sampling *s);
void oprofile_cpus_stop(struct oprofile_sampling *s);

#endif
