/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored.h -- compares the samples that were read with those that were stored, for each session.
 */
#ifndef PP_PROFILE_STORED_H
#define PP_PROFILE_STORED_H

#include <stdint.h>

#include "pp/session/session.h"

/*
 * Return how many samples the files of session @i may hold that its totals do not have: a daemon that lives has stored them
 * since the totals were written. 0 without a daemon.
 */
uint64_t pp_stored_behind(const struct pp_session *session, size_t i);

/* Warn of each session whose files and totals differ. @read: by session, the samples in its files. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
