/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawn.h -- runs a program in a clean environment, without a shell.
 */
#ifndef UTILS_SHARED_SPAWN_H
#define UTILS_SHARED_SPAWN_H

/*
 * Run the program at the path argv[0]. Its environment consists of PATH, LC_ALL=C and the present
 * values of OPROFILE_EVENTS_DIR and of the cache's variables; its stdin is /dev/null. If
 * @ret_output is not NULL, store the first kilobytes of its stdout and stderr there (malloc'd).
 * Return its exit status, 128 + N if signal N killed it, or a negative errno if it could not run.
 */
int ctl_spawn(char *const argv[], char **ret_output);
/* Like ctl_spawn(), but run the program at the path @program under the name argv[0], without output
 * for the caller. For oparchive, a link to opreport, which chooses its task by this name:
 * ctl_program_find() may return the path of opreport. */
int ctl_spawn_as(const char *program, char *const argv[]);
/* Like ctl_spawn(), but for a program that prints times: it uses this process's time zone and
 * stdout. */
int ctl_spawn_report(char *const argv[]);

/*
 * Return the malloc'd path of oprofiled or a report tool in the build tree or installation of this
 * program; never search $PATH. Return NULL if out of memory.
 */
char *ctl_program_find(const char *name);

#endif
