/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- writing a .pct file through a shared mapping, so that it is complete however the
 * process ends.
 *
 * Files are sparse. On a full disk the kernel kills a process that touches a page without space. So
 * space is allocated first, page by page, by the thread that claims the page. Samples in a page
 * that another thread is claiming, or that got no space, are counted as losses.
 */
#ifndef PROBE_PC_FILE_H
#define PROBE_PC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/pct.h"
#include "probe/pc/fd.h"

/* A range of code with counters in a file. It stays in place until the file is closed; handlers may
 * use it. */
struct pc_region {
	uint64_t start, end;
	struct raw_pct_region *record;	/* in the mapped file */
	unsigned char *counters;
	uint32_t bin, width;
	/* A bit for each page of the counters. */
	uint8_t *claimed, *has_room;
	struct pc_file *file;
	struct pc_region *next;		/* in the file, newest first */
};

struct pc_file {
	struct pc_fd fd;
	struct raw_pct_header *header;	/* NULL: no file */
	uint64_t *last;		/* the link to the next region in the file */
	uint64_t end;
	struct pc_region *regions;
	size_t nr_regions;
	/* Memory for these structures: chunks that are not freed while the file is open. */
	char *chunk;
	size_t chunk_left;
};

#define PC_MAX_REGIONS	4096

/* Create @path (O_EXCL, mode 0600, without following links) with this header. Return 0 or a
 * negative errno, such as -EEXIST; on failure no file remains. */
int pc_file_create(struct pc_file *file, const char *path, const struct raw_pct_header *header);

/* Add a region with counters as described by @record; fill in .counters and .next. Return NULL
 * without space or memory. One thread at a time. */
struct pc_region *pc_file_append(struct pc_file *file, const struct raw_pct_region *record);

/* Add @n to the counter of the code at @at in @r. */
void pc_region_add(struct pc_region *r, uint64_t at, uint64_t n);

/* Add @n to bin @i. Amounts without space, or that overflow the counter, are added to the file's
 * losses. */
void pc_region_add_bin(struct pc_region *r, uint64_t i, uint64_t n);

/* Allocate space for all counters at once. */
int pc_region_reserve(struct pc_region *r);

static inline void pc_file_lose(struct pc_file *file, enum raw_pct_loss loss, uint64_t n)
{
	__atomic_fetch_add(&file->header->lost[loss], n, __ATOMIC_RELAXED);
}

/* Return zeroed memory that is valid while the file is open, or NULL. One thread at a time. */
void *pc_file_alloc(struct pc_file *file, size_t len);

/* End the use of a file and unmap it. Memory of pc_file_alloc() stays mapped, because handlers of
 * other threads may still read it. */
void pc_file_close(struct pc_file *file);

#endif
