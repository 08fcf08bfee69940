/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uevents.h -- uevents of the kernel about CPUs and kernel modules that are added or removed.
 */
#ifndef OPD_UEVENTS_H
#define OPD_UEVENTS_H

#include <stddef.h>

enum {
	OPD_UEVENT_CPU = 1 << 0,	/* a CPU went online or offline */
	OPD_UEVENT_MODULE = 1 << 1,	/* a kernel module was loaded or unloaded */
};

/* Return a pollable descriptor for the kernel's uevents, or a negative errno. */
int opd_uevents_open(void);

/* Read all available uevents without blocking. Return the OPD_UEVENT_* bits of the changes that
 * these uevents report. If uevents were lost, return all bits. */
unsigned int opd_uevents_read(int fd);

/* Return the OPD_UEVENT_* bit for the uevent @message ("ACTION@DEVPATH" and further fields), or 0.
 * Public for tests. */
unsigned int opd_uevent_kind(const char *message, size_t len);

#endif
