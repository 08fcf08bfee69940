// SPDX-License-Identifier: GPL-2.0-or-later
/* maps.c -- table of the mappings of one address space. */
#include "config.h"
#include "daemon/image/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/image/mapped_file.h"
#include "libop/base/search.h"

struct opd_maps {
	size_t refs;
	size_t nr, cap;
	size_t name_bytes;
	struct opd_map map[];
};

struct opd_maps *opd_maps_share(struct opd_maps *maps)
{
	if (maps)
		maps->refs++;
	return maps;
}

void opd_maps_put(struct opd_maps *maps)
{
	if (!maps || --maps->refs)
		return;
	for (size_t i = 0; i < maps->nr; i++)
		opd_mapped_file_put(maps->map[i].file);
	free(maps);
}

size_t opd_maps_nr(const struct opd_maps *maps)
{
	return maps ? maps->nr : 0;
}

size_t opd_maps_name_bytes(const struct opd_maps *maps)
{
	return maps ? maps->name_bytes : 0;
}

static size_t bytes_of(const struct opd_map *map)
{
	return map->file ? opd_mapped_file_bytes(map->file) : 0;
}

/* Return the index of the first mapping that ends above @address. */
static size_t first_above(const struct opd_maps *maps, uint64_t address)
{
	return op_partition_point(i, maps->nr, maps->map[i].end <= address);
}

/* If *@maps is shared with another process, replace it by a private copy. Allocate memory for @room
 * more mappings. */
static int make_writable(struct opd_maps **maps, size_t room)
{
	struct opd_maps *old = *maps, *m;
	size_t nr = old ? old->nr : 0;
	size_t cap;

	if (old && old->refs == 1 && old->cap - nr >= room)
		return 0;
	cap = nr + nr / 2 + room + 6;
	if (old && old->refs == 1) {
		m = realloc(old, sizeof(*m) + cap * sizeof(m->map[0]));
		if (!m)
			return -ENOMEM;
		m->cap = cap;
		*maps = m;
		return 0;
	}
	m = malloc(sizeof(*m) + cap * sizeof(m->map[0]));
	if (!m)
		return -ENOMEM;
	m->refs = 1;
	m->cap = cap;
	m->nr = nr;
	m->name_bytes = old ? old->name_bytes : 0;
	for (size_t i = 0; i < nr; i++) {
		m->map[i] = old->map[i];
		opd_mapped_file_get(m->map[i].file);
	}
	opd_maps_put(old);
	*maps = m;
	return 0;
}

static void cut_front(struct opd_map *map, uint64_t start)
{
	map->pgoff += start - map->start;
	map->start = start;
}

int opd_maps_insert(struct opd_maps **maps, const struct opd_map *map)
{
	struct opd_map pieces[3];
	size_t first, last, nr_pieces = 0;
	struct opd_maps *m;
	int err;

	if (map->start >= map->end)
		return -EINVAL;
	if (opd_maps_nr(*maps) >= OPD_MAPS_MAX)
		return -E2BIG;
	err = make_writable(maps, 2);
	if (err)
		return err;
	m = *maps;

	/* The mappings with indices first to last - 1 overlap the new mapping. Keep the parts of
	 * these mappings that are outside the new mapping. */
	first = first_above(m, map->start);
	for (last = first; last < m->nr && m->map[last].start < map->end; last++)
		;
	if (first == last) {	/* common case: no overlap */
		memmove(&m->map[first + 1], &m->map[first], (m->nr++ - first) * sizeof(m->map[0]));
		m->map[first] = *map;
		m->name_bytes += bytes_of(map);
		opd_mapped_file_get(map->file);
		return 0;
	}
	if (m->map[first].start < map->start) {
		pieces[nr_pieces] = m->map[first];
		pieces[nr_pieces].end = map->start;
		opd_mapped_file_get(pieces[nr_pieces++].file);
	}
	pieces[nr_pieces] = *map;
	opd_mapped_file_get(pieces[nr_pieces++].file);
	if (m->map[last - 1].end > map->end) {
		pieces[nr_pieces] = m->map[last - 1];
		cut_front(&pieces[nr_pieces], map->end);
		opd_mapped_file_get(pieces[nr_pieces++].file);
	}

	for (size_t i = first; i < last; i++) {
		m->name_bytes -= bytes_of(&m->map[i]);
		opd_mapped_file_put(m->map[i].file);
	}
	for (size_t i = 0; i < nr_pieces; i++)
		m->name_bytes += bytes_of(&pieces[i]);
	memmove(&m->map[first + nr_pieces], &m->map[last], (m->nr - last) * sizeof(m->map[0]));
	memcpy(&m->map[first], pieces, nr_pieces * sizeof(pieces[0]));
	m->nr = m->nr - (last - first) + nr_pieces;
	return 0;
}

int opd_maps_fill(struct opd_maps **maps, const struct opd_map *map, uint64_t address)
{
	struct opd_map part = *map;

	if (address < map->start || address >= map->end)
		return -EINVAL;
	if (*maps) {
		const struct opd_maps *m = *maps;
		size_t i = first_above(m, address);

		if (i < m->nr && m->map[i].start <= address)
			return -EEXIST;
		if (i < m->nr && m->map[i].start < part.end)
			part.end = m->map[i].start;
		if (i > 0 && m->map[i - 1].end > part.start)
			cut_front(&part, m->map[i - 1].end);
	}
	return opd_maps_insert(maps, &part);
}

const struct opd_map *opd_maps_find(const struct opd_maps *maps, uint64_t address)
{
	size_t i;

	if (!maps)
		return NULL;
	i = first_above(maps, address);
	if (i < maps->nr && maps->map[i].start <= address)
		return &maps->map[i];
	return NULL;
}
