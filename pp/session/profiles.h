/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles.h -- profiles: files that programs wrote about themselves. A report reads them instead
 * of a session, or together with a session.
 *
 * A program cannot sample the kernel itself. So if a report reads both, it reads only the kernel's
 * samples from the session.
 */
#ifndef PP_SESSION_PROFILES_H
#define PP_SESSION_PROFILES_H

#include "pp/session/session.h"

/* Add the profiles that the profile specification names or, if it names no profile, all profiles of
 * the archive. Return 0, or a negative errno with the cause in the log. */
int pp_profiles_add(struct pp_session *session, struct pp_log *log);
/* Return whether to read a session in addition to the profiles. This is true if the specification
 * or @session_dir names a session, or if no profiles exist. @samples: the default samples
 * directory. */
bool pp_profiles_need_sessions(const struct pp_session *session, const char *session_dir,
			       const char *samples);
/* Remove all sample files of sessions, except kernel samples of the programs that have a
 * profile. */
void pp_profiles_select_kernel(struct pp_session *session);
/* Write to the log why the profiles have no samples for this report. Return a negative errno. */
int pp_profiles_report_empty(const struct pp_session *session, struct pp_log *log);

/* Add the call paths of source @i, a profile, as trees. Return 0 or -ENOMEM. */
int pp_profile_add_trees(struct pp_session *session, size_t i);

#endif
