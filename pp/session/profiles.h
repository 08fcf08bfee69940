/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles.h -- profiles: files that programs wrote of themselves, in place of a session or beside one.
 *
 * Beside them a session gives the kernel's part of their programs, which no program can sample itself.
 */
#ifndef PP_SESSION_PROFILES_H
#define PP_SESSION_PROFILES_H

#include "pp/session/session.h"

/* Reads all that the specification names, or those of an archive, and adds what they have samples in. Negative errno and why. */
int pp_profiles_add(struct pp_session *session, struct pp_log *log);
/* Is a session read beside them? One that is asked for, by the specification or as a directory, or when there are no
 * profiles. @samples: where it would be. */
bool pp_profiles_want_sessions(const struct pp_session *session, const char *session_dir, const char *samples);
/* Of sample files of sessions, leaves those of the kernel's code that ran for the profiles' programs. */
void pp_profiles_keep_kernel(struct pp_session *session);
/* There was no sample in any: why. */
int pp_profiles_tell_empty(const struct pp_session *session, struct pp_log *log);

/* The paths that the session's source @i has, as trees. -ENOMEM. */
int pp_profile_add_trees(struct pp_session *session, size_t i);

#endif
