/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroups.h -- paths of control groups (cgroups) by the kernel's id.
 *
 * A sample has only the id of its task's group, by default in the hierarchy that has the controller
 * perf_event. The path comes from the kernel's record of the group's creation or, for an older
 * group, from the cgroup file system. A group keeps its path here after it was removed, because its
 * samples may arrive later.
 *
 * All tables are limited: users may create any number of groups. In the part of a path that its
 * owner chose (libop/session/cgroup.h: a user manager, a container, a unit), only the first
 * OPD_CGROUPS_INNER groups have samples of their own; the samples of others belong to their owner.
 */
#ifndef OPD_CGROUPS_H
#define OPD_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* maximum number of groups of an owner with samples of their own, besides the owner's group */
#define OPD_CGROUPS_INNER	256
/* maximum number of groups with samples of their own */
#define OPD_CGROUPS_UNITS	16384
/* maximum number of groups whose id is known */
#define OPD_CGROUPS_IDS		65536
/* maximum length and number of components of a group's path in the name of a sample file. A group
 * with a longer path is counted as its nearest ancestor with a path within these limits. */
#define OPD_CGROUPS_PATH	500
#define OPD_CGROUPS_DEPTH	16
/* path of all groups above OPD_CGROUPS_UNITS */
#define OPD_CGROUPS_MORE	"/(more units)"

struct opd_cgroups;

/* Return "/proc/self/mountinfo", or NULL if this process is in another cgroup namespace than the
 * root: then the cgroup file system does not show whole paths. */
const char *opd_cgroups_mountinfo(void);

/* Create the table. @mountinfo: see above; NULL: do not search in the cgroup file system. Return 0
 * or a negative errno. */
int opd_cgroups_create(struct opd_cgroups **ret, const char *mountinfo);
void opd_cgroups_destroy(struct opd_cgroups *c);	/* @c may be NULL. */

/* The ids are those of the default hierarchy (cgroup v2), even if a hierarchy of cgroup v1 has the
 * controller perf_event. @c may be NULL. */
void opd_cgroups_use_default(struct opd_cgroups *c);

/* Return false if no file system of the hierarchy whose ids are used is mounted. Then there are no
 * groups, except the root group. @c may be NULL. */
bool opd_cgroups_exist(const struct opd_cgroups *c);

/* The group @id has the absolute path @path, in the view of the root cgroup namespace. @c may be
 * NULL. */
void opd_cgroups_name(struct opd_cgroups *c, uint64_t id, const char *path);

/*
 * Return the path of the group @id, without the part that exceeds a limit. Equal paths have the
 * same address, which is valid until opd_cgroups_new_session(). If the id is unknown, search the
 * cgroup file system for it, but not more often than every few seconds. Return NULL if the group is
 * not found, if memory is short, or if @c is NULL.
 */
const char *opd_cgroups_unit(struct opd_cgroups *c, uint64_t id);

/* A new session begins, and no file of the old one is open: forget which groups had samples. @c may
 * be NULL. */
void opd_cgroups_new_session(struct opd_cgroups *c);

#endif
