/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make.h -- making of a profile from the sample files of a session.
 */
#ifndef PP_JOIN_MAKE_H
#define PP_JOIN_MAKE_H

#include "pp/profile/profile.h"

/*
 * Make a profile: sum the samples in all files of @session, which must outlive the profile. Skip
 * unreadable files with a warning. @images may be NULL if @options->symbols is false. Return 0, or
 * a negative errno with the reason in the log. If no samples exist, this is an error, too. The
 * caller frees *@ret with pp_profile_destroy().
 */
int pp_profile_make(struct pp_profile **ret, const struct pp_session *session,
		    struct pp_images *images, const struct pp_profile_options *options,
		    struct pp_log *log);

#endif
