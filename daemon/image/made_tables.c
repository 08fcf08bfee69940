// SPDX-License-Identifier: GPL-2.0-or-later
/* made_tables.c -- unwind tables of JIT code, by process, address and time. */
#include "config.h"
#include "daemon/image/made_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "daemon/base/shares.h"
#include "daemon/image/process_entry.h"
#include "libop/base/clock.h"
#include "libop/base/hash.h"

#define MAX_ENTRIES	256
/* maximum size in bytes of the unwind table of one process's JIT code */
#define MAX_FILE	(32u << 20)
/* maximum total size in bytes of the unwind tables of JIT code */
#define MAX_BYTES	(256u << 20)
#define GENERATIONS	8
/* Minimum delay in ms between two reads of a process's dump file. If a read finds no entry for the
 * wanted address, the delay doubles. */
#define AGAIN_MS	50
#define AGAIN_MOST_MS	30000
/* The delay between two reads of a dump file is at least COST_SHARE times the duration of the last
 * read. */
#define COST_SHARE	4
/* A stack walk waits for a table only if the dump file may be read again within this time, in
 * ms. */
#define SOON_MS		100
/* Maximum error in ns when the times of a dump file are converted to the clock of samples. */
#define SLACK_NS	50000
#define CLOCK_TRIES	5

struct entry {
	/* must be the first member, because a pointer to it is cast to struct entry */
	struct op_hash_link link;
	pid_t tgid;
	/* number of references: from the hash table, and from entries of forked children */
	unsigned int refs;
	/* the entry was removed from the hash table, but is still referenced */
	bool dropped;
	/* the process describes its JIT code in a file jit-NUMBER.dump */
	bool has_dump;
	struct opd_share *share;	/* resource share of the user to whom the process belongs */
	/* entry of the parent, whose code the process inherited at time .born; NULL: no parent, or
	 * forget_ancestors() released it */
	struct entry *parent;
	uint64_t born;
	/* sequence number of the last use; the entry with the lowest number is evicted first */
	uint64_t used;

	const struct cfi_made *made;	/* the mapped unwind table; NULL: not loaded */
	size_t size;
	/* size of the dump file when the loaded table was made from it */
	off_t had;
	int64_t ahead;			/* CLOCK_MONOTONIC minus the clock of samples, in ns */
	/* the loaded table describes the code that the dump file contained at this time; 0: dump
	 * file not read yet */
	uint64_t read_at;

	/* a table was requested and is not loaded yet */
	bool pending;
	uint64_t asked_at;
	/* code address for which the table was requested */
	uint64_t wanted;
	uint64_t next_ms;		/* time before which the table is not requested again */
	unsigned int again_ms;
};

struct opd_made_tables {
	opd_made_want want;
	void *arg;
	struct opd_shares *shares;	/* users' resource shares; NULL: no shares */
	/* share of root, or of all users if .shares is NULL */
	struct opd_share root;
	struct op_hash_table table;
	uint64_t uses;
	size_t bytes;			/* total size of the loaded tables in bytes */
	unsigned int nr_pending;
	/* until this time, stack walks wait, because a table can be requested soon */
	uint64_t soon_ms;
};

int opd_made_tables_create(struct opd_made_tables **ret, opd_made_want want, void *arg)
{
	struct opd_made_tables *t = calloc(1, sizeof(*t));

	if (!t || op_hash_init(&t->table)) {
		free(t);
		return -ENOMEM;
	}
	t->want = want;
	t->arg = arg;
	*ret = t;
	return 0;
}

void opd_made_tables_set_shares(struct opd_made_tables *t, struct opd_shares *shares)
{
	if (t)
		t->shares = shares;
}

static void unload(struct opd_made_tables *t, struct entry *e)
{
	if (e->made)
		munmap((void *)e->made, e->size);
	t->bytes -= e->size;
	e->share->made_bytes -= e->size;
	e->made = NULL;
	e->size = 0;
	e->had = 0;
	e->read_at = 0;
}

static void put_entry(struct opd_made_tables *t, struct entry *e)
{
	while (e && !--e->refs) {
		struct entry *parent = e->parent;

		unload(t, e);
		free(e);
		e = parent;
	}
}

static uint64_t hash_of(pid_t tgid)
{
	return op_hash_number(OP_HASH_BEGIN, (uint64_t)tgid);
}

static struct entry *look_up(const struct opd_made_tables *t, pid_t tgid)
{
	struct op_hash_link *link = op_hash_first(&t->table, hash_of(tgid));

	while (link && ((struct entry *)link)->tgid != tgid)
		link = op_hash_next(link);
	return (struct entry *)link;
}

static void drop(struct opd_made_tables *t, struct entry *e)
{
	t->nr_pending -= e->pending;
	e->pending = false;
	e->dropped = true;
	e->share->made_entries--;
	op_hash_remove(&t->table, &e->link);
	put_entry(t, e);
}

