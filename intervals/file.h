/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- the packed file of an interval. doc/interval-file.md describes the format.
 *
 * The file consists of blocks, each with its own checksum; columns are compressed separately. The
 * accounting is the first block and is not compressed, so that a reader gets sums, times and gaps
 * without unpacking. A reader checks all numbers: a damaged or hostile file causes an error, but
 * does not crash the reader. The reader never allocates more memory than the header of the file
 * states and the caller allows.
 */
#ifndef ITV_FILE_H
#define ITV_FILE_H

#include "intervals/interval.h"

enum itv_file_error {
	/* error: the file is not an interval file, or it is incomplete or damaged */
	ITV_ERR_FORMAT = -5100,
	ITV_ERR_VERSION,	/* error: the file was written by a newer version of the program */
	ITV_ERR_TOO_BIG,	/* error: the interval exceeds the limits that the reader allows */
};

/* Bits that select the parts of an interval for itv_file_read(). The accounting is always read. */
enum itv_file_parts {
	ITV_READ_ACCOUNTING = 0,
	ITV_READ_CELLS = 1,	/* read images, events, groups and cells (counts of addresses) */
	ITV_READ_PATHS = 2,	/* read images, events, frames, trees and nodes */
	ITV_READ_FILES = 4,
	ITV_READ_ALL = 7,
	ITV_READ_IMAGES = 8,	/* read images */
};

/* Sizes in bytes of the parts of an interval file that was written. */
struct itv_file_sizes {
	uint64_t total, cells, paths, files;
	uint64_t names;		/* size of the images, events and groups */
};

/*
 * Write the sorted interval @v to the empty file @fd. @level: zstd's compression level, 1 to 19.
 * Set *@sizes to the sizes of the file's parts; @sizes may be NULL. The function does not call
 * fsync(). Return 0 or a negative errno.
 */
int itv_file_write(const struct itv *v, int fd, int level, struct itv_file_sizes *sizes);

/*
 * Read the selected @parts of the interval file @fd into the zeroed struct *@v. @max_bytes: limit
 * of the memory of *@v. Return 0, a negative errno or an enum itv_file_error; after an error *@v is
 * empty. A symbolic link, a FIFO or another file that is not a regular file is ITV_ERR_FORMAT.
 */
int itv_file_read(struct itv *v, int fd, unsigned int parts, uint64_t max_bytes);

/* Return whether @err, a result of itv_file_read(), means that this version of the program will
 * never be able to read the file. */
static inline bool itv_file_is_bad(int err)
{
	return err == ITV_ERR_FORMAT || err == ITV_ERR_VERSION || err == ITV_ERR_TOO_BIG;
}

/* Return a message for @err, a negative return value of a function in intervals/: an errno or an
 * enum itv_file_error. */
const char *itv_strerror(int err);

#endif
