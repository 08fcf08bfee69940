/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- selects the probe's driver (the source of its sampling signals) if the user has not
 * chosen one.
 */
#ifndef UTILS_OPPROBE_DRIVER_H
#define UTILS_OPPROBE_DRIVER_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * If the user has not chosen a driver, and the kernel refuses the best driver, select the next one.
 * Print the cause and the sampling rate on stderr, and store the errno in @words->refused.
 */
void probe_driver_choose(struct raw_probe_words *words);

/* If --pc has to use timers, and @rate exceeds the rate of the kernel's ticks, print the cause and
 * the actual rate on stderr. */
void probe_driver_report_pc(unsigned int rate);

/* Check that the kernel accepts each perf event and each libvperf event of @words. Return 0, or a
 * negative errno with a message in @error. */
int probe_driver_check(const struct raw_probe_words *words, struct op_reason *error);

#endif
