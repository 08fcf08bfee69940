/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- translation of a CPU event's name into the numbers that the probe takes.
 */
#ifndef UTILS_OPPROBE_EVENT_H
#define UTILS_OPPROBE_EVENT_H

#include <stddef.h>

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * Find an event of the CPU's tables or libpfm4. @text is NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], as
 * opcontrol takes it. @cpu_type: the name of tables, or NULL for this machine's. @sysfs: "/sys".
 * Return 0, or a negative errno with text; -EINVAL if @text is wrong.
 */
int probe_event_find(struct raw_probe_event *ret, const char *text, const char *cpu_type,
		     const char *sysfs, struct op_reason *error);

/*
 * Write the event in the form of $OPPROBE, followed by a comma, into @buf. PROBE_EVENT_WORD bytes
 * always suffice. Return the length as snprintf() does.
 */
#define PROBE_EVENT_WORD	128
int probe_event_word(char *buf, size_t size, const struct raw_probe_event *event);

#endif
