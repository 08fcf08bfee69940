/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_maps.h -- mappings and namespaces of a process, from /proc/PID.
 */
#ifndef OPD_PROC_MAPS_H
#define OPD_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_proc_map {
	uint64_t start, end, pgoff;
	/* device and inode of the mapped file; .dev as returned by makedev() */
	uint64_t dev, ino;
	bool exec;
	/* name of the mapping, valid only during the call of the callback; "" for anonymous
	 * memory */
	char *name;
};

/*
 * Call @fn for each mapping of process @pid, until @fn returns a value other than 0. @proc_fd:
 * descriptor of /proc. Return the last value of @fn, -EACCES without permission, or -ENOENT if the
 * process does not exist.
 */
typedef int (*opd_proc_map_fn)(void *arg, const struct opd_proc_map *map);
int opd_proc_maps_each(int proc_fd, pid_t pid, opd_proc_map_fn fn, void *arg);

/* Like opd_proc_maps_each(), for the rest of the file @fd, which has the format of /proc/PID/maps.
 * Close @fd. Return 0, the value that @fn returned, or -ENOMEM. */
int opd_proc_maps_read(int fd, opd_proc_map_fn fn, void *arg);

/* Return true if process @tgid certainly has another namespace of type @kind ("mnt", "pid") than
 * the daemon. @proc_dir: "/proc", or a test's directory. */
bool opd_has_own_namespace(const char *proc_dir, pid_t tgid, const char *kind);

#endif
