/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- names of --unsafe that no process knows: probably the user mistyped them.
 */
#ifndef UTILS_OPPROBE_UNSAFE_H
#define UTILS_OPPROBE_UNSAFE_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/*
 * Create a file in @dir where processes mark the names that they know; @words passes it on. Return
 * its descriptor, -1 without names, or a negative errno with text.
 */
int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error);

/*
 * Print a line for each name that no process knows, if @reports, and remove the file. @fd may be
 * negative.
 */
void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool reports);

#endif
