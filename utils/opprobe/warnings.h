/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * warnings.h -- receives warnings that the probe sends from profiled programs, because the probe
 * does not print there. Also reports names in --unsafe that no process has found, probably because
 * of a typing error. Only profiled processes can look up functions and files, so they mark the
 * names that they have found in a shared file, which has one byte for each name.
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

/* Print the received warnings, each only once, and release @warnings. @warnings need not be
 * open. */
void probe_warnings_close(struct probe_warnings *warnings);

/*
 * Create a file in @dir in which processes mark the names of --unsafe that they find, and store its
 * name in @words. Return its descriptor, -1 if @words has no such names, or a negative errno with a
 * message in @error.
 */
int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error);

/*
 * If @reports, print a line for each name of --unsafe that no process has found. Remove the file
 * @fd. @fd may be negative.
 */
void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports);

#endif
