/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_callgraph.h -- a block for each function, with its callers above and its callees below.
 */
#ifndef PP_FORMAT_TEXT_CALLGRAPH_H
#define PP_FORMAT_TEXT_CALLGRAPH_H

#include "pp/format/format.h"

int pp_text_callgraph(const struct pp_report *report);	/* 0 or -ENOMEM */

#endif
