/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * safe.h -- whether a thread may be made to call something where it stands.
 *
 * It may not where it holds what the call would wait for: in the loader, in malloc(), in what changes the environment and
 * the like. Its path tells. Others go on meanwhile, so what they hold they give back.
 */
#ifndef UTILS_OPATTACH_SAFE_H
#define UTILS_OPATTACH_SAFE_H

#include "utils/opattach/walk.h"

/* Return 0, or -EAGAIN with text that says where the thread is. */
int attach_check_safe(const struct attach_walk *w, struct op_reason *error);

#endif
