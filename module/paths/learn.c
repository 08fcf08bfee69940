// SPDX-License-Identifier: GPL-2.0
/* paths/learn.c -- reading a task's mappings in its own context, and receiving unwind tables
 * from the reader of `buffer`. */
#include "paths/paths.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "anon.h"
#include "paths/regs.h"
#include "sampling.h"
#include "uapi/oprofile.h"

#define MAX_AREAS	2048
/* maximum number of mappings to add to a book before the book's lock is released for a moment */
#define AREAS_AT_ONCE	64
#define MAPPINGS_AT_ONCE 256	/* number of mappings to examine between two cond_resched() */
/* maximum number of mappings to examine in search of executable ones */
#define MAX_MAPPINGS	32768

/* Do not wait for memory, because the sampled program is waiting (as in cookie.c). */
#define GFP_TRY		(GFP_NOWAIT | __GFP_NOWARN)

/* An executable mapping of the task. It becomes an area of the task's map in the book of call paths
 * (paths/book.h). */
struct found {
	unsigned long start, end;
	u64 delta;
	struct file *file;		/* the mapped file; the struct holds a reference */
	struct oprofile_place place;
	struct oprofile_file_id id;
};

struct mapping_list {
	struct found *found;
	u32 nr, room;
	/* whether the list lacks mappings, because memory was short */
	bool partial;
	u64 generation;
	/* executable file of the program; usually also in the list of mapped files. If it is
	 * not, .program.id is 0 */
	const struct file *exe;
	struct oprofile_known_program program;
};

static bool make_room(struct mapping_list *l)
{
	u32 room = l->room ? l->room * 2 : 8;
	struct found *found;

	if (l->nr < l->room)
		return true;
	if (room > MAX_AREAS)
		return false;
	found = krealloc(l->found, array_size(room, sizeof(*found)), GFP_TRY | __GFP_ACCOUNT);
	if (!found) {
		l->partial = true;
		return false;
	}
	l->found = found;
	l->room = room;
	return true;
}

static void add(struct mapping_list *l, const struct vm_area_struct *vma)
{
	struct found *f = &l->found[l->nr++];

	*f = (struct found){ .start = vma->vm_start, .end = vma->vm_end };
	if (oprofile_is_anon(vma)) {
		f->place = oprofile_anon_place(vma);
		if (f->place.kind == OPROFILE_ANON_VDSO) {
			f->delta = -vma->vm_start;
			f->id = oprofile_vdso_id(oprofile_vdso_is_32(vma->vm_mm));
		}
	} else {
		f->delta = ((u64)vma->vm_pgoff << PAGE_SHIFT) - vma->vm_start;
		f->file = get_file(vma->vm_file);
	}
}

/* Collect the executable mappings of @mm. Return false if another thread holds the mmap_lock of
 * @mm. */
static bool collect(struct oprofile_sampling *s, struct mm_struct *mm, struct mapping_list *l)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	u32 looked = 0;

	if (!mmap_read_trylock(mm))
		return false;
	l->generation = oprofile_generation_make(&s->hooks, mm);
	/* The pointer may only be compared: the file may have been freed, unless it is also in
	 * the list of mapped files. */
	l->exe = rcu_access_pointer(mm->exe_file);
	for_each_vma(vmi, vma) {
		if (++looked > MAX_MAPPINGS)
			break;
		if (looked % MAPPINGS_AT_ONCE == 0)
			cond_resched();
		if (!(vma->vm_flags & VM_EXEC))
			continue;
		if (!make_room(l))
			break;
		add(l, vma);
	}
	mmap_read_unlock(mm);
	return true;
}

/* Look up the cookies of the collected files, and drop the references to the files. */
static void name_files(struct oprofile_sampling *s, const struct mm_struct *mm, u64 payer,
		       struct mapping_list *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++) {
		struct found *f = &l->found[i];

		if (!f->file)
			continue;
		f->place.cookie =
			oprofile_cookie_paid_by(&s->identity.cookies, f->file, payer);
		if (!oprofile_cookie_file(&s->identity.cookies, f->place.cookie, &f->id))
			f->place.cookie = OPROFILE_INVALID_COOKIE;
		else if (f->file == l->exe)
			l->program = (struct oprofile_known_program){
				.id = oprofile_program_id_by(mm, l->exe), .app = f->place.cookie,
			};
		fput(f->file);
	}
}

static struct oprofile_path_map *make_map(struct oprofile_paths *p, struct mm_struct *mm,
					  const struct mapping_list *l)
{
	struct oprofile_path_map *map =
		kmalloc(struct_size(map, area, l->nr), GFP_TRY | __GFP_ACCOUNT);

	if (!map)
		return NULL;
	map->mm_id = oprofile_mm_id(mm);
	map->generation = l->generation;
	map->nr = 0;
	do {
		map->number = atomic_inc_return(&p->maps);
	} while (!map->number);
	return map;
}

