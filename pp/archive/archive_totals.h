/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_totals.h -- totals of an archived session that agree with the copied files.
 */
#ifndef PP_ARCHIVE_ARCHIVE_TOTALS_H
#define PP_ARCHIVE_ARCHIVE_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "pp/session/session.h"

/* Return whether the archive of samples directory @i gets corrected totals instead of a copy of
 * the session's. */
bool pp_archive_makes_totals(const struct pp_session *session, size_t i);
/* Write the corrected totals. @out: the new samples directory, with all files in it. Return 0,
 * or a negative errno with the cause in the log. */
int pp_archive_totals(const struct pp_session *session, size_t i, int out, struct pp_log *log);

#endif
