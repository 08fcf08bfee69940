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

/* Result of one check. The worst result of all checks is opcontrol's exit status. */
enum ctl_health {
	CTL_HEALTH_FINE,
	CTL_HEALTH_LIMITED,	/* health: samples can be taken, with limits */
	CTL_HEALTH_BROKEN,	/* health: no samples can be taken */
};

/* Result of examining the file system of the session directory. */
struct ctl_disk {
	/* 0, -ETIMEDOUT if the file system does not answer, or the errno of the system call that
	 * failed. The members below are valid only if .error is 0. */
	int error;
	uint64_t free_bytes;
	bool is_read_only;	/* whether the file system is mounted read-only */
	bool is_nfs;
};

/* The machine to examine. */
struct ctl_patient {
	/* prefix that tests set for the paths of system files; otherwise "" */
	const char *root;
	const char *release;	/* kernel release (uname -r) */
	const char *session_dir;
	int64_t now;		/* current time in seconds since 1970 */
	struct ctl_disk disk;
};

/* Check the machine @p, and print the report on @out. Return the worst result. Declared for
 * tests. */
enum ctl_health ctl_doctor(FILE *out, const struct ctl_patient *p);

/* Check this machine, and print the report on @out. @root: as in struct ctl_patient. Return the
 * worst result. */
enum ctl_health ctl_doctor_here(FILE *out, const char *root, const char *session_dir);

#endif