/* Add the areas @first to @end - 1 to @map. Do not request unwind tables here: only few of the
 * mapped files occur in call paths, and a walk requests the table of each such file. */
static void enter_areas(struct oprofile_paths *p, struct oprofile_path_book *b,
			struct oprofile_path_map *map, const struct mapping_list *l, pid_t tgid,
			u64 payer, u32 first, u32 end)
{
	u32 i, image;

	lockdep_assert_held(&p->lock);
	for (i = first; i < end; i++) {
		const struct found *f = &l->found[i];

		if (f->place.cookie == OPROFILE_INVALID_COOKIE)
			continue;
		image = oprofile_path_image(b, &f->place, &f->id, f->file ? 0 : tgid,
					    payer, &p->tables);
		if (image == OPROFILE_NO_IMAGE)
			continue;
		map->area[map->nr++] = (struct oprofile_area){
			.start = f->start,
			.end = f->end,
			.delta = f->delta,
			.image = image,
			.named = f->file,
		};
	}
}

/* Fill @map and add it to the book of @epoch. If that book is not the current one any more, free
 * the map. The lock is released after every AREAS_AT_ONCE areas, because other tasks wait for the
 * lock. */
static void enter(struct oprofile_paths *p, u32 epoch, struct oprofile_path_map *map,
		  const struct mapping_list *l, pid_t tgid, u64 payer)
{
	bool there = true;
	u32 i = 0, end;

	do {
		end = min(l->nr, i + AREAS_AT_ONCE);
		spin_lock(&p->lock);
		/* The cookies and image numbers are valid only in the book in which they were
		 * looked up, so check that it is still the current book. */
		there = p->book && p->book->epoch == epoch;
		if (there)
			enter_areas(p, p->book, map, l, tgid, payer, i, end);
		if (there && end == l->nr)
			oprofile_path_book_add(p->book, map);
		spin_unlock(&p->lock);
		cond_resched();
		i = end;
	} while (there && i < l->nr);
	if (!there)
		kfree(map);
}

/* Return the epoch of the current book of call paths (paths/book.h) if the mappings of @mm must be
 * read, because the book has no current map of them. Otherwise return 0. */
static u32 epoch_without_map(struct oprofile_sampling *s, struct mm_struct *mm)
{
	struct oprofile_paths *p = s->paths;
	u32 epoch = 0;

	spin_lock(&p->lock);
	rcu_read_lock();
	if (p->book && oprofile_mm_id(mm) &&
	    !(READ_ONCE(s->hooks.maps_watched) &&
	      oprofile_path_map_of(p->book, oprofile_mm_id(mm),
				   oprofile_generation(&s->hooks, mm))))
		epoch = p->book->epoch;
	rcu_read_unlock();
	spin_unlock(&p->lock);
	return epoch;
}

bool oprofile_paths_find(struct oprofile_sampling *s, const struct mm_struct *mm, unsigned long pc,
			 struct oprofile_place *place, u64 *generation)
{
	const struct oprofile_area *area = NULL;
	const struct oprofile_path_map *map;
	struct oprofile_paths *p = s->paths;

	*generation = oprofile_generation(&s->hooks, mm);
	spin_lock(&p->lock);
	rcu_read_lock();
	map = p->book && READ_ONCE(s->hooks.maps_watched) ?
	      oprofile_path_map_of(p->book, oprofile_mm_id(mm), *generation) : NULL;
	if (map)
		area = oprofile_area_of(map, pc);
	if (area) {
		*place = p->book->image[area->image].place;
		if (place->cookie != OPROFILE_NO_COOKIE)
			place->offset = pc + area->delta;
	}
	rcu_read_unlock();
	spin_unlock(&p->lock);
	return area;
}

void oprofile_paths_read_mappings(struct oprofile_sampling *s, struct mm_struct *mm, u64 payer,
				  pid_t tgid, struct oprofile_known_program *program)
{
	struct oprofile_paths *p = s->paths;
	struct oprofile_path_map *map;
	struct mapping_list l = {};
	u32 epoch = epoch_without_map(s, mm);

	if (!epoch || !collect(s, mm, &l))
		return;
	name_files(s, mm, payer, &l);
	*program = l.program;
	map = l.partial ? NULL : make_map(p, mm, &l);
	if (map)
		enter(p, epoch, map, &l, tgid, payer);
	kfree(l.found);
}

static void attach(struct oprofile_paths *p, const struct oprofile_file_id *file,
		   struct oprofile_path_table *table)
{
	lockdep_assert_held(&p->lock);
	if (p->book)
		oprofile_path_book_attach(p->book, file, table);
	if (p->old)
		oprofile_path_book_attach(p->old, file, table);
}

