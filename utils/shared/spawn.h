/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.h -- runs a program and waits for it: no shell, a clean environment.
 */
#ifndef UTILS_SHARED_SPAWN_H
#define UTILS_SHARED_SPAWN_H

/*
 * Runs argv[0] (a path) with only PATH, LC_ALL=C and, where we have it, OPROFILE_EVENTS_DIR set, and stdin
 * from /dev/null. With @ret_output,
 * its stdout and stderr are collected there (malloc'd, at most some KB); otherwise both are ours.
 * Returns its exit status, 128 + N if killed by signal N, or negative errno when it could not run.
 */
int ctl_spawn(char *const argv[], char **ret_output);

#endif
