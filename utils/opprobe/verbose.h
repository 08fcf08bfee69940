/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbose.h -- messages about a run, selected by bit masks: -v for users, -D for developers.
 *
 * Warnings of the probe in the program are always printed: see warnings.h.
 */
#ifndef UTILS_OPPROBE_VERBOSE_H
#define UTILS_OPPROBE_VERBOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opprobe/report.h"

/* Bits of -v, for users. */
#define PROBE_VERBOSE_FILES	1u
#define PROBE_VERBOSE_RECOVERED	2u
#define PROBE_VERBOSE_TIME		4u

/* Bits of -D, for developers. */
#define PROBE_VERBOSE_WORDS	1u
#define PROBE_VERBOSE_SIGNALS	2u
#define PROBE_VERBOSE_END		4u

/* Parse a mask: a number, or names of bits separated by commas. Return 0, or -EINVAL for an unknown
 * bit or name. */
int probe_verbose_mask(uint32_t *ret, const char *text, bool for_developers);

/* Print the bits with their names and meanings. */
void probe_verbose_list(FILE *to, bool for_developers);

/* Print the name and size of each file in @dir that is new or changed compared with the list
 * @before. */
void probe_print_files(const char *dir, const struct probe_files *before);

/*
 * Print the time since @start_ns (by CLOCK_MONOTONIC), and the CPU time of all ended children.
 */
void probe_print_time(uint64_t start_ns);

#endif
