/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h -- opcontrol --doctor: a page about the parts of this machine that sampling needs, with
 * a way out for each part that does not work.
 */
#ifndef UTILS_OPCONTROL_DOCTOR_H
#define UTILS_OPCONTROL_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The result of a check, and of all: the worst of them. The value is opcontrol's exit status. */
enum ctl_health {
	CTL_HEALTH_FINE,
	CTL_HEALTH_LIMITED,	/* health: samples can be taken, with limits */
	CTL_HEALTH_BROKEN,	/* health: no samples can be taken */
};

/* The file system of the session directory. */
struct ctl_disk {
	/* 0; -ETIMEDOUT: it does not answer; or the errno of the system call that failed. The other
	 * members are valid with 0. */
	int error;
	uint64_t free_bytes;
	bool is_read_only;	/* it is mounted read-only */
	bool is_nfs;
};

/* The machine to look at. */
struct ctl_patient {
	const char *root;	/* prefix of paths, for tests; otherwise "" */
	const char *release;	/* of the kernel (uname -r) */
	const char *session_dir;
	int64_t now;		/* seconds since 1970 */
	struct ctl_disk disk;
};

/* Print the page on @out. For tests. */
enum ctl_health ctl_doctor(FILE *out, const struct ctl_patient *p);

/* Examine this machine. @root as in struct ctl_patient. */
enum ctl_health ctl_doctor_here(FILE *out, const char *root, const char *session_dir);

#endif
