/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc_maps.h -- reading /proc/PID/maps.
 */
#ifndef OPD_PROC_MAPS_H
#define OPD_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_proc_map {
	uint64_t start, end, pgoff;
	uint64_t dev, ino;	/* dev: makedev() */
	bool exec;
	char *name;		/* inside the line; "" for anonymous memory */
};

/*
 * Calls @fn for each mapping of process @pid below the directory @proc_fd until it returns
 * something else than 0. Returns that, 0, -EACCES when we may not look, or -ENOENT for no such process.
 */
typedef int (*opd_proc_map_fn)(void *arg, const struct opd_proc_map *map);
int opd_proc_maps_each(int proc_fd, pid_t pid, opd_proc_map_fn fn, void *arg);

/* The same for the text that is in @fd, from where that stands; @fd is closed. 0, what @fn returned, or -ENOMEM. */
int opd_proc_maps_read(int fd, opd_proc_map_fn fn, void *arg);

#endif
