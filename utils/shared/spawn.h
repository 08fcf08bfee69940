/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.h -- runs a program in a clean environment, without a shell, and waits for it.
 */
#ifndef UTILS_SHARED_SPAWN_H
#define UTILS_SHARED_SPAWN_H

/*
 * Run the path argv[0] with PATH, LC_ALL=C and our values of OPROFILE_EVENTS_DIR and of the cache's
 * variables as its only environment, and stdin from /dev/null. With @ret_output, collect its stdout
 * and stderr there (malloc'd, up to some KB). Return its exit status, 128 + N if signal N killed
 * it, or a negative errno if it could not run.
 */
int ctl_spawn(char *const argv[], char **ret_output);
/* Run a program that prints times, in our time zone and with our stdout. Otherwise like
 * ctl_spawn(). */
int ctl_spawn_report(char *const argv[]);

/*
 * Return the malloc'd path of oprofiled or a report tool, in our own build tree or installation,
 * never from $PATH. Return NULL if memory is short.
 */
char *ctl_program_find(const char *name);

#endif
