/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_losses.h -- how far the report can be believed: what was taken, stored and lost, and why.
 */
#ifndef PP_FORMAT_TEXT_LOSSES_H
#define PP_FORMAT_TEXT_LOSSES_H

#include "pp/format/format.h"

/* Of one side of a differential profile, or of the report's own session and profile. */
void pp_text_losses(const struct pp_report *report, const struct pp_session *session,
		    const struct pp_profile *profile);

#endif
