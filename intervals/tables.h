/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables.h -- the symbol tables of a store's intervals, in OP_INTERVAL_TABLES_DIR
 * (libop/session/identity.h).
 *
 * The user's cache keeps the tables that were used last. The store keeps the tables of the images
 * that an interval names as long as an interval names them, so that a report of last week has names
 * after the binaries were upgraded or removed. A table is a hard link to the one in the cache, or a
 * copy on another file system.
 */
#ifndef ITV_TABLES_H
#define ITV_TABLES_H

#include <stdint.h>

struct itv;

/*
 * Link the tables of all images in the interval files and in the closed sessions of the store
 * @dirfd, and delete the tables that no entry names. If an interval file has a newer version,
 * no table is deleted, because its names are unknown. If the tables need more than @max_bytes, the
 * least recently used ones are removed (libop/session/table_files.h). Ignore intervals that are
 * damaged, and tables that the cache does not have yet: the next call links them. Return 0 or a
 * negative errno.
 */
int itv_tables_keep(int dirfd, uint64_t max_bytes);

/*
 * Copy the tables of the interval's images that the store @dirfd or the cache has to OP_TABLES_DIR
 * in the directory @samples_fd (DIR/samples of another session directory). Return 0 or a negative
 * errno.
 */
int itv_tables_copy(const struct itv *v, int dirfd, int samples_fd);

#endif
