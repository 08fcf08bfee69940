/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_profiled.h -- facts from programs' own files about how they were profiled, one line for each
 * fact, for all files together.
 */
#ifndef PP_FORMAT_TEXT_PROFILED_H
#define PP_FORMAT_TEXT_PROFILED_H

#include <stdio.h>

#include "pp/session/session.h"

/* Print commands, and the rates of sampling CPU time. */
void pp_text_profiled(FILE *out, const struct pp_session *session);
/* Print the share of recorded paths that are whole. A report of paths prints the share of its
 * own paths. */
void pp_text_whole_paths(FILE *out, const struct pp_session *session);

#endif
