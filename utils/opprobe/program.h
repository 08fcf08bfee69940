/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h -- checks whether a program can be profiled by a preloaded library, and finds the
 * library to preload.
 */
#ifndef UTILS_OPPROBE_PROGRAM_H
#define UTILS_OPPROBE_PROGRAM_H

#include <stdbool.h>

#include "libop/base/reason.h"

/*
 * Check that the program @path will load a preloaded library. @by_paths: call paths are recorded,
 * so also accept a static program with opprobe.o linked in. Accept scripts and other files that are
 * not ELF files. Return 0, or a negative errno with the cause and a remedy in @error.
 */
int probe_program_check(const char *path, bool by_paths, struct op_reason *error);

/*
 * Find the library @name in the build tree or installation that contains this program, even if the
 * installation was moved. Store its path in *@ret; the caller frees it. Return 0, or a negative
 * errno with a message in @error.
 */
int probe_library_find(char **ret, const char *name, struct op_reason *error);

#endif
