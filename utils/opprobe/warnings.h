/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- receiving the warnings of the probe in profiled programs, and printing them. The
 * probe does not print in the program. Also reporting names of --unsafe that no process has found,
 * probably because the user mistyped them: only the profiled processes can find functions and files
 * by name, so they share a file with one byte for each name, and mark the names that they find.
 */
#ifndef UTILS_OPPROBE_WARNINGS_H
#define UTILS_OPPROBE_WARNINGS_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

struct probe_warnings {
	char *path;		/* path of the FIFO; NULL: programs cannot send warnings */
	int fd;
};

/*
 * Create a FIFO in @dir, through which programs that are started from now on send warnings. On
 * failure print a message.
 */
void probe_warnings_open(struct probe_warnings *warnings, const char *dir);

/* Print each different warning once, and release @warnings, which may be unopened. */
void probe_warnings_close(struct probe_warnings *warnings);

/*
 * Create a file in @dir in which processes mark the names that they find, and store its name in
 * @words. Return its descriptor, -1 if @words has no names, or a negative errno with a message in
 * @error.
 */
int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error);

/*
 * If @reports, print a line for each name that no process has found. Remove the file. @fd may be
 * negative.
 */
void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports);

#endif
