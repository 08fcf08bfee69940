/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subsystems.h -- subsystems of the Linux kernel, named by directories of its source, such as "mm",
 * "net/ipv4" or "fs/ext4", in place of the kernel's functions.
 */
#ifndef PP_PROFILE_SUBSYSTEMS_H
#define PP_PROFILE_SUBSYSTEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/profile/profile.h"

/* Replace the functions of the kernel by subsystems, and sum their counts; sum the functions of
 * each other binary in one line. A function's subsystem is the directory of its source file, if
 * lines were requested and found; else the directory that the module's path or the function's name
 * suggests. Call this before sorting, for a profile with symbols and without details, arcs, paths
 * and totals. Return 0 or -ENOMEM. */
int pp_subsystems_fold(struct pp_profile *profile);

/* Return the subsystem of a function of the kernel, NULL for code of programs, or "(other)". @buf
 * has room for a name. */
const char *pp_subsystem_of_code(char *buf, size_t size, const struct pp_code *code,
				 const struct pp_binary *binary);

/* The following functions are declared for tests. */

/* Write the subsystem of a source file or module of the kernel, such as "fs/ext4" of
 * "/src/linux-6.1/fs/ext4/inode.c". Return false if the path is not one of the kernel's. */
bool pp_subsystem_of_file(char *buf, size_t size, const char *path);
/* Return the subsystem that the name of a function suggests, or NULL. */
const char *pp_subsystem_of_name(const char *name);

#endif
