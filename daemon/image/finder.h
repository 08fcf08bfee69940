/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h -- finder: opens and reads files that users have mapped, with a limit of the time that
 * the daemon waits for a user's file system.
 *
 * A user may mount file systems (FUSE, and an overlay that hides it) that delay every operation: a
 * path lookup, stat(), a read, even close(). The daemon cannot recognize such a file system without
 * a request to it. So a separate process (finder_process.c) opens the files. The process has
 * limited time for each request; if it needs more, the daemon abandons it and starts another
 * process. The total time that the daemon waits is limited too, and after a delay the daemon does
 * not use the root directories of this user's processes for a while. Without a finder (tests,
 * recorded streams) files are opened directly.
 *
 * Not thread-safe.
 */
#ifndef OPD_FINDER_H
#define OPD_FINDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/proc_maps.h"

struct opd_copied;
struct opd_finder;
struct opd_identity;
struct opd_log;

/* Create a finder. This function forks, so call it early, before threads exist. @proc_dir: "/proc";
 * @subuid: see libop/base/id_ranges.h; both are borrowed. Return 0 or a negative errno. */
int opd_finder_create(struct opd_finder **ret, const char *proc_dir, const char *subuid,
		      struct opd_log *log);
void opd_finder_destroy(struct opd_finder *f);

/*
 * The functions below accept NULL and then open files directly. They return -ETIMEDOUT if a file
 * does not answer, after which its user is avoided for a while, and -EAGAIN if the machine has no
 * CPU time for the worker.
 *
 * opd_finder_find() calls opd_identify() for the daemon's root directory. If the file is not there
 * and @tgid is not 0, it calls opd_identify() again, for the root directory of process @tgid.
 * Return 0, -ENOENT, -ETIMEDOUT or -EAGAIN.
 */
int opd_finder_find(struct opd_finder *f, struct opd_identity *ret, const char *path, uint64_t dev,
		    uint64_t ino, pid_t tgid);

/* Call opd_open_in_root() in a worker. Return 0, -ENOENT, -ETIMEDOUT or -EAGAIN. */
int opd_finder_open(struct opd_finder *f, struct opd_identity *ret, const char *path, pid_t tgid);

/* Call opd_identify_exe() in a worker. */
int opd_finder_exe(struct opd_finder *f, uint64_t *dev, uint64_t *ino, pid_t tgid);

/* Call opd_proc_maps_each() on a copy of the process's memory map, because a process can block
 * readers of the map for any time. Return -EACCES also if the process blocks readers. */
int opd_finder_maps(struct opd_finder *f, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg);

/* Call opd_copy_found() for the file @from in a worker; if @to_fd is -1, only get the file's
 * status. Return 0, -ETIMEDOUT, or another negative errno if the file cannot be read. */
int opd_finder_copy(struct opd_finder *f, struct opd_copied *ret, const struct opd_identity *from,
		    int to_fd, off_t at, size_t size);

/*
 * Call opd_open_in_memory() in a worker. @payer: as in struct opd_identity. The caller owns the
 * returned descriptor, and may use it only for reads with RWF_NOWAIT, which return the part of the
 * file that is in memory: the daemon must not wait for a user's file system.
 */
int opd_finder_open_in_memory(struct opd_finder *f, int path_fd, uint32_t payer);

#define OPD_FINDER_MEMORY_MAX	(256u << 10)

/*
 * Copy up to @size bytes, at most OPD_FINDER_MEMORY_MAX, from the memory of thread @tid at @address
 * to @to. A worker copies, because a page may have to be supplied by a user's file system or
 * userfaultfd, which may block. Return the number of bytes, or a negative errno.
 */
ssize_t opd_finder_memory(struct opd_finder *f, pid_t tid, uint64_t address, void *to, size_t size);

/*
 * Open the file of the O_PATH descriptor @path_fd for reading, and send the byte @kind with the new
 * descriptor and @more through @socket. The daemon never has the new descriptor, because even
 * close() could block. @payer: as in struct opd_identity. Return 0 or a negative errno.
 */
int opd_finder_hand_over(struct opd_finder *f, int path_fd, uint32_t payer, int socket, char kind,
			 const int *more, size_t nr);

#endif
