/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- where the files of this process go, and what they are called.
 */
#ifndef PROBE_PC_NAMES_H
#define PROBE_PC_NAMES_H

#include <stdbool.h>

#include "libop/raw/words.h"
#include "probe/pc/fd.h"

#define PC_PROGRAM	200	/* bytes of a program's name in a file's name, with the NUL */

struct pc_names {
	char dir[PC_PATH];		/* from the root */
	char program[PC_PROGRAM];
	char told[PC_PATH];		/* a FIFO whose reader tells the user; "": there is none */
};

/* Who starts the program has it tell by this variable what went wrong: nothing is printed in its place. */
void pc_names_find_told(struct pc_names *names, char **environ);

/* By $PCT and the environment of a program that has just begun, or of a child of such a one. 0 or negative errno: -EPERM
 * when the directory would be another's. */
int pc_names_find(struct pc_names *names, const struct raw_pct_words *words, char **environ);

/* The value of the variable @name, NULL: it is not set. */
const char *pc_names_variable(char **environ, const char *name);

/* Takes it away: programs that this one goes over to do not find it. */
void pc_names_forget_variable(char **environ, const char *name);

/* Whether the program runs with rights that who started it has not got. */
bool pc_names_is_privileged(char **environ);

/* DIR/PROGRAM.PID[.TURN]SUFFIX; with @pid 0, DIR/PROGRAMSUFFIX. False: too long. */
bool pc_names_path(const struct pc_names *names, char path[PC_PATH], long pid, unsigned int turn, const char *suffix);

#endif
