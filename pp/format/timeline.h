/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h -- the samples of each interval as bars of text, as CSV or as JSON. */
#ifndef PP_FORMAT_TIMELINE_H
#define PP_FORMAT_TIMELINE_H

#include <stdio.h>

#include "pp/format/format.h"
#include "pp/profile/timeline.h"

/*
 * Write @timeline. @ops: pp_format_text, pp_format_csv or pp_format_json. The text has bars, in
 * which letters stand for the busiest images or symbols; CSV and JSON have all numbers. @command:
 * the command line. Return 0 or -ENOMEM. The caller checks ferror(@out).
 */
int pp_timeline_write(const struct pp_timeline *timeline, const struct pp_format_ops *ops,
		      const struct pp_format_options *options, const char *command, FILE *out);

#endif
