/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbose.h -- what opprobe tells of a run when it is asked to: bits of a mask, for users and for developers. What the
 * library in the program has to tell is told without being asked for: probe_told.h.
 */
#ifndef UTILS_OPPROBE_VERBOSE_H
#define UTILS_OPPROBE_VERBOSE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "libop/base/reason.h"
#include "utils/opprobe/report.h"

/* For users, */
#define PROBE_TELL_FILES	1u
#define PROBE_TELL_RECOVERED	2u
#define PROBE_TELL_TIME		4u

/* and for developers. */
#define PROBE_TELL_WORDS	1u
#define PROBE_TELL_SIGNALS	2u
#define PROBE_TELL_END		4u

/* A number, or names with commas between. -EINVAL: it has a bit that there is not, or a name. */
int probe_tell_mask(uint32_t *ret, const char *text, bool for_developers);

/* The names of the bits. */
void probe_tell_list(FILE *to, bool for_developers);

/* Each file in @dir that is not as it was @before, with its size. */
void probe_tell_files(const char *dir, const struct probe_files *before);

/* Elapsed since @start_ns of CLOCK_MONOTONIC, and the CPU time of all processes that have been waited for. */
void probe_tell_time(int64_t start_ns);
int64_t probe_tell_now(void);

#endif
