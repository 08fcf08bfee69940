/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- reporting names of --unsafe that no process has found, probably because the user
 * mistyped them.
 */
#ifndef UTILS_OPPROBE_UNSAFE_H
#define UTILS_OPPROBE_UNSAFE_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

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
