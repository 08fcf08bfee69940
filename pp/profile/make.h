/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make.h -- from sample files to a profile.
 */
#ifndef PP_PROFILE_MAKE_H
#define PP_PROFILE_MAKE_H

#include "pp/profile/profile.h"

/*
 * Reads all sample files of @session, which must outlive the profile; @images may be NULL without
 * .symbols. A file that cannot be read is left out with a warning. Fails with the reason in the log, also when not one
 * sample was found.
 */
int pp_profile_make(struct pp_profile **ret, const struct pp_session *session,
		    struct pp_images *images, const struct pp_profile_options *options,
		    struct pp_log *log);

#endif
