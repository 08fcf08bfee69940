/* SPDX-License-Identifier: GPL-2.0-or-later */
/* namespaces.h -- comparison of a process's namespaces with the daemon's namespaces. */
#ifndef OPD_NAMESPACES_H
#define OPD_NAMESPACES_H

#include <stdbool.h>
#include <sys/types.h>

/* Return whether the process @tgid below @proc_dir is known to have another namespace of the kind
 * @kind ("mnt", "pid") than the daemon. */
bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind);

#endif
