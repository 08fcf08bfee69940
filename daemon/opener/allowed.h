/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allowed.h -- the events that opperfopen opens for the service's daemon.
 */
#ifndef OPN_ALLOWED_H
#define OPN_ALLOWED_H

#include <linux/perf_event.h>
#include <stddef.h>

/*
 * Check a request of @size bytes. Set @attr and *@cpu, and return NULL, if the request is for an
 * event that the daemon opens to sample a whole CPU: a sampler, or the notices of fork, exec and
 * mmap. Every field of the request is checked; a field that this function does not know has to be
 * 0. Otherwise return the reason for the refusal, which is a constant. @sysfs: "/sys", or a directory
 * like it, which names the PMUs of hybrid CPUs.
 */
const char *opn_check(struct perf_event_attr *attr, int *cpu, const void *request, size_t size,
		      const char *sysfs);

#endif
