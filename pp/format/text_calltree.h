/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_calltree.h -- call paths as an indented list: callees below their callers, or callers below
 * their callees.
 */
#ifndef PP_FORMAT_TEXT_CALLTREE_H
#define PP_FORMAT_TEXT_CALLTREE_H

#include "pp/format/format.h"

/* 0 or -ENOMEM. */
int pp_text_calltree(const struct pp_report *report);

#endif
