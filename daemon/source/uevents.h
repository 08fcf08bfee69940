/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uevents.h -- what the kernel announces to everybody: CPUs and kernel modules that come and go.
 */
#ifndef OPD_UEVENTS_H
#define OPD_UEVENTS_H

#include <stddef.h>

enum {
	OPD_UEVENT_CPU = 1 << 0,	/* a CPU went online or offline */
	OPD_UEVENT_MODULE = 1 << 1,	/* a kernel module was loaded or unloaded */
};

/* A descriptor to poll for input, or negative errno. */
int opd_uevents_open(void);

/* Takes all that is there, without blocking. Which of OPD_UEVENT_* were, or may have been, in it. */
unsigned int opd_uevents_read(int fd);

/* The same for one message, "ACTION@DEVPATH" and what follows. */
unsigned int opd_uevent_kind(const char *message, size_t len);

#endif
