/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stored.h -- compares the samples that were read with those that were stored, for each session.
 */
#ifndef PP_PROFILE_STORED_H
#define PP_PROFILE_STORED_H

#include <stdint.h>

#include "pp/session/session.h"

/* Warn of each session whose files and totals differ. @read: by session, the samples in its files. */
void pp_stored_check(const struct pp_session *session, const uint64_t *read, struct pp_log *log);

#endif
