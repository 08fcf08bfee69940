/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor.h -- opcontrol --doctor: a report on the features of this machine that sampling needs,
 * with a remedy for each that does not work.
 */
#ifndef UTILS_OPCONTROL_DOCTOR_H
#define UTILS_OPCONTROL_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Result of one check, and the worst result of all checks. The value is opcontrol's exit status. */
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

/* The machine to examine. */
struct ctl_patient {
	const char *root;	/* prefix of paths, for tests; otherwise "" */
	const char *release;	/* kernel release (uname -r) */
	const char *session_dir;
	int64_t now;		/* current time, seconds since 1970 */
	struct ctl_disk disk;
};

/* Print the report on @out. Declared for tests. */
enum ctl_health ctl_doctor(FILE *out, const struct ctl_patient *p);

/* Examine this machine, and print the report on @out. @root: as in struct ctl_patient. */
enum ctl_health ctl_doctor_here(FILE *out, const char *root, const char *session_dir);

#endif
