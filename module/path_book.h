/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path_book.h -- the book of call paths: nodes, their images, and the mappings of images in
 * processes.
 *
 * All data of limited size are in a book. When it is nearly full, a new one begins: the next table
 * of each CPU uses it (drain.c), and the old one is freed when its samples have been written. So
 * numbers in a book do not change, and are valid only in this book.
 *
 * A map lists the executable mappings of an address space in one generation (hooks.h). Handlers
 * read it under RCU. It has unique numbers, so it cannot be confused with another one. It is
 * evicted when there is no room.
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
	struct oprofile_file_id file;	/* the file or vDSO; {}: neither */
	/* the user who is charged for the image and for the file's table; 0: root */
	u64 payer;
	pid_t tgid;			/* the process of anonymous memory; 0: a file */
	u32 next;			/* next image with the same hash; 0: end */
	/* next image with the same hash of the file's id, if it can have a table */
	u32 next_of_file;
	bool wanted;			/* a handler has found no table for it */
	bool asked;			/* lock: the table was requested from the reader */
	bool sent;			/* the reader knows the image; only the drain uses this */
	struct oprofile_path_table __rcu *table;	/* NULL: not here (yet) */
};

/* Return whether a table of rules can exist for the image: it is a file, or the vDSO. */
static inline bool oprofile_image_has_file(const struct oprofile_path_image *image)
{
	return image->place.cookie != OPROFILE_NO_COOKIE || image->place.kind == OPROFILE_ANON_VDSO;
}

#define OPROFILE_IMAGE_BITS	14
/* maximum of images for one user, except root */
#define OPROFILE_USER_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))
/* more are charged to the user who maps the file */
#define OPROFILE_ROOT_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))
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
	bool named;		/* positions in it are offsets; otherwise addresses */
};

struct oprofile_path_map {
	struct rcu_head rcu;
	u64 mm_id, generation;
	u32 number;		/* differs from that of all other recent maps */
	u32 nr;
	struct oprofile_area area[];	/* by ascending address */
};

struct oprofile_path_book {
	u32 epoch;
	struct oprofile_path_nodes nodes;
	/* Known positions in files after a call. Handlers write an entry by one store, and a
	 * later one replaces it. A process that has changed its copy of a file can add a wrong
	 * position: then walks of processes whose code cannot be read accept it as a return
	 * address. */
	u64 called[1 << OPROFILE_CALL_BITS];

	spinlock_t *lock;	/* the owner's lock. To write any member below, hold it. */
	u32 nr_images;
	/* secret: users choose addresses, but must not choose hash chains */
	siphash_key_t key;
	u32 image_hash[1 << OPROFILE_IMAGE_BITS];
	u32 file_hash[1 << OPROFILE_IMAGE_BITS];
	struct oprofile_path_image image[1 << OPROFILE_IMAGE_BITS];	/* [0] is the kernel */
	/* number of images by payer, except root's */
	u32 images_of[1 << OPROFILE_SHARE_BITS];
	u32 root_images;		/* images charged to root */
	bool share_used;	/* an image was refused because its payer has reached the limit */
	unsigned long begun;	/* jiffies */

	u64 map_bytes;
	u32 map_turn;
	struct oprofile_path_map __rcu *map[1 << OPROFILE_MAP_BITS][OPROFILE_MAP_WAYS];
};

/* Make a book with 2^@bits nodes; @waker is woken when few are left. Process context. Return
 * NULL if out of memory. */
struct oprofile_path_book *oprofile_path_book_new(u32 epoch, u32 bits, spinlock_t *lock,
						  struct oprofile_waker *waker);
/* Free the book when no handler can use it any more. */
void oprofile_path_book_free(struct oprofile_path_book *b);
/* Return whether the book is nearly full, so that another one should begin. */
bool oprofile_path_book_scarce(struct oprofile_path_book *b);

/* Find or make the image of @place, in a file or in the memory of the current task's process
 * @tgid. The lock is held. Return NO_IMAGE if there is no room, or the user has reached the
 * limit. */
u32 oprofile_path_image(struct oprofile_path_book *b, const struct oprofile_place *place,
			const struct oprofile_file_id *file, pid_t tgid,
			struct oprofile_path_tables *tables);
/* Set the table of all images of @file to @table, which may be NULL. The lock is held. */
void oprofile_path_book_attach(struct oprofile_path_book *b, const struct oprofile_file_id *file,
			       struct oprofile_path_table *table);
/* Return the user who is charged for the table of @file: the payer of the file's image. The lock
 * is held. */
u64 oprofile_path_book_payer(struct oprofile_path_book *b, const struct oprofile_file_id *file);
/* Add @map, which the book then owns. The lock is held. */
void oprofile_path_book_add(struct oprofile_path_book *b, struct oprofile_path_map *map);

static inline struct oprofile_path_map __rcu **oprofile_path_maps_of(struct oprofile_path_book *b,
								     u64 mm_id)
{
	return b->map[hash_64(mm_id, OPROFILE_MAP_BITS)];
}

/* Return the map, or NULL if it is unknown. Under RCU. */
static inline const struct oprofile_path_map *oprofile_path_map_of(struct oprofile_path_book *b,
								   u64 mm_id, u64 generation)
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

/* Return the entry for the fact that a call ends at @offset of @image; *@number is the value
 * that states it. */
static inline u64 *oprofile_path_called(struct oprofile_path_book *b, u32 image, u64 offset,
					u64 *number)
{
	*number = (u64)image << 48 | (offset & GENMASK_ULL(47, 0));
	return &b->called[hash_64(*number, OPROFILE_CALL_BITS)];
}

/* Return the area that contains @address, or NULL. */
static inline const struct oprofile_area *oprofile_area_of(const struct oprofile_path_map *map,
							   unsigned long address)
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
