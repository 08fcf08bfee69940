/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsafe.h -- names of --unsafe that no process had: a slip of the user's, who would take samples there for wrong.
 */
#ifndef UTILS_OPPROBE_UNSAFE_H
#define UTILS_OPPROBE_UNSAFE_H

#include "libop/base/reason.h"
#include "libop/raw/probe_words.h"

/* A file in @dir where processes say what they have met; @words tells them. Without names, none: -1. The descriptor, or negative
 * with text. */
int probe_unsafe_open(struct raw_probe_words *words, const char *dir, struct op_reason *error);

/* A line on stderr for each name that nobody met, if @tells; the file goes. @fd may be negative. */
void probe_unsafe_close(int fd, const struct raw_probe_words *words, const char *dir, bool tells);

#endif
