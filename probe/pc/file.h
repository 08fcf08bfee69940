/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h -- a .pct file that is being written: through a shared mapping, so that it is true whatever becomes of the
 * writer.
 *
 * Files are sparse. What is touched first in a page of a mapping may have no room on a full disk, and the kernel kills
 * who touches it; so room is asked for first, a page at a time, by whoever claims the page. Samples that meet a page
 * that is claimed, or has got no room, are counted as losses.
 */
#ifndef PROBE_PC_FILE_H
#define PROBE_PC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/raw/pct.h"
#include "probe/pc/fd.h"

/* Code with counters in a file. It stays where it is until the file is closed; handlers may use it. */
struct pc_region {
	uint64_t start, end;
	struct raw_pct_region *record;	/* in the file's mapping */
	unsigned char *counters;
	uint32_t bin, width;
	/* A bit for each page that the counters are in. */
	uint8_t *claimed, *has_room;
	struct pc_file *file;
	struct pc_region *next;		/* of the file, newest first */
};

struct pc_file {
	struct pc_fd fd;
	struct raw_pct_header *header;	/* NULL: there is no file */
	uint64_t *last;		/* the link to the next region */
	uint64_t end;
	struct pc_region *regions;
	size_t nr_regions;
	/* Memory for the above: chunks that are never freed while the file is open. */
	char *chunk;
	size_t chunk_left;
};

#define PC_MAX_REGIONS	4096

/*
 * Creates @path (O_EXCL, mode 0600, through no link) with this header. 0 or negative errno: -EEXIST too; then there is
 * nothing left.
 */
int pc_file_create(struct pc_file *file, const char *path, const struct raw_pct_header *header);

/* Adds a region with counters as @record says (.counters and .next are filled in); NULL: no room or no memory. One
 * thread at a time. */
struct pc_region *pc_file_append(struct pc_file *file, const struct raw_pct_region *record);

/* Adds @n to the counter of the code at @at, which is in @r. */
void pc_region_add(struct pc_region *r, uint64_t at, uint64_t n);

/* Adds @n to bin @i. What found no room or no place in the counter is added to the losses of the file. */
void pc_region_add_bin(struct pc_region *r, uint64_t i, uint64_t n);

/* Asks for room for all counters at once. */
int pc_region_reserve(struct pc_region *r);

static inline void pc_file_lose(struct pc_file *file, enum raw_pct_loss loss, uint64_t n)
{
	__atomic_fetch_add(&file->header->lost[loss], n, __ATOMIC_RELAXED);
}

/* Memory that lives as long as the file is open; zeroed. NULL: there is none. One thread at a time. */
void *pc_file_alloc(struct pc_file *file, size_t len);

/* Ends the use of a file; nothing of it is mapped any more, but for memory of pc_file_alloc(), which handlers of other
 * threads may still look at. */
void pc_file_close(struct pc_file *file);

#endif
