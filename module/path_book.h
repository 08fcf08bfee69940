/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_book.h -- what paths are made of: nodes, the images that they are in, and where processes have mapped those.
 *
 * All that has a limit is in a book, and when it is nearly full a new one is begun: every CPU's next table counts by that
 * (drain.c), and the old one goes when what was counted by it is written. So numbers in a book stay as they are, and none means
 * anything in another.
 *
 * A map is what is executable in an address space in one generation (hooks.h) of it, read by handlers under RCU. It
 * is known by numbers that no other gets, so it cannot be taken for another's, and goes when there is no room.
 */
#ifndef OPROFILE_PATH_BOOK_H
#define OPROFILE_PATH_BOOK_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "hit.h"
#include "path_nodes.h"
#include "path_tables.h"

struct oprofile_path_image {
	struct oprofile_place place;	/* offset: 0 */
	struct oprofile_file_id file;	/* {}: none */
	pid_t tgid;			/* whose memory; 0 for a file */
	u32 next;			/* image of the same hash */
	bool wanted;			/* a handler has come upon it and has no table */
	bool asked;			/* the reader was told so; lock */
	bool sent;			/* the drain's */
	struct oprofile_path_table __rcu *table;	/* NULL: not here (yet) */
};

#define OPROFILE_IMAGE_BITS	14
#define OPROFILE_KERNEL_IMAGE	0U
#define OPROFILE_NO_IMAGE	(~0U)
#define OPROFILE_MAP_BITS	9
#define OPROFILE_MAP_WAYS	4

struct oprofile_area {
	unsigned long start, end;
	u64 delta;		/* + address: offset in the file, or in the vdso */
	u32 image;
	bool named;		/* places are offsets, else addresses */
};

struct oprofile_path_map {
	struct rcu_head rcu;
	u64 mm_id, generation;
	u32 number;		/* other than any other's of late */
	u32 nr;
	struct oprofile_area area[];	/* ascending */
};

struct oprofile_path_book {
	u32 epoch;
	struct oprofile_path_nodes nodes;

	spinlock_t *lock;	/* its owner's: of all that follows, but for reading */
	u32 nr_images;
	u32 image_hash[1 << OPROFILE_IMAGE_BITS];
	struct oprofile_path_image image[1 << OPROFILE_IMAGE_BITS];	/* 0: the kernel */

	u64 map_bytes;
	u32 map_turn;
	struct oprofile_path_map __rcu *map[1 << OPROFILE_MAP_BITS][OPROFILE_MAP_WAYS];
};

/* With 2^@bits nodes; @waker is woken when they get scarce. NULL: no memory. Process context. */
struct oprofile_path_book *oprofile_path_book_new(u32 epoch, u32 bits, spinlock_t *lock, struct oprofile_waker *waker);
/* No handler can be looking. */
void oprofile_path_book_free(struct oprofile_path_book *b);
/* Time to begin another one. */
bool oprofile_path_book_scarce(struct oprofile_path_book *b);

/* lock held: the image of @place, in the memory of the process @tgid or a file. NO_IMAGE: no room. */
u32 oprofile_path_image(struct oprofile_path_book *b, const struct oprofile_place *place,
			const struct oprofile_file_id *file, pid_t tgid, struct oprofile_path_tables *tables);
/* lock held: all images of @file lead to @table from now on, or to none. */
void oprofile_path_book_attach(struct oprofile_path_book *b, const struct oprofile_file_id *file,
			       struct oprofile_path_table *table);
/* lock held: @map is the book's. */
void oprofile_path_book_add(struct oprofile_path_book *b, struct oprofile_path_map *map);

static inline struct oprofile_path_map __rcu **oprofile_path_maps_of(struct oprofile_path_book *b, u64 mm_id)
{
	return b->map[hash_64(mm_id, OPROFILE_MAP_BITS)];
}

/* NULL: not known. RCU. */
static inline const struct oprofile_path_map *oprofile_path_map_of(struct oprofile_path_book *b, u64 mm_id,
								    u64 generation)
{
	struct oprofile_path_map __rcu **maps = oprofile_path_maps_of(b, mm_id);
	int i;

	for (i = 0; i < OPROFILE_MAP_WAYS; i++) {
		const struct oprofile_path_map *map = rcu_dereference(maps[i]);

		if (map && map->mm_id == mm_id && map->generation == generation)
			return map;
	}
	return NULL;
}

/* The area that @address is in, or NULL. */
static inline const struct oprofile_area *oprofile_area_of(const struct oprofile_path_map *map, unsigned long address)
{
	u32 first = 0, behind = map->nr;

	while (first < behind) {
		u32 middle = first + (behind - first) / 2;

		if (map->area[middle].start <= address)
			first = middle + 1;
		else
			behind = middle;
	}
	return first && address < map->area[first - 1].end ? &map->area[first - 1] : NULL;
}

#endif
