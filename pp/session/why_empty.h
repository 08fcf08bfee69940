/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_empty.h -- finds the reason for an empty report, and a remedy. Each function stores both in
 * @error and returns a negative errno.
 */
#ifndef PP_SESSION_WHY_EMPTY_H
#define PP_SESSION_WHY_EMPTY_H

#include "libop/session/paths.h"
#include "libop/base/reason.h"
#include "pp/session/session.h"

/* Report that the samples directory @samples_dir of session @name does not exist. @spec: the
 * profile specification of the user. */
int pp_report_no_session(const struct op_session_paths *paths, const char *name,
			 const char *samples_dir, const struct pp_spec *spec,
			 struct op_reason *error);
/* Report that the user may not read @samples_dir. Name the users who may read it, and the command
 * that gives permission. */
int pp_report_no_access(const struct op_session_paths *paths, const char *samples_dir,
		       struct op_reason *error);
/* Report that the directories of @session have no sample files. */
int pp_report_no_files(const struct op_session_paths *paths, const struct pp_session *session,
		      struct op_reason *error);
/* Report that no file of the session matches @spec. Return PP_SESSION_NO_LEAKS (open.h) if the user
 * asked for leaks and the programs freed all blocks. */
int pp_report_no_match(const struct pp_session *session, const struct pp_spec *spec,
			struct op_reason *error);

#endif
