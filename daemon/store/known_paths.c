// SPDX-License-Identifier: GPL-2.0-or-later
/* known_paths.c -- cache from call paths to tree nodes, for all threads and trees. */
#include "config.h"
#include "daemon/store/known_paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* number of buckets, a power of two; the table has 1 MB */
#define NR_BUCKETS	16384u
/* number of entries in a bucket, which occupies one cache line */
#define NR_ENTRIES	4u
#define CACHE_LINE	64

struct entry {
	uint64_t hash;
	uint32_t node;	/* 0: unused entry */
	uint32_t unused;
};

/* The newest entry is the first one. */
struct bucket {
	struct entry entries[NR_ENTRIES];
};
_Static_assert(sizeof(struct bucket) == CACHE_LINE, "a lookup reads one cache line");

struct opd_known_paths {
	struct bucket *buckets;
	uint64_t seed;
};

struct opd_known_paths *opd_known_paths_create(void)
{
	struct opd_known_paths *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->buckets = aligned_alloc(CACHE_LINE, NR_BUCKETS * sizeof(*k->buckets));
	if (!k->buckets || getrandom(&k->seed, sizeof(k->seed), 0) != sizeof(k->seed)) {
		opd_known_paths_destroy(k);
		return NULL;
	}
	memset(k->buckets, 0, NR_BUCKETS * sizeof(*k->buckets));
	return k;
}

void opd_known_paths_destroy(struct opd_known_paths *k)
{
	if (!k)
		return;
	free(k->buckets);
	free(k);
}

/* Return @hash extended by a number. For each @number, different hashes stay different. */
static uint64_t extend(uint64_t hash, uint64_t number)
{
	uint64_t h = hash * 0x9e3779b97f4a7c15 + number;

	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
	h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
	return h ^ (h >> 31);
}

static struct bucket *bucket_of(const struct opd_known_paths *k, uint64_t hash)
{
	return &k->buckets[hash & (NR_BUCKETS - 1)];
}

uint64_t opd_known_paths_begin(const struct opd_known_paths *k, const struct opd_known_root *root)
{
	return extend(extend(extend(k->seed, root->tree), root->kernel), root->end);
}

uint64_t opd_known_paths_enter(const struct opd_known_paths *k, uint64_t hash,
			       const struct opd_frame *frame,
			       const struct opd_known_process *process)
{
	const struct opd_anon *anon = &frame->anon;

	hash = extend(hash, frame->offset);
	hash = extend(hash, (uint64_t)frame->domain << 16 | frame->how);
	if (frame->domain == OPD_USER_FILE) {
		hash = extend(hash, (uintptr_t)frame->image);
	} else if (frame->domain == OPD_USER_ANON) {
		hash = extend(hash, (uintptr_t)anon->label);
		hash = extend(extend(hash, anon->start), anon->end);
		hash = extend(hash, (uint64_t)process->program << 32 | (uint32_t)process->tgid);
	}
	__builtin_prefetch(bucket_of(k, hash));
	return hash;
}

uint32_t opd_known_paths_find(const struct opd_known_paths *k, uint64_t hash)
{
	const struct entry *e = bucket_of(k, hash)->entries;

	for (unsigned int i = 0; i < NR_ENTRIES; i++)
		if (e[i].hash == hash)
			return e[i].node;
	return 0;
}

void opd_known_paths_set(struct opd_known_paths *k, uint64_t hash, uint32_t node)
{
	struct entry *e = bucket_of(k, hash)->entries;
	unsigned int i = 0;

	while (i < NR_ENTRIES - 1 && e[i].hash != hash)
		i++;
	memmove(e + 1, e, i * sizeof(*e));
	e[0] = (struct entry){.hash = hash, .node = node};
}
