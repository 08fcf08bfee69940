// SPDX-License-Identifier: GPL-2.0-or-later
/* source_cache.c -- a hash table of source files by the name debug data has for them. */
#include "config.h"
#include "pp/annotate/source_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMED	3	/* files in a warning; the others are counted */

struct slot {
	char *recorded;		/* NULL: free */
	uid_t owner;		/* of the debug data that named it */
	struct pp_source_text *text;	/* NULL: not read, or dropped */
	int err;			/* of the last try */
	int newer;
};

struct pp_source_cache {
	const struct pp_source_places *places;
	struct pp_reader reader;	/* the owner asked for last */
	struct slot *slots;
	size_t nr, size;	/* size: a power of two, never full */
};

struct pp_source_cache *pp_source_cache_create(const struct pp_source_places *places)
{
	struct pp_source_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->places = places;
	cache->reader.uid = PP_NOBODY;
	cache->size = 64;
	cache->slots = calloc(cache->size, sizeof(*cache->slots));
	if (cache->slots)
		return cache;
	free(cache);
	return NULL;
}

static size_t hash(const char *text)
{
	uint64_t h = 14695981039346656037u;	/* FNV-1a */

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return h ^ (h >> 32);
}

static void free_text(struct slot *slot)
{
	if (slot->text)
		pp_source_text_release(slot->text);
	free(slot->text);
	slot->text = NULL;
}

/* The slot of a name that an owner's debug data has, or the free one where it belongs. */
static struct slot *find(struct slot *slots, size_t size, const char *recorded, uid_t owner)
{
	size_t i = hash(recorded) & (size - 1);

	while (slots[i].recorded && (strcmp(slots[i].recorded, recorded) || slots[i].owner != owner))
		i = (i + 1) & (size - 1);
	return &slots[i];
}

void pp_source_cache_destroy(struct pp_source_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->size; i++) {
		free(cache->slots[i].recorded);
		free_text(&cache->slots[i]);
	}
	pp_reader_release(&cache->reader);
	free(cache->slots);
	free(cache);
}

static int grow(struct pp_source_cache *cache)
{
	struct slot *slots = calloc(2 * cache->size, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < cache->size; i++)
		if (cache->slots[i].recorded)
			*find(slots, 2 * cache->size, cache->slots[i].recorded,
			      cache->slots[i].owner) = cache->slots[i];
	free(cache->slots);
	cache->slots = slots;
	cache->size *= 2;
	return 0;
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
	struct slot *slot = find(cache->slots, cache->size, recorded, owner);
	int err = -ENOMEM;

	if (!slot->recorded) {
		if (2 * cache->nr >= cache->size && grow(cache))
			goto done;
		slot = find(cache->slots, cache->size, recorded, owner);
		slot->recorded = strdup(recorded);
		slot->owner = owner;
		if (!slot->recorded)
			goto done;
		cache->nr++;
	}
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
	struct slot *slot = find(cache->slots, cache->size, recorded, owner);

	free_text(slot);
}

void pp_source_cache_note_newer(struct pp_source_cache *cache, const char *recorded, uid_t owner)
{
	struct slot *slot = find(cache->slots, cache->size, recorded, owner);

	if (slot->recorded)
		slot->newer = 1;
}

static int is_missing(const struct slot *slot)
{
	return slot->err == -ENOENT || slot->err == -ENOTDIR;
}

static int is_unusable(const struct slot *slot)
{
	return slot->err && !is_missing(slot);
}

static int is_newer(const struct slot *slot)
{
	return slot->newer;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = *(const struct slot *const *)a, *y = *(const struct slot *const *)b;

	return strcmp(x->recorded, y->recorded);
}

/* "a.c, b.c, c.c and 4 more" of those that @applies to; malloc'd, NULL when there are none. */
static char *list(const struct pp_source_cache *cache, int (*applies)(const struct slot *),
		  int with_reason)
{
	const struct slot **found = calloc(cache->nr + 1, sizeof(*found));
	char *text = NULL;
	size_t size, nr = 0;
	FILE *f;

	for (size_t i = 0; found && i < cache->size; i++)
		if (cache->slots[i].recorded && applies(&cache->slots[i]))
			found[nr++] = &cache->slots[i];
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

void pp_source_cache_tell(const struct pp_source_cache *cache, struct pp_log *log)
{
	char *missing = list(cache, is_missing, 0), *unusable = list(cache, is_unusable, 1),
	     *newer = list(cache, is_newer, 0);

	if (missing)
		pp_warn(log,
			"source files not found: %s. Say where they are with --search-dirs, and "
			"with --base-dirs which part of these paths is not so any more",
			missing);
	if (unusable)
		pp_warn(log, "no source files: %s", unusable);
	if (newer)
		pp_warn(log,
			"source files changed after the binary was built, so lines may be shifted: "
			"%s",
			newer);
	free(missing);
	free(unusable);
	free(newer);
}
