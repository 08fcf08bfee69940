// SPDX-License-Identifier: GPL-2.0-or-later
/* unwind_tables.c -- loading of unwind tables, and lookup by image. */
#include "config.h"
#include "daemon/image/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/image/image.h"
#include "daemon/image/vdso.h"
#include "libop/base/clock.h"
#include "libop/base/hash.h"

/* maximum number of mapped tables; when it is reached, all tables are unmapped, and mapped again at
 * their next use */
#define MAX_LOADED	4096
#define WANT_AGAIN_MS	1000
/* Costs of requesting and loading tables, which are subtracted from a budget that grows by 1 per
 * millisecond. COST: cost of one request. COST_BYTES: number of bytes that can be loaded and
 * checked for a cost of 1. */
#define COST		1
#define COST_BYTES	(64u << 10)
#define SAVED		4000

struct entry {
	/* must be the first member, because a pointer to it is cast to struct entry */
	struct op_hash_link link;
	const struct opd_image *image;
	struct opd_unwind unwind;
	/* size of the mapped table file */
	size_t size;
	uint64_t wanted_ms;		/* time of the last request for the table */
	uint64_t missed;		/* number of lookups of the table before it was loaded */
	bool final;			/* the image has no table and will never get a table */
	/* the table was looked up since the last opd_unwind_tables_each_used() */
	bool used;
};

struct opd_unwind_tables {
	opd_unwind_want want;
	void *arg;
	/* callback that waits for tables that are being made; NULL: no callback */
	opd_unwind_wait wait;
	void *wait_arg;
	opd_unwind_report report;
	void *report_arg;
	struct op_hash_table table;
	size_t nr_loaded;
	/* cache: entry that the last lookup found; NULL: no lookup yet */
	struct entry *last;
	/* budget for requesting and loading tables, limited because any user can have any number of
	 * files */
	int64_t left;
	uint64_t earned_ms;
	/* tables of the vDSO of the daemon's word size, and of the 32-bit vDSO */
	struct opd_unwind vdso[2];
};

int opd_unwind_tables_create(struct opd_unwind_tables **ret, opd_unwind_want want, void *arg)
{
	struct opd_unwind_tables *t = calloc(1, sizeof(*t));

	if (!t || op_hash_init(&t->table)) {
		free(t);
		return -ENOMEM;
	}
	t->want = want;
	t->arg = arg;
	for (int is_32 = 0; is_32 < 2; is_32++) {
		struct opd_unwind *vdso = &t->vdso[is_32];

		vdso->file = opd_vdso_unwind(is_32);
		vdso->end = OPROFILE_UW_NO_ROW;
		if (vdso->file)
			vdso->table = cfi_file_table(vdso->file);
	}
	*ret = t;
	return 0;
}

void opd_unwind_tables_set_wait(struct opd_unwind_tables *t, opd_unwind_wait wait, void *arg)
{
	t->wait = wait;
	t->wait_arg = arg;
}

bool opd_unwind_tables_wait(struct opd_unwind_tables *t, int ms)
{
	return t->wait && t->wait(t->wait_arg, ms);
}

void opd_unwind_tables_report(struct opd_unwind_tables *t, opd_unwind_report report, void *arg)
{
	t->report = report;
	t->report_arg = arg;
}

static void unload(struct opd_unwind_tables *t, struct entry *e)
{
	if (!e->unwind.file)
		return;
	munmap((void *)e->unwind.file, e->size);
	e->unwind = (struct opd_unwind){ .end = OPROFILE_UW_NO_TABLE };
	t->nr_loaded--;
}

static bool free_entry(struct op_hash_link *link, void *arg)
{
	unload(arg, (struct entry *)link);
	free(link);
	return true;
}

void opd_unwind_tables_destroy(struct opd_unwind_tables *t)
{
	if (!t)
		return;
	op_hash_filter(&t->table, free_entry, t);
	op_hash_release(&t->table);
	free((void *)t->vdso[0].file);
	free((void *)t->vdso[1].file);
	free(t);
}

/* Return the entry of @image, or NULL. */
static struct entry *look_up(const struct opd_unwind_tables *t, const struct opd_image *image)
{
	struct op_hash_link *link =
		op_hash_first(&t->table, op_hash_number(OP_HASH_BEGIN, (uintptr_t)image));

	while (link && ((struct entry *)link)->image != image)
		link = op_hash_next(link);
	return (struct entry *)link;
}

