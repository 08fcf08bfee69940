/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * finder.h -- looks at files that users have mapped, without ever waiting for a user.
 *
 * A user may mount file systems of his own (FUSE, and an overlay upon it that hides what it is), and answers for
 * as long as he likes whatever is asked of one: the way to a file, its time, its contents, even closing it. Nothing tells
 * such a file system from others without a look at it. So a process of its own looks (finder_process.c), is given a
 * limited time, and is left behind when it needs more; another takes its place. How much of its own time the daemon
 * waits is limited too, and a user whose processes led there is not followed into their root directories for a
 * while. Without a finder (tests, recorded streams) files are looked at directly.
 *
 * One thread.
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
 * Forks: to be called early, and before there are threads. @proc_dir: "/proc"; @subuid: libop/base/id_ranges.h. Both
 * borrowed. 0 or negative errno.
 */
int opd_finder_create(struct opd_finder **ret, const char *proc_dir, const char *subuid, struct opd_log *log);
void opd_finder_destroy(struct opd_finder *f);

/*
 * The functions below accept NULL and then look at files directly. They return -ETIMEDOUT if a file does not answer,
 * after which its user is avoided for a while, and -EAGAIN if the machine has no CPU for the worker.
 *
 * opd_identify() in our own root directory, and if the file is not there in that of process @tgid, unless it is 0:
 * 0, -ENOENT, -ETIMEDOUT or -EAGAIN.
 */
int opd_finder_find(struct opd_finder *f, struct opd_identity *ret, const char *path, uint64_t dev, uint64_t ino,
		    pid_t tgid);

/* Call opd_open_in_root() in a worker. Return 0, -ENOENT, -ETIMEDOUT or -EAGAIN. */
int opd_finder_open(struct opd_finder *f, struct opd_identity *ret, const char *path, pid_t tgid);

/* opd_identify_exe(). */
int opd_finder_exe(struct opd_finder *f, uint64_t *dev, uint64_t *ino, pid_t tgid);

/* opd_proc_maps_each(), of a copy: a process can keep others from reading its map for as long as it likes. -EACCES is
 * also that it does not answer. */
int opd_finder_maps(struct opd_finder *f, int proc_fd, pid_t tgid, opd_proc_map_fn fn, void *arg);

/*
 * opd_copy_found() of the file that @from has; @to_fd -1: only looks. 0, -ETIMEDOUT, or another negative errno: there
 * is nothing to be had.
 */
int opd_finder_copy(struct opd_finder *f, struct opd_copied *ret, const struct opd_identity *from, int to_fd, off_t at,
		    size_t size);

#define OPD_FINDER_MEMORY_MAX	(256u << 10)

/*
 * Copy up to @size bytes, at most OPD_FINDER_MEMORY_MAX, of thread @tid's memory at @address to @to. A worker does it,
 * because a user's file system or userfaultfd may have to supply a page. Return the number of bytes, or a negative
 * errno.
 */
ssize_t opd_finder_memory(struct opd_finder *f, pid_t tid, uint64_t address, void *to, size_t size);

/*
 * Opens the file that opd_identity has by @path_fd for reading, and sends the byte @kind with that descriptor and
 * @more through @socket: it is never the daemon's, which could not even close it. @payer: of the identity. 0 or negative errno.
 */
int opd_finder_hand_over(struct opd_finder *f, int path_fd, uint32_t payer, int socket, char kind, const int *more,
			 size_t nr);

#endif
