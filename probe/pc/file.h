/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- writer of a .pct file through a shared mapping, so that the file is complete however
 * the process ends.
 *
 * The file is sparse. On a full disk, writing to a mapped page without disk space would kill the
 * process by SIGBUS. So the first thread that needs a page allocates its disk space. Samples in a
 * page that another thread is allocating, or for which the disk is full, are counted as lost.
 */
#ifndef PROBE_PC_FILE_H
#define PROBE_PC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/pct.h"
#include "probe/base/fd.h"

/* A range of code whose counters are in the file. A struct pc_region is never moved, and is freed
 * when the file is closed, so signal handlers may use it. */
struct pc_region {
	uint64_t start, end;
	struct raw_pct_region *record;	/* the region's record in the mapped file */
	unsigned char *counters;
	uint32_t bin, width;
	/* Bit maps with a bit for each page of the region's record and counters in the file.
	 * .claimed: a thread is allocating, or has allocated, disk space for the page; .has_room:
	 * the page has disk space. */
	uint8_t *claimed, *has_room;
	struct pc_file *file;
	struct pc_region *next;		/* next region of the file; the list begins with the
					 * newest region */
};

struct pc_file {
	struct fd fd;
	struct raw_pct_header *header;	/* the header in the mapped file; NULL: no file */
	/* address of the word in the file that will contain the offset of the next region */
	uint64_t *last;
	uint64_t end;
	struct pc_region *regions;
	size_t nr_regions;
	/* Memory for pc_file_alloc(): the rest of the current chunk. Chunks are never freed. */
	char *chunk;
	size_t chunk_left;
};

#define PC_MAX_REGIONS	4096

/* Create the file @path with mode 0600, and write @header to it. Fail if the file exists; do not
 * follow symbolic links. Return 0 or a negative errno, such as -EEXIST; on failure the file is
 * removed. */
int pc_file_create(struct pc_file *file, const char *path, const struct raw_pct_header *header);

/* Add a region with the counters that @record describes to the file; set .counters and .next of its
 * record in the file. Return NULL if out of disk space or memory. Only one thread at a time may
 * call this function. */
struct pc_region *pc_file_append(struct pc_file *file, const struct raw_pct_region *record);

/* Add @n to the counter of address @at in region @r. */
void pc_region_add(struct pc_region *r, uint64_t at, uint64_t n);

/* Add @n to counter @i of region @r. If the counter's page has no disk space, or if the counter
 * overflows, count the remainder as lost. */
void pc_region_add_bin(struct pc_region *r, uint64_t i, uint64_t n);

/* Allocate disk space for all counters of region @r. Return 0 or -ENOSPC. */
int pc_region_reserve(struct pc_region *r);

static inline void pc_file_lose(struct pc_file *file, enum raw_pct_loss loss, uint64_t n)
{
	__atomic_fetch_add(&file->header->lost[loss], n, __ATOMIC_RELAXED);
}

/* Return @len zeroed bytes of memory that are valid while the file is open, or NULL. Only one
 * thread at a time may call this function. */
void *pc_file_alloc(struct pc_file *file, size_t len);

/* Unmap and close the file. Memory of pc_file_alloc() stays mapped, because signal handlers of
 * other threads may still read it. */
void pc_file_close(struct pc_file *file);

#endif
