/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subsystems.h -- replaces the kernel's functions by subsystems, named by directories of the
 * kernel's source such as "mm", "net/ipv4" or "fs/ext4".
 */
#ifndef PP_PROFILE_SUBSYSTEMS_H
#define PP_PROFILE_SUBSYSTEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/profile/profile.h"

/* Replace the functions of the kernel by subsystems, and sum their counts. Sum all functions of
 * each other binary in one line. The subsystem of a function is the directory of its source file.
 * If source lines were not requested or not found, guess it from the module's path or the
 * function's name. Call this before sorting, on a profile with symbols and without details, arcs,
 * paths and inclusive totals. Return 0 or -ENOMEM. */
int pp_subsystems_fold(struct pp_profile *profile);

/* Return the subsystem of a kernel function, or "(other)". Return NULL for code of programs. @buf:
 * @size bytes for the name. */
const char *pp_subsystem_of_code(char *buf, size_t size, const struct pp_code *code,
				 const struct pp_binary *binary);

/* The following functions are public only for tests. */

/* Write the subsystem of the kernel source file or module @path to @buf, such as "fs/ext4" for
 * "/src/linux-6.1/fs/ext4/inode.c". Return false if @path is not in a kernel source or module
 * directory. */
bool pp_subsystem_of_file(char *buf, size_t size, const char *path);
/* Return the subsystem that the name of a kernel function suggests, or NULL. */
const char *pp_subsystem_of_name(const char *name);

#endif
