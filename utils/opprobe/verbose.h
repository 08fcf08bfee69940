/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbose.h -- prints messages about a run. The user selects messages by the bits of -v, a
 * developer by the bits of -D. Warnings of the probe in the program are always printed
 * (warnings.h).
 */
#ifndef UTILS_OPPROBE_VERBOSE_H
#define UTILS_OPPROBE_VERBOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opprobe/report.h"

/* Bits of -v: messages for users. */
#define PROBE_VERBOSE_FILES	1u
#define PROBE_VERBOSE_RECOVERED	2u
#define PROBE_VERBOSE_TIME		4u

/* Bits of -D: messages for developers. */
#define PROBE_VERBOSE_WORDS	1u
#define PROBE_VERBOSE_SIGNALS	2u
#define PROBE_VERBOSE_END		4u

/* Parse the argument of -v or (@for_developers) of -D: a number, or names of bits separated by
 * commas. Return 0, or -EINVAL for an unknown bit or name. */
int probe_verbose_mask(uint32_t *ret, const char *text, bool for_developers);

/* Print the bits of -v or (@for_developers) of -D with their names and meanings. */
void probe_verbose_list(FILE *to, bool for_developers);

/* Print the name and the size of each file in @dir that is new, or has changed since the list
 * @before was made. */
void probe_print_files(const char *dir, const struct probe_files *before);

/*
 * Print the time since @start_ns (by CLOCK_MONOTONIC), and the CPU time of all ended children.
 */
void probe_print_time(uint64_t start_ns);

#endif
