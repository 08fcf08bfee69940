/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * safe.h -- checking whether a stopped thread may call a function at the place where it is.
 *
 * A thread must not call a function while it may hold a lock for which the call would wait: in the
 * dynamic loader, in malloc(), or in functions that change the environment. The thread's call path
 * shows that. Other threads continue meanwhile and release their locks.
 */
#ifndef UTILS_OPATTACH_SAFE_H
#define UTILS_OPATTACH_SAFE_H

#include "utils/opattach/walk.h"

/* Return 0 if the thread may call a function; -EAGAIN with its place as text if not; or -ENOMEM. */
int attach_check_safe(const struct attach_walk *w, struct op_reason *error);

#endif
