/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h -- opens and reads files that users have mapped, without waiting for a user for an
 * unlimited time.
 *
 * A user may mount file systems (FUSE, and an overlay on it that hides it) that delay every
 * operation: a path lookup, stat(), a read, even close(). Such a file system cannot be recognized
 * without a request to it. So a separate process (finder_process.c) opens the files. It has limited
 * time for each request; if it needs more, the daemon abandons it and starts another one. The total
 * time that the daemon waits is limited too, and after a delay the daemon does not use the root
 * directories of that user's processes for a while. Without a finder (tests, recorded streams)
 * files are opened directly.
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

/*
 * Create a finder. This forks, so call it early, before threads exist. @proc_dir: "/proc"; @subuid:
 * libop/base/id_ranges.h; both borrowed. Return 0 or a negative errno.
 */
int opd_finder_create(struct opd_finder **ret, const char *proc_dir, const char *subuid,
		      struct opd_log *log);
void opd_finder_destroy(struct opd_finder *f);

/*
 * The functions below accept NULL and then open files directly. They return -ETIMEDOUT if a file
 * does not answer, after which its user is avoided for a while, and -EAGAIN if the machine has no
 * CPU time for the worker.
 *
 * opd_finder_find() calls opd_identify() for the daemon's root directory, and if the file is not
 * there and @tgid is not 0, for that of process @tgid. Return 0, -ENOENT, -ETIMEDOUT or -EAGAIN.
 */
int opd_finder_find(struct opd_finder *f, struct opd_identity *ret, const char *path, uint64_t dev,
		    uint64_t ino, pid_t tgid);

/* Call opd_open_in_root() in a worker. Return 0, -ENOENT, -ETIMEDOUT or -EAGAIN. */
int opd_finder_open(struct opd_finder *f, struct opd_identity *ret, const char *path, pid_t tgid);

/* Call opd_identify_exe() in a worker. */
int opd_finder_exe(struct opd_finder *f, uint64_t *dev, uint64_t *ino, pid_t tgid);

/* Call opd_proc_maps_each() on a copy, because a process can block readers of its map for as long
 * as it likes. Return -EACCES also if the process blocks. */
int opd_finder_maps(struct opd_finder *f, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg);

/*
 * Call opd_copy_found() for the file @from in a worker; with @to_fd -1, only get its status. Return
 * 0, -ETIMEDOUT, or another negative errno if nothing can be read.
 */
int opd_finder_copy(struct opd_finder *f, struct opd_copied *ret, const struct opd_identity *from,
		    int to_fd, off_t at, size_t size);

/*
 * Call opd_open_in_memory() in a worker. @payer: from the identity. The caller owns the descriptor
 * that is returned. The descriptor serves only reads with RWF_NOWAIT, which return the part of the
 * file that is in memory: the daemon must not wait for a user's file system.
 */
int opd_finder_open_in_memory(struct opd_finder *f, int path_fd, uint32_t payer);

#define OPD_FINDER_MEMORY_MAX	(256u << 10)

/*
 * Copy up to @size bytes, at most OPD_FINDER_MEMORY_MAX, from thread @tid's memory at @address to
 * @to. A worker copies, because a user's file system or userfaultfd may have to supply a page.
 * Return the number of bytes, or a negative errno.
 */
ssize_t opd_finder_memory(struct opd_finder *f, pid_t tid, uint64_t address, void *to, size_t size);

/*
 * Open the file of the O_PATH descriptor @path_fd for reading, and send the byte @kind with the new
 * descriptor and @more through @socket. The daemon never has the new descriptor, because even
 * close() could block. @payer: from the identity. Return 0 or a negative errno.
 */
int opd_finder_hand_over(struct opd_finder *f, int path_fd, uint32_t payer, int socket, char kind,
			 const int *more, size_t nr);

#endif
