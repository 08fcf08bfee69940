/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- checks whether a program loads a preloaded library, and the paths of our libraries.
 */
#ifndef UTILS_OPPROBE_PROGRAM_H
#define UTILS_OPPROBE_PROGRAM_H

#include <stdbool.h>

#include "libop/base/reason.h"

/*
 * Check whether the program at @path loads a preloaded library, or contains the probe; for the
 * probe of call paths (@by_paths) a note says so. Return 0, or a negative errno with the cause and
 * the way out. Scripts pass: their interpreter decides.
 */
int probe_program_check(const char *path, bool by_paths, struct op_reason *error);

/*
 * Find the library @name: in our build tree, or in the installation that we belong to, wherever
 * that was moved. Store its malloc'd path in *@ret. Return 0, or a negative errno with text.
 */
int probe_library_find(char **ret, const char *name, struct op_reason *error);

#endif