/* Evict unwind tables until the remaining ones are within the size limit. Release the lock for a
 * moment after each table. */
static void evict_surplus(struct oprofile_paths *p)
{
	struct oprofile_path_table *surplus;

	lockdep_assert_held(&p->lock);
	p->tables.max = READ_ONCE(p->tables_max);
	while ((surplus = oprofile_path_table_surplus(&p->tables)) != NULL) {
		attach(p, &surplus->file, NULL);
		oprofile_path_table_remove(&p->tables, surplus);
		p->tables.evicted++;
		/* The insertion of one large table may evict thousands of tables, and tasks of
		 * other users wait for the lock. */
		spin_unlock(&p->lock);
		cond_resched();
		spin_lock(&p->lock);
	}
}

void oprofile_paths_fit(struct oprofile_paths *p)
{
	spin_lock(&p->lock);
	evict_surplus(p);
	spin_unlock(&p->lock);
}

/* Add @table as the unwind table of @file. Then evict other tables until the remaining ones are
 * within the size limit. Return 0, or -ENOSPC if @table cannot be added and was freed. */
static int store_table(struct oprofile_paths *p, const struct oprofile_file_id *file,
		       struct oprofile_path_table *table)
{
	struct oprofile_path_table *old;
	bool added;

	table->file = *file;
	spin_lock(&p->lock);
	old = oprofile_path_table_of(&p->tables, file);
	added = oprofile_path_table_add(&p->tables, table);
	if (added)
		attach(p, file, table);
	if (added && old)
		oprofile_path_table_remove(&p->tables, old);
	evict_surplus(p);
	spin_unlock(&p->lock);
	if (!added)
		kvfree(table);
	return added ? 0 : -ENOSPC;
}

/* Set *@file to the identity of the file to which the received unwind table belongs. Return 0 or
 * a negative errno. */
static int identify(struct oprofile_cookies *c, const struct oprofile_unwind_table *info,
		    struct oprofile_file_id *file)
{
	u64 cookie = info->cookie;
	struct file *open;

	*file = (struct oprofile_file_id){ };
	if (info->flags) {
		*file = oprofile_vdso_id(info->flags == OPROFILE_TABLE_VDSO32);
		return 0;
	}
	if (cookie == OPROFILE_NO_COOKIE) {
		/* fget_raw(), because the descriptor may have been opened with O_PATH */
		open = fget_raw(info->fd);
		if (!open)
			return -EBADF;
		cookie = oprofile_cookie_of(c, open);
		fput(open);
	}
	return oprofile_cookie_file(c, cookie, file) ? 0 : -ENOENT;
}

static u64 payer_of(struct oprofile_paths *p, const struct oprofile_file_id *file)
{
	u64 payer = file->payer;

	spin_lock(&p->lock);
	if (p->book)
		payer = oprofile_path_book_payer(p->book, file);
	spin_unlock(&p->lock);
	return payer;
}

/* Return whether @info->end is valid: it must be 0 if a table is passed, otherwise one of the
 * reasons for which a path may end in a file without a table. */
static bool can_end(const struct oprofile_unwind_table *info)
{
	if (info->size)
		return !info->end;
	return info->end == OPROFILE_UW_NO_ROW || info->end == OPROFILE_UW_TABLE_SIZE ||
	       info->end == OPROFILE_UW_NO_FILE;
}

int oprofile_paths_ioctl(struct oprofile_paths *p, struct oprofile_cookies *c,
			 struct oprofile_unwind_table __user *arg)
{
	struct oprofile_path_table *table = NULL;
	struct oprofile_unwind_table info;
	struct oprofile_file_id file;
	int err;

	if (copy_from_user(&info, arg, sizeof(info)))
		return -EFAULT;
	if (info.flags > OPROFILE_TABLE_VDSO32 || !can_end(&info))
		return -EINVAL;
	err = identify(c, &info, &file);
	if (err)
		return err;
	if (!info.flags)	/* the vDSO's table is charged to no user */
		file.payer = payer_of(p, &file);
	info.fault = OPROFILE_UW_SOUND;
	if (info.size)
		err = oprofile_path_table_new(
			&table, u64_to_user_ptr(info.table), info.size,
			oprofile_path_table_max(READ_ONCE(p->tables_max), &file), &info.fault);
	if (!info.size || err == -E2BIG) {
		table = oprofile_path_table_empty(err ? OPROFILE_UW_TABLE_SIZE : info.end);
		if (!table)
			err = -ENOMEM;
	}
	if (table) {
		int stored = store_table(p, &file, table);

		err = err ?: stored;
	} else if (info.fault) {
		spin_lock(&p->lock);
		p->tables.refused++;
		spin_unlock(&p->lock);
	}
	if (put_user(info.fault, &arg->fault))
		err = err ?: -EFAULT;
	return err;
}
