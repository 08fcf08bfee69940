/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- whether a program takes a library that is preloaded, and where ours are.
 */
#ifndef UTILS_OPPROBE_PROGRAM_H
#define UTILS_OPPROBE_PROGRAM_H

#include <stdbool.h>

#include "libop/base/reason.h"

/* Negative errno and the way out, when it does not, and has the probe not in it already: that of call paths (@by_paths), which a
 * note tells. Scripts are not looked at further: their interpreter decides. */
int probe_program_check(const char *path, bool by_paths, struct op_reason *error);

/* The library's path, malloc'd: beside us in a build tree, or where it was installed with us, wherever that was put. */
int probe_library_find(char **ret, const char *name, struct op_reason *error);

#endif
