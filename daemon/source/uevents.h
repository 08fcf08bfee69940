/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uevents.h -- the kernel's announcements (uevents) of CPUs and kernel modules that are added or
 * removed.
 */
#ifndef OPD_UEVENTS_H
#define OPD_UEVENTS_H

#include <stddef.h>

enum {
	OPD_UEVENT_CPU = 1 << 0,	/* a CPU went online or offline */
	OPD_UEVENT_MODULE = 1 << 1,	/* a kernel module was loaded or unloaded */
};

/* Return a descriptor from which the kernel's announcements can be read, and which can be polled,
 * or a negative errno. */
int opd_uevents_open(void);

/* Read all available announcements, without blocking. Return the kinds (OPD_UEVENT_*) of
 * announcements that they contained, or may have contained. */
unsigned int opd_uevents_read(int fd);

/* Return the kind (OPD_UEVENT_*) of the announcement @message, which is "ACTION@DEVPATH" and
 * further fields; 0: no kind. Declared for tests. */
unsigned int opd_uevent_kind(const char *message, size_t len);

#endif
