/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h -- the finder opens and reads files that users have mapped, in a separate process, so
 * that a user's file system cannot stall the daemon.
 *
 * A user may mount a file system (FUSE, also hidden below an overlay) in which every operation
 * blocks: path lookup, stat(), read(), even close(). The daemon cannot recognize such a file
 * system without accessing it. So a worker process (finder_process.c) opens the files. If the
 * worker does not answer in time, the daemon abandons it and starts another one. The total waiting
 * time is limited, too. After a stall, the daemon does not open files below the root directories
 * of this user's processes for a while. Without a finder (in tests, and for recorded streams), the
 * daemon opens files itself.
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

/* Create a finder. The function forks, so call it before the daemon creates threads. @proc_dir:
 * "/proc". @subuid: see libop/base/id_ranges.h. Both are borrowed. Return 0 or a negative errno. */
int opd_finder_create(struct opd_finder **ret, const char *proc_dir, const char *subuid,
		      struct opd_log *log);
void opd_finder_destroy(struct opd_finder *f);

/*
 * Set the nice value of the worker process, as far as the daemon may. The daemon waits for each
 * answer, so a daemon with a raised priority needs a worker with the same priority: otherwise its
 * samples wait until all other processes have used their share of the CPU. @f may be NULL.
 */
void opd_finder_set_nice(struct opd_finder *f, int nice);

/*
 * The functions below open files directly if the finder is NULL. Common errors: -ETIMEDOUT if the
 * file system does not answer; the finder then opens no files of the file system's user for a
 * while; -EAGAIN if the worker did not get enough CPU time; -EBUSY if too many workers are stuck.
 *
 * opd_finder_find() calls opd_identify() for the daemon's root directory. If the file is not there
 * and @tgid is not 0, it calls opd_identify() again for the root directory of process @tgid. Return
 * 0 or -ENOENT, -ETIMEDOUT, -EAGAIN.
 */
int opd_finder_find(struct opd_finder *f, struct opd_identity *ret, const char *path, uint64_t dev,
		    uint64_t ino, pid_t tgid);

/* Like opd_finder_find(), but do not search below the daemon's root directory: for a file of
 * another mount namespace, whose path a user chose. The process @tgid must not be 0. */
int opd_finder_find_through(struct opd_finder *f, struct opd_identity *ret, const char *path,
			    uint64_t dev, uint64_t ino, pid_t tgid);

/* Call opd_open_in_root() in the worker. Return 0 or -ENOENT, -ETIMEDOUT, -EAGAIN. */
int opd_finder_open(struct opd_finder *f, struct opd_identity *ret, const char *path, pid_t tgid);

/* Call opd_identify_exe() in the worker. */
int opd_finder_exe(struct opd_finder *f, uint64_t *dev, uint64_t *ino, pid_t tgid);

/* Let the worker copy the process's memory map, and call opd_proc_maps_each() on the copy. The
 * daemon does not read the map itself, because a process can block readers of its map for any time.
 * Return -EACCES without permission; or -EAGAIN if the process blocks the worker, the worker did
 * not get enough CPU time, or memory is short. */
int opd_finder_maps(struct opd_finder *f, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg);

/* Call opd_copy_found() in the worker for the file @from. If @to_fd is -1, only return the file's
 * status. Return 0, -ETIMEDOUT, or another negative errno if the file cannot be read. */
int opd_finder_copy(struct opd_finder *f, struct opd_copied *ret, const struct opd_identity *from,
		    int to_fd, off_t at, size_t size);

/*
 * Call opd_open_in_memory() in the worker. @payer: as in struct opd_identity. The caller owns the
 * returned descriptor and must read from it with RWF_NOWAIT only, which returns just the cached
 * part of the file: the daemon must not wait for a user's file system.
 */
int opd_finder_open_in_memory(struct opd_finder *f, int path_fd, uint32_t payer);

#define OPD_FINDER_MEMORY_MAX	(256u << 10)

/*
 * Copy up to @size bytes, at most OPD_FINDER_MEMORY_MAX, at @address in the memory of thread @tid
 * to @to. The worker reads the memory, because a page fault there may be served by a user's file
 * system or userfaultfd and block. Return the number of bytes, or a negative errno.
 */
ssize_t opd_finder_memory(struct opd_finder *f, pid_t tid, uint64_t address, void *to, size_t size);

/*
 * Open the file of the O_PATH descriptor @path_fd for reading, and send the new descriptor with the
 * byte @kind and the descriptors @more through @socket. The worker sends the descriptor directly to
 * the receiver: if the daemon had this descriptor, even its close() could block the daemon. @payer:
 * as in struct opd_identity. Return 0 or a negative errno.
 */
int opd_finder_hand_over(struct opd_finder *f, int path_fd, uint32_t payer, int socket, char kind,
			 const int *more, size_t nr);

#endif
