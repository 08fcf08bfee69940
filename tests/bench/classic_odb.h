/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classic_odb.h -- the simplest writer of the sample file format, for comparison with libdb.
 *
 * It omits everything that the format does not require: reserving disk space, ordering stores for a
 * concurrent reader or a crash, splitting large counts, and bounds checks.
 */
#ifndef BENCH_CLASSIC_ODB_H
#define BENCH_CLASSIC_ODB_H

#include <stddef.h>
#include <stdint.h>

struct classic_odb {
	uint32_t *descr;	/* two words: size, current_size */
	struct classic_node *nodes;
	uint32_t *hash;
	char *map;
	size_t header_size;
	int fd;			/* closed together with the file */
};

/* Open an empty file. Return 0 or a negative errno. */
int classic_odb_open(struct classic_odb *db, int fd, size_t header_size);
void classic_odb_close(struct classic_odb *db);
int classic_odb_update(struct classic_odb *db, uint64_t key, uint32_t count);

#endif
