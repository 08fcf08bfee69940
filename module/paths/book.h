/* SPDX-License-Identifier: GPL-2.0 */
/*
 * paths/book.h -- the book of call paths: nodes, their images, and the mappings of images in
 * processes.
 *
 * Each node and image has a number, which is valid only in its book and never changes. The size of
 * a book is limited. When it is nearly full, a new book begins: the next table of each CPU uses the
 * new book (drain.c), and the old one is freed when all samples that refer to it have been written.
 *
 * A map lists the executable mappings of an address space in one generation (hooks.h). Handlers
 * read maps under RCU. Each map has a unique number, by which cached results of an evicted map are
 * recognised.
 */
#ifndef OPROFILE_PATHS_BOOK_H
#define OPROFILE_PATHS_BOOK_H

#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/siphash.h>
#include <linux/types.h>

#include "hit.h"
#include "paths/nodes.h"
#include "paths/tables.h"

struct oprofile_path_image {
	struct oprofile_place place;	/* mapping of the image; the offset is 0 */
	struct oprofile_file_id file;	/* the file or vDSO; all zeros if the image is neither */
	/* the user who is charged for the image and for the file's table; 0: root */
	u64 payer;
	pid_t tgid;			/* process of anonymous memory; 0: the image is a file */
	/* index of the next image with the same hash; 0: last image */
	u32 next;
	/* index of the next image whose file id has the same hash, for images that can have an
	 * unwind table */
	u32 next_of_file;
	/* a handler has needed the image's unwind table while it was missing */
	bool wanted;
	/* the unwind table has been requested from the reader and not received yet; protected by
	 * the lock */
	bool asked;
	/* the reader knows the image; only the drain uses this member */
	bool sent;
	/* unwind table of the image; NULL: the reader has not sent a table */
	struct oprofile_path_table __rcu *table;
};

/* Return whether a table of rules can exist for the image: it is a file, or the vDSO. */
static inline bool oprofile_image_has_file(const struct oprofile_path_image *image)
{
	return image->place.cookie != OPROFILE_NO_COOKIE || image->place.kind == OPROFILE_ANON_VDSO;
}

#define OPROFILE_IMAGE_BITS	14
/* maximum number of images charged to one user; for root see below */
#define OPROFILE_USER_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))
/* maximum number of images charged to root; further images of root's files are charged to the user
 * who maps them */
#define OPROFILE_ROOT_IMAGES	(1 << (OPROFILE_IMAGE_BITS - 2))
/* log2 of the number of counters of images per user; users with equal hashes share one counter */
#define OPROFILE_SHARE_BITS	8
#define OPROFILE_KERNEL_IMAGE	0U
#define OPROFILE_NO_IMAGE	(~0U)
#define OPROFILE_CALL_BITS	14
#define OPROFILE_MAP_BITS	9
#define OPROFILE_MAP_WAYS	4

struct oprofile_area {
	unsigned long start, end;
	/* number to add to an address in the mapping to get the offset in the file or vDSO */
	u64 delta;
	u32 image;
	/* whether the mapping is of a file, so that frames are stored as offsets in the file;
	 * false: frames are stored as addresses */
	bool named;
};

struct oprofile_path_map {
	struct rcu_head rcu;
	u64 mm_id, generation;
	/* number of the map, by which cached results of an evicted map are recognised as stale */
	u32 number;
	u32 nr;
	struct oprofile_area area[];	/* areas in ascending order of address */
};

struct oprofile_path_book {
	u32 epoch;
	struct oprofile_path_nodes nodes;
	/*
	 * Cache of return addresses in files: each of them follows a call instruction. Handlers
	 * write each entry by a single store, and a later return address replaces the entry. A
	 * process that has modified its copy of a file can add a wrong position: then walks of
	 * processes whose code cannot be read accept it as a return address.
	 */
	u64 called[1 << OPROFILE_CALL_BITS];

