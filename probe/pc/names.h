/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- the directory and the names of this process' files.
 */
#ifndef PROBE_PC_NAMES_H
#define PROBE_PC_NAMES_H

#include <stdbool.h>

#include "libop/raw/words.h"
#include "probe/pc/fd.h"

#define PC_PROGRAM	200	/* bytes of a program's name in a file name, with the NUL */

struct pc_names {
	char dir[PC_PATH];		/* absolute */
	char program[PC_PROGRAM];
	/* a FIFO whose reader prints reports to the user; "": none */
	char told[PC_PATH];
};

/* Find the FIFO, which the starter of the program passes in a variable: errors are reported there
 * instead of being printed. */
void pc_names_find_told(struct pc_names *names, char **environ);

/* Find the directory and names by $PCT and the environment of a program that has just begun, or of
 * its child. Return 0 or a negative errno; -EPERM if another user owns the directory. */
int pc_names_find(struct pc_names *names, const struct raw_pct_words *words, char **environ);

/* Return the value of the variable @name, or NULL. */
const char *pc_names_variable(char **environ, const char *name);

/* Remove the variable, so that programs executed by this one do not inherit it. */
void pc_names_forget_variable(char **environ, const char *name);

/* Return whether the program has more rights than its starter. */
bool pc_names_is_privileged(char **environ);

/* Make the path DIR/PROGRAM.PID[.TURN]SUFFIX; with @pid 0, DIR/PROGRAMSUFFIX. Return false if it is
 * too long. */
bool pc_names_path(const struct pc_names *names, char path[PC_PATH], long pid, unsigned int turn,
		   const char *suffix);

#endif
