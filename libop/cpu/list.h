/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * list.h -- lists of CPUs in the format of sysfs: "0-3,5".
 */
#ifndef OP_CPU_LIST_H
#define OP_CPU_LIST_H

#include <stdbool.h>

#define OP_MAX_CPUS	8192

/* Parse the list @text. Set set[i] to true for each CPU i in the list, and to false for all other
 * CPUs. Return 0, or -EINVAL if @text is not a list. */
int op_cpu_list_parse(bool set[OP_MAX_CPUS], const char *text);

#define OP_CPU_SYSFS	"/sys/devices/system/cpu"

/*
 * Set wanted[i] to true for each CPU i that @list selects, even if the CPU does not exist. @list: a
 * list of CPUs, "all", or "auto". "auto" selects all CPUs except the CPUs that @sysfs lists as
 * isolated or nohz_full. Return 0, or -EINVAL if @list is invalid or empty.
 */
int op_cpus_select(bool wanted[OP_MAX_CPUS], const char *list, const char *sysfs);

/* The online CPUs, read from a file of sysfs. The file stays open, because it is read every second.
 * Before it is opened, all members are zero except .fd = -1. */
struct op_online_cpus {
	int fd;
	char last[4096];	/* contents of the file when it was last read */
};

int op_online_cpus_open(struct op_online_cpus *o);
void op_online_cpus_close(struct op_online_cpus *o);

/* Discard the stored contents of the file, so that the next op_online_cpus_changed() reports a
 * change. */
void op_online_cpus_forget(struct op_online_cpus *o);

/* Return 1 and set @set to the online CPUs if they have changed since the last call, or at the
 * first call. Return 0 if they have not changed, or a negative errno. */
int op_online_cpus_changed(struct op_online_cpus *o, bool set[OP_MAX_CPUS]);

#endif
