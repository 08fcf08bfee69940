/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h -- what lies where in one address space: intervals sorted by address, never overlapping.
 *
 * The table is shared between a process and the children it forked until one of them changes
 * (copy on write), because most children exec at once. The perf_events source is the only user;
 * one thread.
 */
#ifndef OPD_MAPS_H
#define OPD_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct opd_mapped_file;	/* daemon/image/mapped_file.h */

struct opd_map {
	uint64_t start, end;
	uint64_t pgoff;			/* bytes; offset in the file of @start */
	struct opd_mapped_file *file;	/* NULL: memory without a file, called @label */
	const char *label;		/* static */
};

/* More executable mappings than this in one process: the oldest knowledge is forgotten. */
#define OPD_MAPS_MAX	32768

struct opd_maps;	/* NULL: an empty table */

/* Another reference to the same table. */
struct opd_maps *opd_maps_share(struct opd_maps *maps);
void opd_maps_put(struct opd_maps *maps);

size_t opd_maps_nr(const struct opd_maps *maps);
/* What the names of the files in it cost, were they in no other table. */
size_t opd_maps_name_bytes(const struct opd_maps *maps);

/*
 * Puts @map in, over what was there: older mappings are cut back, split or removed. Takes its own
 * reference on map->file. *@maps may be replaced by a private copy. 0, -EINVAL for an empty or
 * wrapping range, -E2BIG at OPD_MAPS_MAX, -ENOMEM; the table is unchanged on failure.
 */
int opd_maps_insert(struct opd_maps **maps, const struct opd_map *map);

/* The same, only where nothing was: the part of @map around @address. -EEXIST if that is taken. */
int opd_maps_fill(struct opd_maps **maps, const struct opd_map *map, uint64_t address);

/* Valid until the table changes. NULL: nothing there. */
const struct opd_map *opd_maps_find(const struct opd_maps *maps, uint64_t address);

#endif
