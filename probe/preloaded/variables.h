/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variables.h -- the variables $OPPROBE and $LD_PRELOAD for programs that this program starts while
 * opattach(1) profiles it.
 */
#ifndef PROBE_PRELOADED_VARIABLES_H
#define PROBE_PRELOADED_VARIABLES_H

#include <stdbool.h>

#include "libop/raw/probe_words.h"

/* Set $OPPROBE to @words, and append @libraries, separated by colons, to $LD_PRELOAD. Return false
 * if out of memory. */
bool variables_make(const char *words, const char *libraries);

/* Replace the events in $OPPROBE by @events, and append @libraries to $LD_PRELOAD. Return false if
 * out of memory. */
bool variables_add(const struct raw_probe_words *events, const char *libraries);

/* Set the variables again after variables_unset(). Return false if out of memory. */
bool variables_set(void);

/* Restore the values that the variables had before, except if the program has changed them in the
 * meantime. */
void variables_unset(void);

#endif
