/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- the choice of a sample driver for the probe where the user leaves it open.
 */
#ifndef UTILS_OPPROBE_DRIVER_H
#define UTILS_OPPROBE_DRIVER_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * Replace RAW_PROBE_AUTO by the best driver that works here. If a better one was refused, print the
 * cause and the sample rate on stderr, and set @words->refused to the errno.
 */
void probe_driver_choose(struct raw_probe_words *words);

/* If timers have to sample for --pc, print the cause and the actual rate instead of @rate on
 * stderr. */
void probe_driver_report_pc(unsigned int rate);

/* Return 0 if the kernel opens each perf event of @words, or a negative errno with text. */
int probe_driver_check(const struct raw_probe_words *words, struct op_reason *error);

#endif
