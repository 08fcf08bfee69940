/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- conversion of CPU event names to the numbers that the probe uses.
 */
#ifndef UTILS_OPPROBE_EVENT_H
#define UTILS_OPPROBE_EVENT_H

#include <stddef.h>

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * Look up an event in the event tables of this CPU, or in libpfm4. @text:
 * NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], as for opcontrol. @cpu_type: CPU type whose tables to use;
 * NULL: this machine. @sysfs: "/sys". Return 0, or a negative errno with a message in @error;
 * -EINVAL if @text is invalid.
 */
int probe_event_find(struct raw_probe_event *ret, const char *text, const char *cpu_type,
		     const char *sysfs, struct op_reason *error);

/*
 * Store the event in the syntax of $OPPROBE, followed by a comma, in @buf. PROBE_EVENT_WORD bytes
 * are always enough. Return the length like snprintf().
 */
#define PROBE_EVENT_WORD	128
int probe_event_word(char *buf, size_t size, const struct raw_probe_event *event);

#endif
