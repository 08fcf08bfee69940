/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backend.h -- what every sampler implements, and what it calls.
 *
 * A backend interrupts each CPU now and then and hands the registers to oprofile_add_sample(),
 * from hard interrupt or NMI context. One backend is in use at a time.
 */
#ifndef OPROFILE_BACKEND_H
#define OPROFILE_BACKEND_H

#include <linux/types.h>

struct dentry;
struct oprofile_session;

struct oprofile_backend {
	const char *cpu_type;

	/* Once, at module load and unload. Process context. */
	int (*init)(struct oprofile_session *s);
	void (*exit)(struct oprofile_session *s);

	/* Files for the backend's settings, in the root of oprofilefs. */
	int (*create_files)(struct oprofile_session *s, struct dentry *root);

	/* Between the opening of `buffer` and its release. Process context. */
	int (*setup)(struct oprofile_session *s);
	void (*shutdown)(struct oprofile_session *s);

	/* On the CPU itself, interrupts off. No sample comes after stop_cpu() returns. */
	void (*start_cpu)(struct oprofile_session *s);
	void (*stop_cpu)(struct oprofile_session *s);

	/* The period in force on @cpu, in units of the event; for stats/. May be NULL. */
	u64 (*period)(struct oprofile_session *s, int cpu);

	/* Time @cpu has been idle so far and has not yet added to its counter. May be NULL. */
	u64 (*idle_now)(struct oprofile_session *s, int cpu);
};

extern const struct oprofile_backend oprofile_backend_timer;

#endif
