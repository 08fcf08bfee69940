/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h -- the executable mappings of one address space, sorted by address, without overlaps.
 *
 * After a fork, parent and child share the table until one of them changes it (copy on write),
 * because most children call exec immediately. Only the perf_events source uses this file. Not
 * thread-safe.
 */
#ifndef OPD_MAPS_H
#define OPD_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct opd_mapped_file;	/* see daemon/image/mapped_file.h */

struct opd_map {
	uint64_t start, end;
	uint64_t pgoff;			/* file offset of .start in bytes */
	/* the file that is mapped; NULL: anonymous memory, which .label describes */
	struct opd_mapped_file *file;
	const char *label;		/* label of anonymous memory (anon.h); a static string */
};

/* Maximum number of executable mappings of a process; further opd_maps_insert() calls fail. */
#define OPD_MAPS_MAX	32768

struct opd_maps;	/* a NULL pointer is an empty table of mappings */

/* Return a new reference to the table of mappings. */
struct opd_maps *opd_maps_share(struct opd_maps *maps);
void opd_maps_put(struct opd_maps *maps);

/* For tests: return the number of mappings. */
size_t opd_maps_nr(const struct opd_maps *maps);
/* Return the memory in bytes of the paths of all files in the table. Files that other tables also
 * contain count fully. */
size_t opd_maps_name_bytes(const struct opd_maps *maps);

/*
 * Insert @map; shorten, split or remove older mappings at the same addresses. The table takes its
 * own reference to map->file. *@maps may be replaced by a private copy. Return 0, -EINVAL for an
 * empty or wrapping range, -E2BIG at OPD_MAPS_MAX, or -ENOMEM. An error leaves the table
 * unchanged.
 */
int opd_maps_insert(struct opd_maps **maps, const struct opd_map *map);

/* Insert the part of @map around @address that does not overlap existing mappings, as
 * opd_maps_insert() does. Return -EEXIST if @address is already mapped. */
int opd_maps_fill(struct opd_maps **maps, const struct opd_map *map, uint64_t address);

/* Return the mapping at @address, or NULL. The pointer is valid until the table changes. */
const struct opd_map *opd_maps_find(const struct opd_maps *maps, uint64_t address);

#endif
