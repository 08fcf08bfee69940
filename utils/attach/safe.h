/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * safe.h -- whether a thread may be made to call something where it stands.
 *
 * It may not where it holds what the call would wait for: in the loader, in malloc(), in what changes the environment and
 * the like. Its path tells. Others go on meanwhile, so what they hold they give back.
 */
#ifndef ATTACH_SAFE_H
#define ATTACH_SAFE_H

#include "utils/attach/walk.h"

/* 0, or -EAGAIN and where it is. @allocates: what is called does; else malloc() and its like may be on its path. */
int attach_check_safe(const struct attach_walk *w, bool allocates, struct op_reason *why);

#endif
