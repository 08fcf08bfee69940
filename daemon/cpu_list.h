/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_list.h -- lists of CPUs as sysfs writes them: "0-3,5".
 */
#ifndef OPD_CPU_LIST_H
#define OPD_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define OPD_MAX_CPUS	8192

/* Sets set[i] for each CPU i of the list, clears the others. -EINVAL: not such a list. */
int opd_cpu_list_parse(bool set[OPD_MAX_CPUS], const char *text);

/* The CPUs that are online now. Negative errno. */
int opd_cpu_list_online(bool set[OPD_MAX_CPUS]);

#endif
