/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_profiled.h -- what files that programs wrote of themselves tell about how they were profiled: one line for each
 * thing, however many files there are.
 */
#ifndef PP_FORMAT_TEXT_PROFILED_H
#define PP_FORMAT_TEXT_PROFILED_H

#include <stdio.h>

#include "pp/session/session.h"

/* Commands, and how often CPU time was sampled. */
void pp_text_profiled(FILE *out, const struct pp_session *session);
/* How many of the recorded paths are whole; a report of paths tells it of those that are in it. */
void pp_text_whole_paths(FILE *out, const struct pp_session *session);

#endif
