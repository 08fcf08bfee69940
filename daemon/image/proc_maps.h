/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_maps.h -- reading of the mappings and namespaces of a process from /proc/PID.
 */
#ifndef OPD_PROC_MAPS_H
#define OPD_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_proc_map {
	uint64_t start, end, pgoff;
	uint64_t dev, ino;	/* .dev is a device number as makedev() returns it */
	bool exec;
	/* name of the mapping, which points into the line; "" for anonymous memory */
	char *name;
};

/*
 * Call @fn for each mapping of process @pid below the directory @proc_fd until it returns a value
 * other than 0. Return the value of @fn, 0, -EACCES if permission is missing, or -ENOENT if the
 * process does not exist.
 */
typedef int (*opd_proc_map_fn)(void *arg, const struct opd_proc_map *map);
int opd_proc_maps_each(int proc_fd, pid_t pid, opd_proc_map_fn fn, void *arg);

/* Call @fn for each mapping in the text of the file @fd, from its present position, as
 * opd_proc_maps_each() does. Close @fd. Return 0, the value that @fn returned, or -ENOMEM. */
int opd_proc_maps_read(int fd, opd_proc_map_fn fn, void *arg);

/* Return whether the process @tgid below @proc_dir is known to have another namespace of the kind
 * @kind ("mnt", "pid") than the daemon. */
bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind);

#endif
