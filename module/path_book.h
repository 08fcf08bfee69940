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

#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "hit.h"
#include "path_nodes.h"
#include "path_tables.h"

struct oprofile_path_image {
	struct oprofile_place place;	/* offset: 0 */
	struct oprofile_file_id file;	/* or which vdso it is; {}: neither */
	u64 payer;			/* the user who is charged for the image and for the file's table; 0: root */
	pid_t tgid;			/* the process whose memory it is; 0: it is a file */
	u32 next;			/* next image with the same hash, 0: none */
	u32 next_of_file;		/* the same by what the file is told by, if there can be a table for it */
	bool wanted;			/* a handler has met it and found no table */
	bool asked;			/* the reader was asked for its table; lock */
	bool sent;			/* the reader knows it; only the drain uses this */
	struct oprofile_path_table __rcu *table;	/* NULL: not here (yet) */
};

/* Return whether a table of rules can exist for the image: it is a file, or the vDSO. */
static inline bool oprofile_image_has_file(const struct oprofile_path_image *image)
{
	return image->place.cookie != OPROFILE_NO_COOKIE || image->place.kind == OPROFILE_ANON_VDSO;
}

#define OPROFILE_IMAGE_BITS	14
#define OPROFILE_USER_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))	/* maximum of images for one user, except root */
#define OPROFILE_ROOT_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))	/* more are charged to the user who maps the file */
#define OPROFILE_SHARE_BITS	8	/* users who share an entry share its images */
#define OPROFILE_KERNEL_IMAGE	0U
#define OPROFILE_NO_IMAGE	(~0U)
#define OPROFILE_CALL_BITS	14
#define OPROFILE_MAP_BITS	9
#define OPROFILE_MAP_WAYS	4

struct oprofile_area {
	unsigned long start, end;
	u64 delta;		/* added to an address, it gives the offset in the file or vdso */
	u32 image;
	bool named;		/* places in it are offsets; otherwise addresses */
};

struct oprofile_path_map {
	struct rcu_head rcu;
	u64 mm_id, generation;
	u32 number;		/* no other map of late has the same number */
	u32 nr;
	struct oprofile_area area[];	/* by ascending address */
};

struct oprofile_path_book {
	u32 epoch;
	struct oprofile_path_nodes nodes;
	/* Places in files that are behind a call: written by handlers, one store each, the later of two in one place. A process
	 * that has changed its copy of a file can bring a wrong one: then others who cannot read their code believe in
	 * what lies in their stacks. */
	u64 called[1 << OPROFILE_CALL_BITS];

	spinlock_t *lock;	/* the owner's lock. To write any member below, hold it. */
	u32 nr_images;
	siphash_key_t key;	/* users choose where they map, but not which images share a chain */
	u32 image_hash[1 << OPROFILE_IMAGE_BITS];
	u32 file_hash[1 << OPROFILE_IMAGE_BITS];
	struct oprofile_path_image image[1 << OPROFILE_IMAGE_BITS];	/* [0] is the kernel */
	u32 images_of[1 << OPROFILE_SHARE_BITS];	/* by payer, but for root */
	u32 root_images;		/* images charged to root */
	bool share_used;	/* somebody was refused an image */
	unsigned long begun;	/* jiffies */

	u64 map_bytes;
	u32 map_turn;
	struct oprofile_path_map __rcu *map[1 << OPROFILE_MAP_BITS][OPROFILE_MAP_WAYS];
};

/* Makes a book of 2^@bits nodes; @waker is woken when few are left. NULL: no memory. Process
 * context. */
struct oprofile_path_book *oprofile_path_book_new(u32 epoch, u32 bits, spinlock_t *lock, struct oprofile_waker *waker);
/* Call it when no handler can be looking. */
void oprofile_path_book_free(struct oprofile_path_book *b);
/* True: it is nearly full, so another book is to be begun. */
bool oprofile_path_book_scarce(struct oprofile_path_book *b);

/* lock held: finds or makes the image of @place, in a file or in the memory of the current task's process
 * @tgid. NO_IMAGE: no room, for this user at least. */
u32 oprofile_path_image(struct oprofile_path_book *b, const struct oprofile_place *place,
			const struct oprofile_file_id *file, pid_t tgid, struct oprofile_path_tables *tables);
/* lock held: gives all images of @file this @table, or none. */
void oprofile_path_book_attach(struct oprofile_path_book *b, const struct oprofile_file_id *file,
			       struct oprofile_path_table *table);
/* lock held: return the user who is charged for the table of @file: the payer of the file's image. */
u64 oprofile_path_book_payer(struct oprofile_path_book *b, const struct oprofile_file_id *file);
/* lock held: takes @map over. */
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

/* Where in the book it is told that a call ends at @offset of an @image, and as which number. */
static inline u64 *oprofile_path_called(struct oprofile_path_book *b, u32 image, u64 offset, u64 *number)
{
	*number = (u64)image << 48 | (offset & GENMASK_ULL(47, 0));
	return &b->called[hash_64(*number, OPROFILE_CALL_BITS)];
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
