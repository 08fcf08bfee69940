/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h -- the live profile: the samples since the last snapshot, by program and function, and by
 * call path. Counts are added when files are read. A snapshot moves the counts out of the profile,
 * so its cost depends only on the functions that had samples.
 */
#ifndef PP_TOP_LIVE_H
#define PP_TOP_LIVE_H

#include "pp/top/functions.h"
#include "pp/top/snapshot.h"

/* A set of 64-bit keys, each with an index from 0 on. A zeroed struct is empty. */
struct pp_top_set {
	uint64_t *keys;		/* the keys of the set, in order of insertion */
	size_t nr;
	/* hash table; each slot contains an index into .keys plus 1, or 0 if it is free */
	uint32_t *slots;
	size_t size;		/* number of slots in the hash table, 0 or a power of two */
};

/* Set *@ret to the index of @key. Add @key if it is new. Return 0 or -ENOMEM. */
int pp_top_set_add(struct pp_top_set *set, uint64_t key, uint32_t *ret);
/* Remove the key that was added last. */
void pp_top_set_forget_last(struct pp_top_set *set);
void pp_top_set_release(struct pp_top_set *set);

/* A set of keys, with a count for each key. */
struct pp_top_counts {
	struct pp_top_set set;
	uint64_t *counts;	/* for each key of .set: its count */
	size_t nr;
	uint32_t *touched;	/* indices of the keys of .set whose count is not 0 */
	size_t nr_touched;
};

struct pp_top_live {
	struct pp_top_functions functions;
	struct pp_top_set programs;	/* programs; the hash keys are addresses of their titles */
	/* samples by program and function; the hash key is program << 32 | function */
	struct pp_top_counts entries;
	/* nodes of call paths; the hash key is parent << 32 | name; the root has index 0 */
	struct pp_top_counts nodes;
};

/* Initialize the live profile. @images: as for pp_top_functions_init(). Return 0 or -ENOMEM. In
 * both cases the caller releases @live. */
int pp_top_live_init(struct pp_top_live *live, struct pp_images *images, enum pp_demangle demangle);
void pp_top_live_release(struct pp_top_live *live);

/* Find or add the program with the title @title, and store its number in *@ret. Return 0 or
 * -ENOMEM. */
int pp_top_program(struct pp_top_live *live, const char *title, uint32_t *ret);
/* Find or add the counter of a function in a program, and store its number in *@ret. Return 0 or
 * -ENOMEM. */
int pp_top_entry(struct pp_top_live *live, uint32_t program, uint32_t function, uint32_t *ret);
/* Find or add the node of a program in the tree of call paths, and store its number in *@ret.
 * Return 0 or -ENOMEM. */
int pp_top_program_node(struct pp_top_live *live, uint32_t program, uint32_t *ret);
/* Find or add the node of a function that the node @parent called, and store its number in *@ret.
 * Return 0 or -ENOMEM. */
int pp_top_node(struct pp_top_live *live, uint32_t parent, uint32_t function, uint32_t *ret);
/* Add @count samples to the counter of a function in a program. */
int pp_top_add_entry(struct pp_top_live *live, uint32_t entry, uint64_t count);
/* Add @count samples to a node of the tree of call paths. */
int pp_top_add_node(struct pp_top_live *live, uint32_t node, uint64_t count);

/* Discard all samples, so that the next snapshot begins without samples. */
void pp_top_live_clear(struct pp_top_live *live);
/* Move the samples of the live profile to .entries, .nodes and .total of @snapshot. Return 0, or
 * -ENOMEM after discarding the samples. */
int pp_top_live_drain(struct pp_top_live *live, struct pp_top_snapshot *snapshot);
/* Move the samples of call paths to .nodes of @snapshot, which has no nodes yet. Return 0, or
 * -ENOMEM after discarding the samples. */
int pp_top_live_drain_nodes(struct pp_top_live *live, struct pp_top_snapshot *snapshot);

#endif
