/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- checking whether a program loads a preloaded library, and finding the libraries to
 * preload.
 */
#ifndef UTILS_OPPROBE_PROGRAM_H
#define UTILS_OPPROBE_PROGRAM_H

#include <stdbool.h>

#include "libop/base/reason.h"

/*
 * Check whether the program at @path loads a preloaded library. For call paths (@by_paths), also
 * accept a static program that has opprobe.o linked in. Return 0, or a negative errno with the
 * cause and the way out in @error. Scripts and other files that are not ELF files are accepted.
 */
int probe_program_check(const char *path, bool by_paths, struct op_reason *error);

/*
 * Find the library @name in the build tree or in the installation to which this program belongs,
 * which may have been moved. Store its path in *@ret; the caller frees it. Return 0, or a negative
 * errno with a message in @error.
 */
int probe_library_find(char **ret, const char *name, struct op_reason *error);

#endif
