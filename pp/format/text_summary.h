/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_summary.h -- programs, and below each the files with its samples.
 */
#ifndef PP_FORMAT_TEXT_SUMMARY_H
#define PP_FORMAT_TEXT_SUMMARY_H

#include "pp/format/format.h"

void pp_text_summary(const struct pp_report *report);

#endif
