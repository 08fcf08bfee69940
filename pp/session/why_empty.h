/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_empty.h -- tells a user why there is nothing to report, and what to do: @why gets it, and negative errno is returned.
 */
#ifndef PP_SESSION_WHY_EMPTY_H
#define PP_SESSION_WHY_EMPTY_H

#include "libop/session/paths.h"
#include "libop/base/reason.h"
#include "pp/session/session.h"

/* Report that session @name has no samples directory @samples_dir. @spec: the specification that
 * the user gave. */
int pp_tell_no_session(const struct op_session_paths *paths, const char *name, const char *samples_dir,
		       const struct pp_spec *spec, struct op_reason *why);
/* @samples_dir may not be read: whom it is for, and how to get in. */
int pp_tell_no_access(const struct op_session_paths *paths, const char *samples_dir,
		       struct op_reason *why);
/* The directories of @session were read and hold not one sample file. */
int pp_tell_no_files(const struct op_session_paths *paths, const struct pp_session *session,
		      struct op_reason *why);
/* Report that no file of the session matches @spec. Return PP_SESSION_NO_LEAKS (open.h) if the
 * programs freed all blocks. */
int pp_tell_none_match(const struct pp_session *session, const struct pp_spec *spec,
			struct op_reason *why);

#endif
