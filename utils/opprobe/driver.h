/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * driver.h -- selection of the probe's driver (source of sample signals) if the user has not chosen
 * one.
 */
#ifndef UTILS_OPPROBE_DRIVER_H
#define UTILS_OPPROBE_DRIVER_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * If the user has not chosen a driver and the kernel refuses the best one, select the next driver,
 * print the cause and the sample rate on stderr, and set @words->refused to the errno.
 */
void probe_driver_choose(struct raw_probe_words *words);

/* If --pc can only use timers, and @rate exceeds the kernel's tick rate, print the cause and the
 * actual rate on stderr. */
void probe_driver_report_pc(unsigned int rate);

/* Check whether the kernel accepts each perf and libvperf event of @words. Return 0, or a negative
 * errno with a message in @error. */
int probe_driver_check(const struct raw_probe_words *words, struct op_reason *error);

#endif