	spinlock_t *lock;	/* the lock, shared by all books; must be held to write the members
				 * below */
	u32 nr_images;
	/* secret key of the hashes: users can choose addresses, but must not be able to choose
	 * the hash chain */
	siphash_key_t key;
	u32 image_hash[1 << OPROFILE_IMAGE_BITS];
	u32 file_hash[1 << OPROFILE_IMAGE_BITS];
	/* images of the book's frames; image[0] is the kernel */
	struct oprofile_path_image image[1 << OPROFILE_IMAGE_BITS];
	/* number of images that are charged to each user except root */
	u32 images_of[1 << OPROFILE_SHARE_BITS];
	u32 root_images;		/* number of images that are charged to root */
	bool share_used;	/* whether an image was refused because of its payer's limit */
	unsigned long begun;	/* time at which the book was begun, in jiffies */

	u64 map_bytes;
	u32 map_turn;
	struct oprofile_path_map __rcu *map[1 << OPROFILE_MAP_BITS][OPROFILE_MAP_WAYS];
};

/* Allocate a book with room for 2^@bits nodes; @waker is woken when few unused nodes are left.
 * Process context. Return NULL if out of memory. */
struct oprofile_path_book *oprofile_path_book_new(u32 epoch, u32 bits, spinlock_t *lock,
						  struct oprofile_waker *waker);
/* Free the book. Call this function only when no handler can use the book any more. */
void oprofile_path_book_free(struct oprofile_path_book *b);
/* Return whether few nodes or images are left, so that a new book should begin. */
bool oprofile_path_book_nearly_full(struct oprofile_path_book *b);

/*
 * Return the number of the image of @place; add the image if it is missing. The image is in a file,
 * or is anonymous memory of the process @tgid. @program_payer: the user of the process. The caller
 * holds the book's lock. Return NO_IMAGE if the book has no room, or the user has reached the limit
 * of images.
 */
u32 oprofile_path_image(struct oprofile_path_book *b, const struct oprofile_place *place,
			const struct oprofile_file_id *file, pid_t tgid, u64 program_payer,
			struct oprofile_path_tables *tables);
/* Set the unwind table of all images of @file to @table, which may be NULL. The caller holds the
 * books' lock. */
void oprofile_path_book_attach(struct oprofile_path_book *b, const struct oprofile_file_id *file,
			       struct oprofile_path_table *table);
/* Return the user to charge for the unwind table of @file: the user who is charged for the file's
 * image. The caller holds the books' lock. */
u64 oprofile_path_book_payer(struct oprofile_path_book *b, const struct oprofile_file_id *file);
/* Add @map to the book, and take ownership of @map. The caller holds the books' lock. */
void oprofile_path_book_add(struct oprofile_path_book *b, struct oprofile_path_map *map);

static inline struct oprofile_path_map __rcu **oprofile_path_maps_of(struct oprofile_path_book *b,
								     u64 mm_id)
{
	return b->map[hash_64(mm_id, OPROFILE_MAP_BITS)];
}

/* Return the map of the address space @mm_id in @generation, or NULL. Called under RCU. */
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

/* Return the entry of the cache of return addresses (.called) for @offset in @image. Set *@number
 * to the value of the entry if a call instruction is known to end at @offset. */
static inline u64 *oprofile_path_called(struct oprofile_path_book *b, u32 image, u64 offset,
					u64 *number)
{
	*number = (u64)image << 48 | (offset & GENMASK_ULL(47, 0));
	return &b->called[hash_64(*number, OPROFILE_CALL_BITS)];
}

/* Return the area (executable mapping) of @map that contains @address, or NULL. */
static inline const struct oprofile_area *oprofile_area_of(const struct oprofile_path_map *map,
							   unsigned long address)
{
	u32 first = 0, end = map->nr;

	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (map->area[middle].start <= address)
			first = middle + 1;
		else
			end = middle;
	}
	return first && address < map->area[first - 1].end ? &map->area[first - 1] : NULL;
}

#endif
