/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * children.h -- what a process has started.
 */
#ifndef UTILS_OPATTACH_CHILDREN_H
#define UTILS_OPATTACH_CHILDREN_H

#include "utils/opattach/target.h"

/* Whether it has children, or has had some that it waited for. */
bool attach_has_children(const struct attach_target *t);

/* Calls @take for each that it has now. Of one that ends meanwhile some may be passed over. */
typedef void (*attach_child_fn)(void *arg, pid_t child);
void attach_children(const struct attach_target *t, attach_child_fn take, void *arg);

#endif
