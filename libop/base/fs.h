/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs.h -- reading and replacing of small files relative to a directory descriptor.
 *
 * No function follows a symbolic link below @dirfd, because other users may be able to write to a
 * session directory.
 */
#ifndef OP_BASE_FS_H
#define OP_BASE_FS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a regular file of at most @max bytes. The caller frees *@ret, which contains *@ret_len bytes
 * and a NUL. Return 0 or a negative errno; -EFBIG: the file is longer; -EINVAL: not a regular file;
 * -ELOOP: a symbolic link.
 */
int op_read_file(int dirfd, const char *path, size_t max, char **ret, size_t *ret_len);

/*
 * Return whether @err, the result of reading a file, means that the file does not exist or can
 * never be read. Such a file may be replaced. After any other error, the file may contain useful
 * data.
 */
static inline bool op_file_is_useless(int err)
{
	return err == -ENOENT || err == -EFBIG || err == -EINVAL || err == -ELOOP;
}

/* Replace or create the file @path atomically: write PATH.tmp, call fsync, and rename. Return 0 or
 * a negative errno. */
int op_replace_file(int dirfd, const char *path, const void *data, size_t len, mode_t mode);

/* Replace or create the file @path as op_replace_file() does, but do not wait for the disk: after a
 * power failure the file may have its old contents, its new contents, or be empty. */
int op_replace_file_nowait(int dirfd, const char *path, const void *data, size_t len, mode_t mode);

/*
 * Replace or create @path atomically, even on a full disk. The file PATH.spare contains the
 * previous version of the file. The new version overwrites the blocks of PATH.spare, and then the
 * two files exchange their names. Only the first call, and calls with longer data, need free
 * blocks. A reader that takes longer than the time between two calls may see parts of both
 * versions.
 */
int op_replace_file_in_place(int dirfd, const char *path, const void *data, size_t len,
			     mode_t mode);

/* Create the directories on the relative path @path. Do not create the last component. */
int op_make_parents(int dirfd, const char *path, mode_t mode);

/* Return the process id at the start of an open lock file, or 0. */
pid_t op_read_pid(int fd);

/*
 * Open the directory that contains @path, relative to @dirfd. *@leaf points to the last component
 * of @path. @make: create missing directories with @mode. Return a descriptor, which the caller
 * closes, or a negative errno.
 */
int op_open_parent(int dirfd, const char *path, const char **leaf, int make, mode_t mode);

/* Read @max bytes from @fd; retry after signals and short reads. *@ret_len is less than @max
 * only at the end of the file. */
int op_read_all(int fd, void *buf, size_t max, size_t *ret_len);
/* Read as op_read_all() does, but from offset @at, without changing the position of @fd. */
int op_read_all_at(int fd, void *buf, size_t max, off_t at, size_t *ret_len);

/* Read up to @len bytes at the offset @at of the descriptor *@fd. Return the number of bytes, 0 at
 * the end of the file, or a negative errno. The function can be used as a raw_read_fn
 * (libop/raw/read.h). */
long op_read_some_at(void *fd, uint64_t at, void *buf, size_t len);

/* Write all @len bytes to @fd; retry after signals and short writes. */
int op_write_all(int fd, const void *data, size_t len);

#endif
