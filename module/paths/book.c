// SPDX-License-Identifier: GPL-2.0
/* paths/book.c -- images and maps in a book of call paths. */
#include "paths/book.h"

#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "payer.h"
#include "waker.h"

#define MAP_BYTES	(16U << 20)
#define IMAGES_HIGH	((1U << OPROFILE_IMAGE_BITS) / 4 * 3)
/* Minimum age of a book of call paths before a new book replaces it. A new book makes all tasks
 * read their mappings again, so even a full book stays in use for a while. */
/* Minimum age of a book that is full of images: only paths through new mappings are incomplete. */
#define MIN_AGE		(10 * HZ)
/* Minimum age of a book that is full of nodes: nearly all new paths are lost. */
#define NODES_MIN_AGE	HZ

struct oprofile_path_book *oprofile_path_book_new(u32 epoch, u32 bits, spinlock_t *lock,
						  struct oprofile_waker *waker)
{
	struct oprofile_path_book *b = vzalloc(sizeof(*b));

	if (!b)
		return NULL;
	if (oprofile_path_nodes_alloc(&b->nodes, bits, waker)) {
		vfree(b);
		return NULL;
	}
	get_random_bytes(&b->key, sizeof(b->key));
	b->epoch = epoch;
	b->lock = lock;
	b->begun = jiffies;
	b->nr_images = 1;
	b->image[OPROFILE_KERNEL_IMAGE].sent = true;
	return b;
}

void oprofile_path_book_free(struct oprofile_path_book *b)
{
	int i, way;

	if (!b)
		return;
	for (i = 0; i < ARRAY_SIZE(b->map); i++)
		for (way = 0; way < OPROFILE_MAP_WAYS; way++)
			kvfree(rcu_dereference_protected(b->map[i][way], true));
	oprofile_path_nodes_release(&b->nodes);
	vfree(b);
}

bool oprofile_path_book_nearly_full(struct oprofile_path_book *b)
{
	if (oprofile_path_nodes_nearly_full(&b->nodes))
		return time_after(jiffies, b->begun + NODES_MIN_AGE);
	return (READ_ONCE(b->nr_images) > IMAGES_HIGH || READ_ONCE(b->share_used)) &&
	       time_after(jiffies, b->begun + MIN_AGE);
}

/*
 * Charge a new image to the payer of its file. If the image has no file, or the payer is root, and
 * root has OPROFILE_ROOT_IMAGES images already, charge the payer of the program, @program_payer,
 * instead. Return false if the limit is reached.
 */
static bool charge(struct oprofile_path_book *b, const struct oprofile_file_id *file, pid_t tgid,
		   u64 program_payer, u64 *ret_payer)
{
	u64 payer = tgid ? program_payer : file->payer;
	u32 *images;

	if (!payer && b->root_images >= OPROFILE_ROOT_IMAGES)
		payer = program_payer;
	images = payer ? &b->images_of[siphash_1u64(payer, &b->key) >> (64 - OPROFILE_SHARE_BITS)] :
			 &b->root_images;
	if (payer && *images >= OPROFILE_USER_IMAGES) {
		WRITE_ONCE(b->share_used, true);
		return false;
	}
	(*images)++;
	*ret_payer = payer;
	return true;
}

static u32 *image_chain(struct oprofile_path_book *b, const struct oprofile_place *place,
			pid_t tgid)
{
	/* Use the cookie of a file as the hash of the file's image, because cookies are consecutive
	 * numbers. */
	if (!tgid)
		return &b->image_hash[place->cookie & ((1 << OPROFILE_IMAGE_BITS) - 1)];
	return &b->image_hash[siphash_3u64(place->cookie, place->start, tgid, &b->key) >>
			      (64 - OPROFILE_IMAGE_BITS)];
}

static u32 *file_chain(struct oprofile_path_book *b, const struct oprofile_file_id *file)
{
	return &b->file_hash[oprofile_hash_file(file, &b->key) >> (64 - OPROFILE_IMAGE_BITS)];
}

static void add_to_file(struct oprofile_path_book *b, struct oprofile_path_image *image,
			struct oprofile_path_tables *tables)
{
	u32 *chain = file_chain(b, &image->file);