/* Return true if entry @a must be evicted before entry @b: its user has more entries or larger
 * tables, or it was used less recently. @taken_a, @taken_b: number of entries, or bytes of tables,
 * of the user of @a and of @b. */
static bool goes_before(const struct entry *a, uint64_t taken_a, const struct entry *b,
			uint64_t taken_b)
{
	return taken_a != taken_b ? taken_a > taken_b : a->used < b->used;
}

/* Return the least recently used entry of the user with most entries. */
static struct entry *entry_to_drop(const struct opd_made_tables *t)
{
	struct entry *found = NULL;
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&t->table, i, link) {
		struct entry *e = (struct entry *)link;

		if (!found || goes_before(e, e->share->made_entries, found,
					  found->share->made_entries))
			found = e;
	}
	return found;
}

/*
 * Return the least recently used entry with a loaded table, except @but, of the user whose tables
 * take most memory; NULL if no other entry has a table. Include entries that are no longer in the
 * hash table: a child may still use their tables.
 */
static struct entry *entry_to_unload(const struct opd_made_tables *t, const struct entry *but)
{
	struct entry *found = NULL;
	struct op_hash_link *link;
	size_t i;

	op_hash_for_each(&t->table, i, link)
		for (struct entry *e = (struct entry *)link; e; e = e->parent)
			if (e != but && e->made &&
			    (!found || goes_before(e, e->share->made_bytes, found,
						   found->share->made_bytes)))
				found = e;
	return found;
}

static struct opd_share *share_of(struct opd_made_tables *t, pid_t tgid)
{
	struct opd_share *share = t->shares ? opd_shares_find(t->shares, tgid, 0) : NULL;

	return share ? share : &t->root;
}

static struct entry *add(struct opd_made_tables *t, pid_t tgid, struct opd_share *share)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	if (t->table.nr >= MAX_ENTRIES)
		drop(t, entry_to_drop(t));
	e->tgid = tgid;
	e->refs = 1;
	e->share = share;
	e->share->made_entries++;
	e->used = ++t->uses;
	e->again_ms = AGAIN_MS;
	op_hash_add(&t->table, &e->link, hash_of(tgid));
	return e;
}

static bool drop_any(struct op_hash_link *link, void *arg)
{
	put_entry(arg, (struct entry *)link);
	return true;
}

void opd_made_tables_destroy(struct opd_made_tables *t)
{
	if (!t)
		return;
	op_hash_filter(&t->table, drop_any, t);
	op_hash_release(&t->table);
	free(t);
}

void opd_made_tables_execed(struct opd_made_tables *t, pid_t tgid)
{
	struct entry *e = t ? look_up(t, tgid) : NULL;

	if (e)
		drop(t, e);
}

/*
 * Release the ancestor of @e that is GENERATIONS away, because find() does not search it.
 * Otherwise, a program that repeatedly forks a child and exits would keep the entries of all
 * ancestors.
 */
static void forget_ancestors(struct opd_made_tables *t, struct entry *e)
{
	for (int i = 1; e && i < GENERATIONS; i++)
		e = e->parent;
	if (!e)
		return;
	put_entry(t, e->parent);
	e->parent = NULL;
}

void opd_made_tables_forked(struct opd_made_tables *t, uint64_t time, pid_t tgid, pid_t parent,
			    bool has_dump)
{
	struct entry *from, *e;

	if (!t || tgid == parent)
		return;
	/* Remove the entry of an earlier process with the same id. */
	opd_made_tables_execed(t, tgid);
	from = look_up(t, parent);
	if (!from && has_dump)
		from = add(t, parent, share_of(t, parent));
	if (!from)
		return;
	from->has_dump |= has_dump;
	from->used = ++t->uses;
	/* Take a reference to the parent's entry: add() may evict the entry. */
	from->refs++;
	/* Use the resource share of the parent: the child may have ended, and then its user is
	 * unknown. */
	e = add(t, tgid, from->share);
	if (!e) {
		put_entry(t, from);
		return;
	}
	e->parent = from;
	e->born = time;
	forget_ancestors(t, e);
}

static const struct cfi_made_code *code_at(const struct entry *e, uint64_t address, uint64_t time)
{
	return e->made ? cfi_made_find(e->made, address, time + (uint64_t)e->ahead + SLACK_NS)
		       : NULL;
}

/* Request a new unwind table from the dump file of @e if the delay since the last read is over.
 * Return true if a stack walk should wait for the table. */
