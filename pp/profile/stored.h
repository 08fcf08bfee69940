/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored.h -- comparison of the samples in files with the totals, for each session.
 */
#ifndef PP_PROFILE_STORED_H
#define PP_PROFILE_STORED_H

#include <stdint.h>

#include "pp/session/session.h"

/*
 * Return the maximum of samples that the files of session @i may hold beyond its totals: a running
 * daemon stores samples after it writes the totals. Return 0 without a daemon.
 */
uint64_t pp_stored_behind(const struct pp_session *session, size_t i);

/* Warn of each session whose files and totals differ. @read: the samples in the files of each
 * session. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
