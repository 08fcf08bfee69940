/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroup.h -- names of systemd units, containers and pods in the path of a control group (cgroup).
 *
 * A path is a sequence of levels. The first level has the names that the machine's systemd and
 * container runtimes chose. A user manager (user@UID.service), a container or another unit may
 * create groups of any name below its own group: these names are the next level. So a name of an
 * inner level is valid only together with the names of all outer levels, and a user without
 * privileges cannot create a group with the name of another user's group.
 */
#ifndef OP_CGROUP_H
#define OP_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/* maximum number of levels; names of further levels are ignored */
#define OP_CGROUP_LEVELS	4
#define OP_POD_UID_SIZE		37	/* size of a pod's uid as text */
/* number of digits of a container's id in a short name */
#define OP_CONTAINER_SHORT	12

/* A part of a path, not terminated by a NUL. .len is 0 if the path has no such part. */
struct op_cgroup_part {
	const char *at;
	size_t len;
};

struct op_cgroup_level {
	/* systemd unit that is not a slice, such as "nginx.service" */
	struct op_cgroup_part unit;
	struct op_cgroup_part slice;	/* innermost slice */
	/* id of the container or, for lxc and nspawn, its name */
	struct op_cgroup_part container;
	/* "docker", "podman", "containerd", "cri-o", "lxc" or "nspawn"; "kubernetes" if the path
	 * does not have the name of the runtime; NULL: no container */
	const char *runtime;
	char pod[OP_POD_UID_SIZE];	/* uid of the Kubernetes pod with '-', or "" */
};

struct op_cgroup {
	struct op_cgroup_level levels[OP_CGROUP_LEVELS];
	size_t nr;			/* number of levels with names */
	/* length of the prefix of the path that users without privileges cannot choose */
	size_t owned;
};

/* Parse the absolute path of a group, as the machine's root cgroup namespace shows it. The parts of
 * @ret point into @path. */
void op_cgroup_parse(struct op_cgroup *ret, const char *path);

/*
 * Return the name that reports show for the group @path: the names of its levels, separated by '/'.
 * The name of a level is RUNTIME:ID of a container, or else the unit, or else the slice. @brief:
 * shorten ids of containers. A path without such names is its own name. The caller frees the
 * result. Return NULL if memory is short.
 */
char *op_cgroup_name(const char *path, bool brief);

/* Return the name of the innermost container, with the names of all outer levels before it, as
 * op_cgroup_name() does, or "" if the group is not in a container. The caller frees the result.
 * Return NULL if memory is short. */
char *op_cgroup_container(const char *path, bool brief);

/* Return the uid of the innermost pod, with the names of all outer levels before it, or "" if the
 * group is not in a pod. The caller frees the result. Return NULL if memory is short. */
char *op_cgroup_pod(const char *path);

/* Return whether @text selects the group @path as a unit: @text is the path; a name as from
 * op_cgroup_name(), full or brief; such a name without its last levels; or a slice of the first
 * level that contains the group. */
bool op_cgroup_is_unit(const char *path, const char *text);

/* Return whether @text selects the group @path as a container: a name as from
 * op_cgroup_container(), full or brief. The RUNTIME: may be omitted, and at least
 * OP_CONTAINER_SHORT first digits of an id are sufficient. */
bool op_cgroup_is_container(const char *path, const char *text);

/* Return whether @text is the uid of a pod, as from op_cgroup_pod(), that contains the group. */
bool op_cgroup_is_pod(const char *path, const char *text);

#endif
