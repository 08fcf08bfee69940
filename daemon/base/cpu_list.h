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

#define OPD_CPU_SYSFS	"/sys/devices/system/cpu"

/*
 * The CPUs that @list asks for, whether they are there or not: a list, "all", or "auto" for all but
 * those that @sysfs calls isolated or nohz_full. -EINVAL: none of these, or an empty list.
 */
int opd_cpus_wanted(bool wanted[OPD_MAX_CPUS], const char *list, const char *sysfs);

/*
 * The CPUs that are online, from a file that stays open because it is read every second. Zeroed but
 * for fd = -1: closed.
 */
struct opd_online_cpus {
	int fd;
	char last[4096];	/* what it said */
};

int opd_online_cpus_open(struct opd_online_cpus *o);
void opd_online_cpus_close(struct opd_online_cpus *o);

/* Makes the next answer a change. */
void opd_online_cpus_forget(struct opd_online_cpus *o);

/* 1: not the same as last time, or the first time, and @set tells. 0, or negative errno. */
int opd_online_cpus_changed(struct opd_online_cpus *o, bool set[OPD_MAX_CPUS]);

#endif
