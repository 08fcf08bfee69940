/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs.h -- whole small files, read and replaced relative to a directory descriptor.
 *
 * Nothing here follows a symbolic link below @dirfd: session directories may be writable by others
 * than their reader or writer.
 */
#ifndef OP_BASE_FS_H
#define OP_BASE_FS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Reads a regular file of at most @max bytes. *@ret: malloc'd, with a NUL behind *@ret_len bytes.
 * -EFBIG when it is longer, -EINVAL when it is not a regular file, -ELOOP for a symbolic link.
 */
int op_read_file(int dirfd, const char *path, size_t max, char **ret, size_t *ret_len);

/*
 * Does @err, of reading a file, say that there is none, or none that anybody could read? Then it may be replaced; after
 * any other error it may have what is worth keeping.
 */
static inline bool op_file_is_useless(int err)
{
	return err == -ENOENT || err == -EFBIG || err == -EINVAL || err == -ELOOP;
}

/* Replaces or makes @path in one step (PATH.tmp, fsync, rename): old or new, never half. */
int op_replace_file(int dirfd, const char *path, const void *data, size_t len, mode_t mode);

/* The same without waiting for the disk: after a power cut it may be old, new, or empty. */
int op_replace_file_nowait(int dirfd, const char *path, const void *data, size_t len, mode_t mode);

/*
 * The same in room that was kept by the call before, so that a full disk does not stop it: PATH.spare
 * is the file of then, is written over and changes names with @path. Room is needed by the first call,
 * and when more blocks are. A reader that is slower than two calls may see half of each.
 */
int op_replace_file_in_place(int dirfd, const char *path, const void *data, size_t len, mode_t mode);

/* Makes the directories that a relative @path needs, all but its last component. */
int op_make_parents(int dirfd, const char *path, mode_t mode);

/* The pid that an open lock file holds, from its beginning; 0 for none. */
pid_t op_read_pid(int fd);

/*
 * Opens the directory that holds @path, relative to @dirfd, for what the functions above do not do.
 * *@leaf: the last component, part of @path. @make: directories that are not there are made, with
 * @mode. Returns a descriptor to close, or negative errno.
 */
int op_open_parent(int dirfd, const char *path, const char **leaf, int make, mode_t mode);

/* Reads @max bytes, over signals and short reads; *@ret_len is less when there are fewer. */
int op_read_all(int fd, void *buf, size_t max, size_t *ret_len);
/* The same from @at on; where the file stands does not change. */
int op_read_all_at(int fd, void *buf, size_t max, off_t at, size_t *ret_len);

/* Writes all, over signals and short writes. */
int op_write_all(int fd, const void *data, size_t len);

#endif
