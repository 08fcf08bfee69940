/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * group_notices.h -- names of new control groups, from perf_events.
 *
 * The kernel module's stream contains ids of groups, but no names. A perf_event on each CPU, which
 * counts and samples nothing, records the id and the path of each group that is created
 * (PERF_RECORD_CGROUP). So a group has a name even if it was removed before its samples are read.
 *
 * The kernel records nothing before the first write to the root's file cgroup.subtree_control,
 * which systemd and programs that run containers write. Then, as on a kernel without
 * CONFIG_CGROUP_PERF, only a search of the file system (cgroups.h) finds names.
 */
#ifndef OPD_GROUP_NOTICES_H
#define OPD_GROUP_NOTICES_H

struct op_reason;
struct opd_cgroups;
struct opd_group_notices;

/*
 * Open the events on all online CPUs. The names go to @cgroups, which the caller keeps. Return 0,
 * or a negative errno with the cause in @error. -EOPNOTSUPP: the events would not report the groups
 * of the default hierarchy, because a hierarchy of cgroup v1 has the controller perf_event.
 */
int opd_group_notices_create(struct opd_group_notices **ret, struct opd_cgroups *cgroups,
			     struct op_reason *error);
void opd_group_notices_destroy(struct opd_group_notices *n);	/* @n may be NULL. */

/* Return a descriptor that is ready for reading if a ring of records is half full. */
int opd_group_notices_fd(const struct opd_group_notices *n);

/* Pass the names of all groups created before this call to the cgroups. Also open the event of each
 * CPU that has come online since the last call. @n may be NULL. */
void opd_group_notices_read(struct opd_group_notices *n);

#endif
