/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allowed.h -- the events that opperfopen opens for the service's daemon.
 */
#ifndef OPN_ALLOWED_H
#define OPN_ALLOWED_H

#include <linux/perf_event.h>
#include <stddef.h>

/*
 * Check the request @request of @size bytes. If it requests an event that the daemon may open for a
 * whole CPU (an event that takes samples, or an event for records of fork, exec and mmap), set
 * *@attr and *@cpu and return NULL. Otherwise return the reason for the refusal, a constant string.
 * Every field of the request is checked; fields that this function does not know must be 0. @sysfs:
 * "/sys", or a test's directory, which names the PMUs of hybrid CPUs.
 */
const char *opn_check(struct perf_event_attr *attr, int *cpu, const void *request, size_t size,
		      const char *sysfs);

#endif