static bool request_table(struct opd_made_tables *t, struct entry *e, uint64_t address)
{
	uint64_t now = op_now_ms();

	if (e->pending || e->dropped || !e->has_dump)
		return e->pending;
	if (now < e->next_ms) {
		if (e->next_ms - now > SOON_MS)
			return false;
		if (t->soon_ms < e->next_ms + SOON_MS)
			t->soon_ms = e->next_ms + SOON_MS;
		return true;
	}
	e->pending = true;
	e->asked_at = opd_perf_now();
	e->wanted = address;
	t->nr_pending++;
	t->want(t->arg, e->tgid, e->had);
	return true;
}

static int find(struct opd_made_tables *t, struct entry *e, uint64_t address, uint64_t time,
		struct opd_made_place *ret)
{
	for (int i = 0; e && i < GENERATIONS; i++) {
		bool waits = e->has_dump && e->read_at < time && request_table(t, e, address);

		/* Look up the code again: request_table() may have loaded the table. */
		ret->made = e->made;
		ret->code = code_at(e, address, time);
		if (waits && e->read_at < time)
			return OPROFILE_UW_NO_TABLE;
		if (ret->code)
			return 0;
		time = e->born < time ? e->born : time;
		e = e->parent;
	}
	return OPROFILE_UW_NO_ROW;
}

int opd_made_tables_find(struct opd_made_tables *t, const struct opd_process *process,
			 uint64_t address, uint64_t time, struct opd_made_place *ret)
{
	struct entry *e = t ? look_up(t, process->tgid) : NULL;

	ret->code = NULL;
	if (!t || (!e && !process->has_dump))
		return OPROFILE_UW_NO_ROW;
	if (!e)
		e = add(t, process->tgid, share_of(t, process->tgid));
	if (!e)
		return OPROFILE_UW_NO_ROW;
	e->has_dump |= process->has_dump;
	e->used = ++t->uses;
	return find(t, e, address, time, ret);
}

bool opd_made_tables_waiting(const struct opd_made_tables *t)
{
	return t && (t->nr_pending || op_now_ms() < t->soon_ms);
}

/* A request was answered: the table now describes the dump file up to the time of the request.
 * Compute the time of the next request. */
static void answered(struct opd_made_tables *t, struct entry *e)
{
	bool useful = code_at(e, e->wanted, UINT64_MAX / 2) != NULL;
	uint64_t took_ms = (opd_perf_now() - e->asked_at) / 1000000,
		 again_ms = useful ? AGAIN_MS : 2 * e->again_ms;

	/* After a long read, increase the delay before the next read: reading a large dump file too
	 * often would use up the CPU time of the file's user. */
	if (again_ms < COST_SHARE * took_ms)
		again_ms = COST_SHARE * took_ms;
	t->nr_pending -= e->pending;
	e->pending = false;
	e->again_ms = again_ms < AGAIN_MOST_MS ? (unsigned int)again_ms : AGAIN_MOST_MS;
	e->next_ms = op_now_ms() + e->again_ms;
	e->read_at = e->asked_at;
}

void opd_made_tables_unchanged(struct opd_made_tables *t, pid_t tgid)
{
	struct entry *e = t ? look_up(t, tgid) : NULL;

	if (e && e->pending)
		answered(t, e);
}

/* Unload tables of entries other than @e until a table of @size bytes fits below the limit of
 * memory. */
static void make_room(struct opd_made_tables *t, const struct entry *e, size_t size)
{
	struct entry *least;

	while (t->bytes + size > MAX_BYTES && (least = entry_to_unload(t, e)))
		unload(t, least);
}

/* Return the difference between the clock of dump files and the clock of samples, in ns. Measure it
 * several times and return the result of the fastest measurement, which was not interrupted. */
static int64_t clocks_apart(void)
{
	uint64_t least = UINT64_MAX;
	int64_t ret = 0;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		uint64_t before = op_now_ns(), now = opd_perf_now(),
			 took = op_now_ns() - before;

		if (took < least) {
			least = took;
			ret = (int64_t)(before + took / 2 - now);
		}
	}
	return ret;
}

int opd_made_tables_load(struct opd_made_tables *t, pid_t tgid, int fd, off_t had)
{
	struct entry *e = t ? look_up(t, tgid) : NULL;
	const struct cfi_made *made;
	struct stat st;

	if (!e || !e->pending)
		return -ENOENT;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(*made))
		return -EINVAL;
	if (st.st_size > MAX_FILE)
		return -EFBIG;
	made = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (made == MAP_FAILED)
		return -errno;
	if (!cfi_made_is_valid(made, (uint64_t)st.st_size)) {
		munmap((void *)made, (size_t)st.st_size);
		return -EINVAL;
	}
	unload(t, e);
	make_room(t, e, (size_t)st.st_size);
	e->made = made;
	e->had = had;
	e->size = (size_t)st.st_size;
	t->bytes += e->size;
	e->share->made_bytes += e->size;
	e->ahead = clocks_apart();
	answered(t, e);
	return 0;
}
