/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classic_odb.h -- the simplest writer of the sample file format, for comparison with libdb.
 *
 * This writer does not reserve disk space, order its stores for concurrent readers or crashes,
 * split large counts, or check bounds, because the format does not require it.
 */
#ifndef BENCH_CLASSIC_ODB_H
#define BENCH_CLASSIC_ODB_H

#include <stddef.h>
#include <stdint.h>

struct classic_odb {
	uint32_t *descr;	/* pointer to two words: size, current_size */
	struct classic_node *nodes;
	uint32_t *hash;
	char *map;
	size_t header_size;
	int fd;			/* descriptor of the file; closed by classic_odb_close() */
};

/* Open an empty file. Return 0 or a negative errno. */
int classic_odb_open(struct classic_odb *db, int fd, size_t header_size);
void classic_odb_close(struct classic_odb *db);
int classic_odb_update(struct classic_odb *db, uint64_t key, uint32_t count);

#endif
