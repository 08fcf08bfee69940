// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code.c -- a table of the executable mappings (regions) of this process, and counting of samples
 * in them.
 */
#include "config.h"
#include "probe/pc/code.h"

#include <errno.h>

#include "libop/raw/elf.h"
#include "probe/linux/calls.h"

#define FEW	4	/* a table with at most this number of regions is searched linearly */

static struct pc_region *find(const struct pc_table *t, uint64_t at)
{
	size_t low = 0, high = t->nr;

	if (t->nr <= FEW) {
		for (size_t i = 0; i < t->nr; i++) {
			if (at - t->items[i]->start < t->items[i]->end - t->items[i]->start)
				return t->items[i];
		}
		return NULL;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->items[middle]->end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->nr && t->items[low]->start <= at ? t->items[low] : NULL;
}

static long read_file(void *arg, uint64_t at, void *buf, size_t len)
{
	return call_pread(*(int *)arg, buf, len, at);
}

/* Store the link-time address and the build-id of a mapped file in @record. The path of the mapping
 * may name another file now; in this case store nothing. */
static void read_binary(struct raw_pct_region *record)
{
	struct raw_elf elf;
	struct statx st;
	int fd;

	record->vaddr = record->offset;
	if (!record->inode || record->path[0] != '/')
		return;
	fd = call_openat(AT_FDCWD, record->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return;
	if (!call_fstat(fd, &st) && st.stx_ino == record->inode &&
	    (st.stx_mode & 0170000) == 0100000 &&
	    !raw_elf_read(&elf, record->offset, read_file, &fd)) {
		record->vaddr = elf.vaddr;
		record->build_id_len = elf.build_id_len;
		__builtin_memcpy(record->build_id, elf.build_id, sizeof(elf.build_id));
	}
	call_close(fd);
}

static bool is_known(const struct pc_region *r, const struct raw_region *seen)
{
	const struct raw_pct_region *known = r->record;

	return r->start == seen->start && r->end == seen->end && known->offset == seen->offset &&
	       known->inode == seen->inode && known->major == seen->major &&
	       known->minor == seen->minor;
}

static struct pc_region *append(struct pc_code *code, const struct raw_region *seen, bool is_main)
{
	struct raw_pct_region *record = &code->record;
	size_t len = seen->path_len < RAW_PCT_PATH ? seen->path_len : RAW_PCT_PATH - 1;

	__builtin_memset(record, 0, sizeof(*record));
	record->magic = RAW_PCT_REGION_MAGIC;
	record->flags = is_main ? RAW_PCT_MAIN : 0;
	record->start = seen->start;
	record->end = seen->end;
	record->offset = seen->offset;
	record->inode = seen->inode;
	record->major = seen->major;
	record->minor = seen->minor;
	record->bin = code->bin;
	record->width = code->width;
	record->nr_bins = code->width ? (seen->end - seen->start + code->bin - 1) / code->bin : 0;
	__builtin_memcpy(record->path, seen->path, len);
	read_binary(record);
	return pc_file_append(code->file, record);
}

struct looking {
	struct pc_code *code;
	struct pc_table *table;
	bool has_main;
};

static long add_region(void *arg, const struct raw_region *seen)
{
	struct looking *l = arg;
	struct pc_code *code = l->code;
	bool is_main = seen->inode && seen->inode == code->program.inode &&
		       seen->major == code->program.major && seen->minor == code->program.minor;
	struct pc_region *r;

	if (code->main_only && (!is_main || l->has_main))
		return 0;
	for (r = code->file->regions; r && !is_known(r, seen); )
		r = r->next;
	if (!r)
		r = append(code, seen, is_main);
	if (!r)
		/* the region is not added, so samples in this mapping will be counted as lost */
		return 0;
	if (l->table->nr == l->table->room)
		return -ENOMEM;
	l->table->items[l->table->nr++] = r;
	l->has_main |= is_main;
	return 0;
}

static long read_maps(void *arg, void *buf, size_t len)
{
	return call_read(*(int *)arg, buf, len);
}

/* Return an empty table for the known regions and 64 more. Reuse the spare table if it is large
 * enough and only the caller reads it; otherwise allocate a new table. */
static struct pc_table *new_table(struct pc_code *code)
{
	size_t room = code->file->nr_regions + 64;
	struct pc_table *t = code->spare;

	code->spare = NULL;
	if (!t || t->room < room || __atomic_load_n(&code->readers, __ATOMIC_SEQ_CST) > 1) {
		t = pc_file_alloc(code->file, sizeof(*t) + room * sizeof(t->items[0]));
		if (t)
			t->room = room;
	}
	if (t)
		t->nr = 0;
	return t;
}

/* Build a table of the executable mappings that exist now and publish it. The caller holds
 * .lock. Return 0 or a negative errno. */
static long update_table(struct pc_code *code)
{
	struct looking l = { code, new_table(code), false };
	long err;
	int fd;

	if (!l.table)
		return -ENOMEM;
	fd = call_openat(AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	__atomic_store_n(&code->stale, 0, __ATOMIC_RELAXED);
	err = raw_regions_walk(code->buf, sizeof(code->buf), read_maps, &fd, add_region, &l);
	call_close(fd);
	if (err == -ENOMEM)
		/* the table is full; a later update adds the remaining regions */
		err = 0;
	/* Publish the new table before checking for readers of the previous table: from now on, the
	 * previous table gets no new readers. */
	code->spare = err ? l.table : __atomic_exchange_n(&code->table, l.table, __ATOMIC_SEQ_CST);
	return err;
}

int pc_code_init(struct pc_code *code, struct pc_file *file, uint32_t bin, uint32_t width,
		 bool main_only)
{
	struct statx st;
	long err;

	__builtin_memset(code, 0, sizeof(*code));
	code->file = file;
	code->bin = bin;
	code->width = width;
	code->main_only = main_only;
	code->look_at = 1;
	if (!call_statx(AT_FDCWD, "/proc/self/exe", 0, &st))
		code->program = (struct statx_id){ st.stx_ino, st.stx_dev_major, st.stx_dev_minor };
	/* A table is only large enough for 64 new regions, so repeat until all new regions fit. */
	do {
		size_t known = file->nr_regions;

		err = update_table(code);
		if (err || file->nr_regions < known + 64)
			break;
	} while (file->nr_regions < PC_MAX_REGIONS);
	return err;
}

/* A sampled address is outside of all regions. Read the mappings again if the number of such
 * addresses is a power of two (1, 2, 4, 8, ...), or if @stale. Return whether a new table was
 * published. */
static bool look_again(struct pc_code *code, bool stale)
{
	uint64_t n = __atomic_add_fetch(&code->misses, 1, __ATOMIC_RELAXED);
	size_t known;
	bool found;

	if (!stale && n < __atomic_load_n(&code->look_at, __ATOMIC_RELAXED))
		return false;
	if (__atomic_exchange_n(&code->lock, 1, __ATOMIC_ACQUIRE))
		return false;
	known = code->file->nr_regions;
	found = !update_table(code);
	if (code->file->nr_regions > known) {
		code->misses = 0;
		code->look_at = 1;
	} else if (!stale) {
		code->look_at = n * 2;
	}
	__atomic_store_n(&code->lock, 0, __ATOMIC_RELEASE);
	return found;
}

/* Return the region that contains @at. If no region does, return NULL and set *@loss to the cause
 * of the sample's loss. */
static struct pc_region *region_at(struct pc_code *code, uintptr_t at, enum raw_pct_loss *loss)
{
	struct pc_region *r;

	*loss = RAW_PCT_CHANGING;
	if (__atomic_load_n(&code->changing, __ATOMIC_ACQUIRE) ||
	    (__atomic_load_n(&code->stale, __ATOMIC_RELAXED) && !look_again(code, true)))
		return NULL;
	*loss = RAW_PCT_OTHER;
	r = find(__atomic_load_n(&code->table, __ATOMIC_SEQ_CST), at);
	if (!r && !code->main_only && look_again(code, false))
		r = find(__atomic_load_n(&code->table, __ATOMIC_SEQ_CST), at);
	return r;
}

void pc_code_sample(struct pc_code *code, uintptr_t at, uint64_t weight)
{
	enum raw_pct_loss loss;
	struct pc_region *r;

	__atomic_fetch_add(&code->file->header->taken, weight, __ATOMIC_RELAXED);
	__atomic_fetch_add(&code->readers, 1, __ATOMIC_SEQ_CST);
	r = region_at(code, at, &loss);
	__atomic_fetch_sub(&code->readers, 1, __ATOMIC_SEQ_CST);
	if (!r)
		pc_file_lose(code->file, loss, weight);
	else if (r->width)
		pc_region_add(r, at, weight);
}

void pc_code_unloading(struct pc_code *code)
{
	__atomic_fetch_add(&code->changing, 1, __ATOMIC_ACQ_REL);
}

void pc_code_unloaded(struct pc_code *code)
{
	__atomic_store_n(&code->stale, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&code->changing, 1, __ATOMIC_ACQ_REL);
}
