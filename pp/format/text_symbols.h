/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_symbols.h -- the list of symbols and, with --details, their addresses.
 */
#ifndef PP_FORMAT_TEXT_SYMBOLS_H
#define PP_FORMAT_TEXT_SYMBOLS_H

#include "pp/format/format.h"

int pp_text_symbols(const struct pp_report *report);	/* 0 or -ENOMEM */

#endif
