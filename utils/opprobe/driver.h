/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- what makes the probe's samples where the user leaves that open.
 */
#ifndef UTILS_OPPROBE_DRIVER_H
#define UTILS_OPPROBE_DRIVER_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/* Puts what to ask for in place of RAW_PROBE_AUTO. When that is not the best driver, a line on stderr tells why, and how many
 * samples a second there will be; @words->refused is the errno. */
void probe_driver_choose(struct raw_probe_words *words);

/* If timers have to sample for --pc, print the cause and the actual rate instead of @rate on stderr. */
void probe_driver_tell_pc(unsigned int rate);

/* Whether the kernel opens all events that are of perf_events. 0, or negative and why not. */
int probe_driver_check(const struct raw_probe_words *words, struct op_reason *error);

#endif
