/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- stored symbol tables of a store's intervals, in OP_INTERVAL_TABLES_DIR
 * (libop/session/identity.h).
 *
 * The user's cache keeps only recently used tables. The store keeps the table of each image as long
 * as an interval refers to the image. So a report about last week has symbols even if the binaries
 * were upgraded or removed. Each stored table is a hard link to the file in the cache, or a copy if
 * the cache is on another file system.
 */
#ifndef ITV_TABLES_H
#define ITV_TABLES_H

#include <stdint.h>

struct itv;

/*
 * Store the symbol tables of all images of the interval files and closed sessions in the store
 * @dirfd, and delete tables that no image needs. If an interval file has a newer version, its
 * images are unknown, so delete nothing. If the tables exceed @max_bytes, remove the least recently
 * used ones (libop/session/table_files.h). Ignore damaged intervals, and tables that the cache does
 * not have yet: the next call links them. Return 0 or a negative errno.
 */
int itv_tables_keep(int dirfd, uint64_t max_bytes);

/*
 * Copy the symbol tables of the interval's images, from the store @dirfd or from the user's cache,
 * to the subdirectory OP_TABLES_DIR of @samples_fd. @samples_fd: the directory "samples" of the
 * session directory to which the interval is exported. Ignore missing tables. Return 0 or a
 * negative errno.
 */
int itv_tables_copy(const struct itv *v, int dirfd, int samples_fd);

#endif
