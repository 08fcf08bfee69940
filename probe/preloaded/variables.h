/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.h -- the environment of programs that this one starts, in a program that opattach(1)
 * profiles.
 */
#ifndef PROBE_PRELOADED_VARIABLES_H
#define PROBE_PRELOADED_VARIABLES_H

#include <stdbool.h>

#include "libop/raw/probe_words.h"

/* Set $OPPROBE to @words, and add @libraries, with colons between them, to $LD_PRELOAD. Return
 * false without memory. */
bool variables_make(const char *words, const char *libraries);

/* The same with the present words of $OPPROBE, but with the events @events instead of those in
 * it. */
bool variables_add(const struct raw_probe_words *events, const char *libraries);

/* Set the variables again after variables_unset(). */
bool variables_set(void);

/* Restore what the program had, unless the program has changed it since. */
void variables_unset(void);

#endif
