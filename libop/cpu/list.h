/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h -- lists of CPUs as sysfs writes them: "0-3,5".
 */
#ifndef OP_CPU_LIST_H
#define OP_CPU_LIST_H

#include <stdbool.h>

#define OP_MAX_CPUS	8192

/* Sets set[i] for each CPU i of the list, clears the others. -EINVAL: not such a list. */
int op_cpu_list_parse(bool set[OP_MAX_CPUS], const char *text);

#define OP_CPU_SYSFS	"/sys/devices/system/cpu"

/*
 * The CPUs that @list asks for, whether they are there or not: a list, "all", or "auto" for all but
 * those that @sysfs calls isolated or nohz_full. -EINVAL: none of these, or an empty list.
 */
int op_cpus_wanted(bool wanted[OP_MAX_CPUS], const char *list, const char *sysfs);

/*
 * The CPUs that are online, from a file that stays open because it is read every second. Zeroed but
 * for fd = -1: closed.
 */
struct op_online_cpus {
	int fd;
	char last[4096];	/* what it said */
};

int op_online_cpus_open(struct op_online_cpus *o);
void op_online_cpus_close(struct op_online_cpus *o);

/* Makes the next answer a change. */
void op_online_cpus_forget(struct op_online_cpus *o);

/* 1: not the same as last time, or the first time, and @set tells. 0, or negative errno. */
int op_online_cpus_changed(struct op_online_cpus *o, bool set[OP_MAX_CPUS]);

#endif
