/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespaces.h -- comparison of a process' namespaces with the daemon's. */
#ifndef OPD_NAMESPACES_H
#define OPD_NAMESPACES_H

#include <stdbool.h>
#include <sys/types.h>

/* Return whether process @tgid below @proc_dir is known to have another namespace of @kind
 * ("mnt", "pid") than the daemon. */
bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind);

#endif
