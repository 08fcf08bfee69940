/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h -- table of the mappings of one address space: intervals in order of address, which never
 * overlap.
 *
 * A process shares its table with the children that it forked until one of them changes it (copy on
 * write), because most children exec at once. Only the perf_events source uses this file. Not
 * thread-safe.
 */
#ifndef OPD_MAPS_H
#define OPD_MAPS_H

#include <stddef.h>
#include <stdint.h>

struct opd_mapped_file;	/* see daemon/image/mapped_file.h */

struct opd_map {
	uint64_t start, end;
	uint64_t pgoff;			/* offset of .start in the file, in bytes */
	/* the mapped file; NULL: memory without a file, with the name .label */
	struct opd_mapped_file *file;
	const char *label;		/* label of memory without a file; a static string */
};

/* Limit of executable mappings in one process. At the limit, opd_maps_insert() fails. */
#define OPD_MAPS_MAX	32768

struct opd_maps;	/* table of mappings; a NULL pointer is an empty table */

/* Return another reference to the same table. */
struct opd_maps *opd_maps_share(struct opd_maps *maps);
void opd_maps_put(struct opd_maps *maps);

/* Return the number of mappings. Declared for tests. */
size_t opd_maps_nr(const struct opd_maps *maps);
/* Return the memory for the names of the table's files, in bytes, including files shared with other
 * tables. */
size_t opd_maps_name_bytes(const struct opd_maps *maps);

/*
 * Insert the mapping @map: cut, split or remove older mappings at the same addresses. Takes another
 * reference to map->file. *@maps may be replaced by a private copy. Return 0, -EINVAL for an empty
 * or wrapping range, -E2BIG at OPD_MAPS_MAX, or -ENOMEM; the table is unchanged on failure.
 */
int opd_maps_insert(struct opd_maps **maps, const struct opd_map *map);

/* Insert only the part of @map around @address that is free; otherwise like opd_maps_insert().
 * Return -EEXIST if @address is mapped. */
int opd_maps_fill(struct opd_maps **maps, const struct opd_map *map, uint64_t address);

/* Return the mapping at @address, or NULL. The pointer is valid until the table changes. */
const struct opd_map *opd_maps_find(const struct opd_maps *maps, uint64_t address);

#endif
