/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * safe.h -- checks whether a stopped thread may call a function at its present place.
 *
 * It may not while it may hold a lock that the call would wait for: in the loader, in malloc(), or
 * in functions that change the environment. Its call path shows that. Other threads go on meanwhile
 * and release their locks.
 */
#ifndef UTILS_OPATTACH_SAFE_H
#define UTILS_OPATTACH_SAFE_H

#include "utils/opattach/walk.h"

/* Return 0, or -EAGAIN with text that says where the thread is. */
int attach_check_safe(const struct attach_walk *w, struct op_reason *error);

#endif
