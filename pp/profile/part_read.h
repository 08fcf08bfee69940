/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * part_read.h -- summing of a part by one thread.
 */
#ifndef PP_PROFILE_PART_READ_H
#define PP_PROFILE_PART_READ_H

#include "pp/profile/part.h"

/* Read and sum all files of a part. Return 0, -ENOMEM, or another error with the reason in the
 * part's log. */
int pp_part_read(struct pp_part *part, const struct pp_session *session, struct pp_images *images,
		 const struct pp_profile_options *options, const struct pp_log *log);

#endif
