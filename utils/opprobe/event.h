/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h -- events of the CPU by name, for a library that knows but numbers.
 */
#ifndef UTILS_OPPROBE_EVENT_H
#define UTILS_OPPROBE_EVENT_H

#include <stddef.h>

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * @text is NAME:COUNT[:UNITMASK[:KERNEL[:USER]]], as opcontrol takes it, of what the CPU's tables and libpfm4 have. @cpu_type: the name of
 * tables; NULL: this machine's. @sysfs: "/sys". 0, or negative with text. -EINVAL: what is wrong is @text.
 */
int probe_event_find(struct raw_probe_event *ret, const char *text, const char *cpu_type, const char *sysfs,
		     struct op_reason *error);

/* The event as $OPPROBE has it, with the comma behind, into @buf: PROBE_EVENT_WORD bytes are always enough. As snprintf(). */
#define PROBE_EVENT_WORD	128
int probe_event_word(char *buf, size_t size, const struct raw_probe_event *event);

#endif
