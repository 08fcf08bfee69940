/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * children.h -- lists the children of a process.
 */
#ifndef UTILS_OPATTACH_CHILDREN_H
#define UTILS_OPATTACH_CHILDREN_H

#include "utils/opattach/target.h"

/* Return whether the process has children, or has had children and waited for them. */
bool attach_has_children(const struct attach_target *t);

/* Call @take for each child of the process. If a child ends during the walk, other children may be
 * missed. */
typedef void (*attach_child_fn)(void *arg, pid_t child);
void attach_children(const struct attach_target *t, attach_child_fn take, void *arg);

#endif
