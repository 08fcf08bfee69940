/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_header.h -- the lines above a report: CPU, events, columns.
 */
#ifndef PP_FORMAT_TEXT_HEADER_H
#define PP_FORMAT_TEXT_HEADER_H

#include "pp/format/format.h"

/* 0 or -ENOMEM. */
int pp_text_header(const struct pp_report *report);

#endif
