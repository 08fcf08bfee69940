// SPDX-License-Identifier: GPL-2.0-or-later
/* source_cache.c -- a hash table of source files, by the names in debug data. */
#include "config.h"
#include "pp/annotate/source_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"

/* maximum number of files that a warning names; further files are only counted */
#define MAX_NAMED	3

struct slot {
	/* must be the first member: slot_at() casts the link to the slot */
	struct op_hash_link link;
	char *recorded;
	uid_t owner;		/* user id of the owner of the debug data that names the file */
	struct pp_source_text *text; /* text of the source file; NULL: not read yet, or dropped */
	int err;			/* error of the last attempt to read the file */
	bool newer;
};

struct pp_source_cache {
	const struct pp_source_places *places;
	/* checks whether the owner of debug data could read a file; kept from the last file */
	struct pp_reader reader;
	struct op_hash_table table;
};

static struct slot *slot_at(struct op_hash_link *link)
{
	return (struct slot *)link;
}

struct pp_source_cache *pp_source_cache_create(const struct pp_source_places *places)
{
	struct pp_source_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->places = places;
	cache->reader.uid = PP_NO_OWNER;
	if (!op_hash_init(&cache->table))
		return cache;
	free(cache);
	return NULL;
}

static void free_text(struct slot *slot)
{
	if (slot->text)
		pp_source_text_release(slot->text);
	free(slot->text);
	slot->text = NULL;
}

/* Return the slot of the source file that debug data of the user @owner calls @recorded, or
 * NULL. */
static struct slot *find(const struct pp_source_cache *cache, const char *recorded, uid_t owner)
{
	struct op_hash_link *link =
		op_hash_first(&cache->table, op_hash_text(OP_HASH_BEGIN, recorded));

	for (; link; link = op_hash_next(link))
		if (slot_at(link)->owner == owner && !strcmp(slot_at(link)->recorded, recorded))
			return slot_at(link);
	return NULL;
}

static struct slot *add(struct pp_source_cache *cache, const char *recorded, uid_t owner)
{
	struct slot *slot = calloc(1, sizeof(*slot));

	if (slot)
		slot->recorded = strdup(recorded);
	if (!slot || !slot->recorded) {
		free(slot);
		return NULL;
	}
	slot->owner = owner;
	op_hash_add(&cache->table, &slot->link, op_hash_text(OP_HASH_BEGIN, recorded));
	return slot;
}

static bool free_slot(struct op_hash_link *link, void *arg)
{
	struct slot *slot = slot_at(link);

	(void)arg;
	free(slot->recorded);
	free_text(slot);
	free(slot);
	return true;
}

void pp_source_cache_destroy(struct pp_source_cache *cache)
{
	if (!cache)
		return;
	op_hash_filter(&cache->table, free_slot, NULL);
	op_hash_release(&cache->table);
	pp_reader_release(&cache->reader);
	free(cache);
}

static int read_for(struct pp_source_cache *cache, struct slot *slot)
{
	int err;

	if (cache->reader.uid != slot->owner) {
		pp_reader_release(&cache->reader);
		err = pp_reader_init(&cache->reader, slot->owner);
		if (err)
			return err;
	}
	return pp_source_text_read(slot->text, slot->recorded, cache->places, &cache->reader);
}

const struct pp_source_text *pp_source_cache_get(struct pp_source_cache *cache,
						 const char *recorded, uid_t owner, int *ret_err)
{
	struct slot *slot = find(cache, recorded, owner);
	int err = -ENOMEM;

	if (!slot)
		slot = add(cache, recorded, owner);
	if (!slot)
		goto done;
	if (!slot->text && !slot->err) {
		slot->text = calloc(1, sizeof(*slot->text));
		if (!slot->text)
			goto done;
		slot->err = read_for(cache, slot);
		if (slot->err)
			free_text(slot);
	}
	err = slot->err;
done:
	if (err && ret_err)
		*ret_err = err;
	return err ? NULL : slot->text;
}

void pp_source_cache_drop(struct pp_source_cache *cache, const char *recorded, uid_t owner)
{
	struct slot *slot = find(cache, recorded, owner);

	if (slot)
		free_text(slot);
}

void pp_source_cache_note_newer(struct pp_source_cache *cache, const char *recorded, uid_t owner)
{
	struct slot *slot = find(cache, recorded, owner);

	if (slot)
		slot->newer = true;
}

static bool is_missing(const struct slot *slot)
{
	return slot->err == -ENOENT || slot->err == -ENOTDIR;
}

static bool is_unusable(const struct slot *slot)
{
	return slot->err && !is_missing(slot);
}

static bool is_newer(const struct slot *slot)
{
	return slot->newer;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = *(const struct slot *const *)a, *y = *(const struct slot *const *)b;

	return strcmp(x->recorded, y->recorded);
}

/* Return the names of the source files whose slots match @applies, malloc'd: "a.c, b.c, c.c and 4
 * more". Return NULL if no slot matches. */
static char *list(const struct pp_source_cache *cache, bool (*applies)(const struct slot *),
		  bool with_reason)
{
	const struct slot **found = calloc(cache->table.nr + 1, sizeof(*found));
	struct op_hash_link *link;
	char *text = NULL;
	size_t size, nr = 0, i;
	FILE *f;

	if (!found)
		return NULL;
	op_hash_for_each(&cache->table, i, link)
		if (applies(slot_at(link)))
			found[nr++] = slot_at(link);
	f = nr ? open_memstream(&text, &size) : NULL;
	if (!f)
		goto done;
	qsort(found, nr, sizeof(*found), compare_slots);
	for (size_t i = 0; i < nr && i < MAX_NAMED; i++) {
		fprintf(f, "%s%s", i ? ", " : "", found[i]->recorded);
		if (with_reason)
			fprintf(f, " (%s)", pp_source_strerror(found[i]->err));
	}
	if (nr > MAX_NAMED)
		fprintf(f, " and %zu more", nr - MAX_NAMED);
	if (fclose(f)) {
		free(text);
		text = NULL;
	}
done:
	free(found);
	return text;
}

void pp_source_cache_report(const struct pp_source_cache *cache, struct pp_log *log)
{
	char *missing = list(cache, is_missing, 0), *unusable = list(cache, is_unusable, 1),
	     *newer = list(cache, is_newer, 0);

	if (missing)
		pp_warn(log,
			"source files not found: %s. Name their directory with --search-dirs, and the "
			"part of these paths to remove with --base-dirs",
			missing);
	if (unusable)
		pp_warn(log, "no source files: %s", unusable);
	if (newer)
		pp_warn(log,
			"source files changed after the binary was built, so lines may be "
			"shifted: %s",
			newer);
	free(missing);
	free(unusable);
	free(newer);
}
