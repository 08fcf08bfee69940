/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- choosing the output directory and the file names of this process.
 */
#ifndef PROBE_BASE_NAMES_H
#define PROBE_BASE_NAMES_H

#include <stdbool.h>

#include "libop/raw/words.h"
#include "probe/base/fd.h"

/* maximum size of the program's name in an output file's name, including the NUL */
#define NAMES_PROGRAM	200

struct names {
	char dir[FD_PATH];		/* absolute path of the output directory */
	char program[NAMES_PROGRAM];
	/* path of a FIFO whose reader prints messages to the user; "": no FIFO */
	char fifo[FD_PATH];
};

/* Set names->fifo to the FIFO in $OPPROBE_TELL, which opprobe(1) sets. From then on, messages are
 * written to this FIFO instead of stderr. */
void names_find_fifo(struct names *names, char **environ);

/*
 * Choose the directory and the file names, from @words, the parsed value of $PCT, and from the
 * environment that the program had at its start. Return 0 or a negative errno; -EPERM if another
 * user owns the directory.
 */
int names_find(struct names *names, const struct raw_pct_words *words, char **environ);

/* Return the value of the environment variable @name, or NULL. */
const char *names_variable(char **environ, const char *name);

/* Remove the environment variable @name, so that programs executed by this program do not inherit
 * it. */
void names_forget_variable(char **environ, const char *name);

/* Return whether the program has privileges that the user who started it does not have (setuid,
 * setgid or capabilities). */
bool names_is_privileged(char **environ);

/* Store the path DIR/PROGRAM.PID[.TURN]SUFFIX in @path; if @pid is 0, DIR/PROGRAMSUFFIX. Return
 * false if the path is too long. */
bool names_path(const struct names *names, char path[FD_PATH], long pid, unsigned int turn,
		   const char *suffix);

#endif