	rcu_assign_pointer(image->table, oprofile_path_table_of(tables, &image->file));
	image->next_of_file = *chain;
	*chain = image - b->image;
}

u32 oprofile_path_image(struct oprofile_path_book *b, const struct oprofile_place *place,
			const struct oprofile_file_id *file, pid_t tgid, u64 program_payer,
			struct oprofile_path_tables *tables)
{
	u32 *chain = image_chain(b, place, tgid), number;
	struct oprofile_path_image *image;
	u64 payer;

	lockdep_assert_held(b->lock);
	for (number = *chain; number; number = image->next) {
		image = &b->image[number];
		if (oprofile_same_place(&image->place, place) && image->tgid == tgid)
			return number;
	}
	if (b->nr_images == ARRAY_SIZE(b->image) || !charge(b, file, tgid, program_payer, &payer))
		return OPROFILE_NO_IMAGE;
	number = b->nr_images;
	image = &b->image[number];
	image->place = *place;
	image->file = *file;
	image->payer = payer;
	image->tgid = tgid;
	if (oprofile_image_has_file(image))
		add_to_file(b, image, tables);
	image->next = *chain;
	*chain = number;
	WRITE_ONCE(b->nr_images, number + 1);
	if (number == IMAGES_HIGH)
		oprofile_wake(b->nodes.waker, true);
	return number;
}

void oprofile_path_book_attach(struct oprofile_path_book *b, const struct oprofile_file_id *file,
			       struct oprofile_path_table *table)
{
	struct oprofile_path_image *image;
	u32 number;

	lockdep_assert_held(b->lock);
	for (number = *file_chain(b, file); number; number = image->next_of_file) {
		image = &b->image[number];
		if (!oprofile_same_file(&image->file, file))
			continue;
		rcu_assign_pointer(image->table, table);
		WRITE_ONCE(image->wanted, false);
		image->asked = false;
	}
}

u64 oprofile_path_book_payer(struct oprofile_path_book *b, const struct oprofile_file_id *file)
{
	u32 number;

	lockdep_assert_held(b->lock);
	for (number = *file_chain(b, file); number; number = b->image[number].next_of_file) {
		if (oprofile_same_file(&b->image[number].file, file))
			return b->image[number].payer;
	}
	return file->payer;
}

static u64 map_size(const struct oprofile_path_map *map)
{
	return struct_size(map, area, map->nr);
}

static void drop(struct oprofile_path_book *b, struct oprofile_path_map __rcu **at)
{
	struct oprofile_path_map *map = rcu_dereference_protected(*at, lockdep_is_held(b->lock));

	if (!map)
		return;
	rcu_assign_pointer(*at, NULL);
	b->map_bytes -= map_size(map);
	kvfree_rcu(map, rcu);
}

/* Return the hash table entry in which to store @map: the entry of an earlier map of the same
 * address space, an empty entry, or the entry whose map to evict. */
static struct oprofile_path_map __rcu **place_for(struct oprofile_path_book *b,
						  const struct oprofile_path_map *map)
{
	struct oprofile_path_map __rcu **maps = oprofile_path_maps_of(b, map->mm_id),
				       **empty = NULL;
	int i;

	for (i = 0; i < OPROFILE_MAP_WAYS; i++) {
		const struct oprofile_path_map *old =
			rcu_dereference_protected(maps[i], lockdep_is_held(b->lock));

		if (!old)
			empty = &maps[i];
		else if (old->mm_id == map->mm_id)
			return &maps[i];
	}
	return empty ?: &maps[b->map_turn++ % OPROFILE_MAP_WAYS];
}

void oprofile_path_book_add(struct oprofile_path_book *b, struct oprofile_path_map *map)
{
	struct oprofile_path_map __rcu **at = place_for(b, map);

	lockdep_assert_held(b->lock);
	drop(b, at);
	rcu_assign_pointer(*at, map);
	b->map_bytes += map_size(map);
	while (b->map_bytes > MAP_BYTES) {
		u32 turn = b->map_turn++ % (ARRAY_SIZE(b->map) * OPROFILE_MAP_WAYS);

		drop(b, &b->map[turn / OPROFILE_MAP_WAYS][turn % OPROFILE_MAP_WAYS]);
	}
}
