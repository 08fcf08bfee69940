/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- receiver of warnings from the probe in profiled programs, which does not print them
 * itself. Also reports names of --unsafe that were not found, probably because of a typing error:
 * only profiled processes can look up functions and files, so they mark the names that they find in
 * a shared file with one byte per name.
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
 * Create a FIFO in @dir, to which programs started from now on send warnings. On failure, print a
 * message.
 */
void probe_warnings_open(struct probe_warnings *warnings, const char *dir);

/* Print each different warning once, and release @warnings, which may not be open. */
void probe_warnings_close(struct probe_warnings *warnings);

/*
 * Create a file in @dir in which processes mark the names that they find, and store its name in
 * @words. Return its descriptor, -1 if @words has no names, or a negative errno with a message in
 * @error.
 */
int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error);

/*
 * If @reports, print a line for each name that was not found. Remove the file. @fd may be negative.
 */
void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports);

#endif
