/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_empty.h -- tells a user why there is nothing to report, and what to do.
 */
#ifndef PP_SESSION_WHY_EMPTY_H
#define PP_SESSION_WHY_EMPTY_H

#include "libop/session/paths.h"
#include "pp/base/log.h"
#include "pp/session/session.h"

/* There is no samples directory @samples_dir for session @name. */
void pp_tell_no_session(const struct op_session_paths *paths, const char *name,
			const char *samples_dir, struct pp_log *log);
/* @samples_dir may not be read: whom it is for, and how to get in. */
void pp_tell_no_access(const struct op_session_paths *paths, const char *samples_dir,
		       struct pp_log *log);
/* The directories of @session were read and hold not one sample file. */
void pp_tell_no_files(const struct op_session_paths *paths, const struct pp_session *session,
		      struct pp_log *log);
/* There are files, but @spec lets none pass. */
void pp_tell_none_match(const struct pp_session *session, const struct pp_spec *spec,
			struct pp_log *log);

#endif
