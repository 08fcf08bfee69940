/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- converts names of CPU events to the numbers (such as perf's config) that the probe
 * uses.
 */
#ifndef UTILS_OPPROBE_EVENT_H
#define UTILS_OPPROBE_EVENT_H

#include <stddef.h>

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * Look up a CPU event in the event tables of a CPU, or in libpfm4. @text:
 * NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], as for opcontrol. @cpu_type: CPU type whose tables are
 * used; NULL: the CPU of this machine. @sysfs: "/sys". Return 0, -EINVAL if @text is invalid, or
 * another negative errno; on errors @error has a message.
 */
int probe_event_find(struct raw_probe_event *ret, const char *text, const char *cpu_type,
		     const char *sysfs, struct op_reason *error);

/*
 * Write the event in the syntax of $OPPROBE, followed by a comma, to @buf. A buffer of
 * PROBE_EVENT_WORD bytes is always large enough. Return the length like snprintf().
 */
#define PROBE_EVENT_WORD	128
int probe_event_word(char *buf, size_t size, const struct raw_probe_event *event);

#endif
