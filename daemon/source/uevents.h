/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uevents.h -- reads the kernel's announcements about CPUs and kernel modules that are added or
 * removed.
 */
#ifndef OPD_UEVENTS_H
#define OPD_UEVENTS_H

#include <stddef.h>

enum {
	OPD_UEVENT_CPU = 1 << 0,	/* a CPU went online or offline */
	OPD_UEVENT_MODULE = 1 << 1,	/* a kernel module was loaded or unloaded */
};

/* Return a descriptor to poll for input, or a negative errno. */
int opd_uevents_open(void);

/* Read all available messages, without blocking. Return which of OPD_UEVENT_* they contained, or
 * may have contained. */
unsigned int opd_uevents_read(int fd);

/* Return the kind of one message: "ACTION@DEVPATH" and further fields. Declared for tests. */
unsigned int opd_uevent_kind(const char *message, size_t len);

#endif
