/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles.h -- profiles: files that programs wrote about themselves, read instead of a session or
 * together with one.
 *
 * If both are read, the session contributes the kernel's part of the programs, which a program
 * cannot sample itself.
 */
#ifndef PP_SESSION_PROFILES_H
#define PP_SESSION_PROFILES_H

#include "pp/session/session.h"

/* Add all profiles that match the specification, or those of an archive. Return 0, or a negative
 * errno with the cause in the log. */
int pp_profiles_add(struct pp_session *session, struct pp_log *log);
/* Return whether to read a session in addition to the profiles: yes if the specification or
 * @session_dir names one, or if there are no profiles. @samples: the default samples directory. */
bool pp_profiles_want_sessions(const struct pp_session *session, const char *session_dir,
			       const char *samples);
/* Keep only those sample files of sessions that have the kernel's samples of the profiles'
 * programs. */
void pp_profiles_keep_kernel(struct pp_session *session);
/* Write to the log why no profile has samples. Return a negative errno. */
int pp_profiles_report_empty(const struct pp_session *session, struct pp_log *log);

/* Add the paths of the session's source @i as trees. Return 0 or -ENOMEM. */
int pp_profile_add_trees(struct pp_session *session, size_t i);

#endif
