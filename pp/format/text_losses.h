/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_losses.h -- accounting of samples: taken, stored, and lost with reasons.
 */
#ifndef PP_FORMAT_TEXT_LOSSES_H
#define PP_FORMAT_TEXT_LOSSES_H

#include "pp/format/format.h"

/* Print the accounting of one side of a differential profile, or of the report's only profile. */
void pp_text_losses(const struct pp_report *report, const struct pp_session *session,
		    const struct pp_profile *profile);

#endif