/* Return the entry of @image; add the entry if it is missing. Return NULL if memory is short. */
static struct entry *find(struct opd_unwind_tables *t, const struct opd_image *image)
{
	struct entry *e;

	if (t->last && t->last->image == image)
		return t->last;
	e = look_up(t, image);
	if (e)
		return t->last = e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->image = image;
	e->unwind.end = OPROFILE_UW_NO_TABLE;
	op_hash_add(&t->table, &e->link, op_hash_number(OP_HASH_BEGIN, (uintptr_t)image));
	return t->last = e;
}

static bool has_budget(struct opd_unwind_tables *t, uint64_t now_ms)
{
	uint64_t earned = now_ms - t->earned_ms;

	t->earned_ms = now_ms;
	t->left = earned > SAVED || t->left + (int64_t)earned > SAVED ? SAVED
								      : t->left + (int64_t)earned;
	return t->left > 0;
}

const struct opd_unwind *opd_unwind_tables_get(struct opd_unwind_tables *t,
					       const struct opd_image *image)
{
	static const struct opd_unwind none = { .end = OPROFILE_UW_NO_TABLE };
	struct entry *e = find(t, image);
	uint64_t now;

	if (!e)
		return &none;
	e->used = true;
	if (e->unwind.file || e->final)
		return &e->unwind;
	e->missed++;
	now = op_now_ms();
	if ((!e->wanted_ms || now - e->wanted_ms >= WANT_AGAIN_MS) && has_budget(t, now)) {
		e->wanted_ms = now;
		t->left -= COST;
		t->want(t->arg, image);
	}
	return &e->unwind;
}

uint64_t opd_unwind_tables_missed(const struct opd_unwind_tables *t, const struct opd_image *image)
{
	const struct entry *e = look_up(t, image);

	return e ? e->missed : 0;
}

void opd_unwind_tables_each_used(struct opd_unwind_tables *t,
				 void (*fn)(void *arg, const struct opd_image *image), void *arg)
{
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&t->table, i, link) {
		struct entry *e = (struct entry *)link;

		if (e->unwind.file && (e->used || (t->report && e->image->used)))
			fn(arg, e->image);
		e->used = false;
	}
}

const struct opd_unwind *opd_unwind_tables_vdso(struct opd_unwind_tables *t, bool is_32)
{
	return &t->vdso[is_32];
}

static void unload_all(struct opd_unwind_tables *t)
{
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&t->table, i, link)
		unload(t, (struct entry *)link);
}

void opd_unwind_tables_relieve(struct opd_unwind_tables *t)
{
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&t->table, i, link) {
		const struct entry *e = (struct entry *)link;

		if (e->unwind.file)
			madvise((void *)e->unwind.file, e->size, MADV_DONTNEED);
	}
}

int opd_unwind_tables_load(struct opd_unwind_tables *t, const struct opd_image *image, int fd)
{
	struct entry *e = find(t, image);
	const struct cfi_file *file;
	struct stat st;

	if (!e)
		return -ENOMEM;
	if (e->unwind.file)
		return 0;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(*file))
		return -EINVAL;
	if (!has_budget(t, op_now_ms()))
		return -EAGAIN;
	t->left -= COST + st.st_size / COST_BYTES;
	if (t->nr_loaded == MAX_LOADED)
		unload_all(t);
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return -errno;
	if (!cfi_file_is_valid(file, (uint64_t)st.st_size)) {
		munmap((void *)file, (size_t)st.st_size);
		return -EINVAL;
	}
	/* The check above has read all pages of the table file, but stack walks need only a few of
	 * them: free the memory of the others. */
	madvise((void *)file, (size_t)st.st_size, MADV_DONTNEED);
	e->unwind.file = file;
	e->unwind.table = cfi_file_table(file);
	e->unwind.end = OPROFILE_UW_NO_ROW;
	e->size = (size_t)st.st_size;
	t->nr_loaded++;
	if (t->report)
		t->report(t->report_arg, image, &e->unwind);
	return 0;
}

void opd_unwind_tables_give_up(struct opd_unwind_tables *t, const struct opd_image *image,
			       enum oprofile_uw_end end)
{
	struct entry *e = find(t, image);

	if (!e || e->unwind.file)
		return;
	e->unwind.end = end;
	e->final = true;
	if (t->report)
		t->report(t->report_arg, image, &e->unwind);
}
