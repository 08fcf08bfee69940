/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- call paths of a process that is watched from outside, counted in a tree that becomes a
 * .csp.
 */
#ifndef UTILS_OPATTACH_PATHS_H
#define UTILS_OPATTACH_PATHS_H

#include "libop/raw/live.h"
#include "libop/raw/probe_words.h"
#include "utils/opattach/walk.h"

/* A node knows its parent, and its children as a list. 0 is the root, and none. */
struct attach_node {
	uint64_t ip, sp, count;
	uint32_t parent, child, sibling, same_hash;
	uint32_t flags;			/* RAW_LIVE_INTERRUPTED, RAW_LIVE_SHORT */
	uint32_t id;
};

struct attach_module {
	uint64_t start, end, vaddr;
	char *path;
	uint8_t build_id[RAW_BUILD_ID_MAX];
	uint32_t build_id_len;
};

struct attach_paths {
	struct attach_node *nodes;
	uint32_t nr, room;
	/* as many as there is room for nodes, which is a power of 2 */
	uint32_t *hash;
	struct attach_module *modules;	/* by address */
	size_t nr_modules, room_modules;
	/* malloc'd: the words that the program was begun with, as /proc has them */
	char *command;
	size_t command_len;
	struct raw_live_counts counts;
};

/* Read the command line of a live process, which a process that has ended no longer offers. */
void attach_paths_command(struct attach_paths *paths, const struct attach_target *t);
void attach_paths_release(struct attach_paths *paths);

/*
 * Add the modules of @images. Skip a module at addresses of an earlier one: its samples are lost.
 * Return 0 or -ENOMEM.
 */
int attach_paths_modules(struct attach_paths *paths, const struct attach_images *images);

/* Counts a path @weight times, or loses it. */
void attach_paths_add(struct attach_paths *paths, const struct attach_path *path, uint64_t weight);
void attach_paths_lose(struct attach_paths *paths, enum raw_live_loss loss, uint64_t weight);

/*
 * Writes NAME.PID.csp in the open directory @dir, NAME.PID.1.csp where that is taken and so on:
 * *@ret is its name, malloc'd. 0 or negative errno.
 */
int attach_paths_write(struct attach_paths *paths, const struct attach_target *t,
		       const struct raw_probe_event *event, int dir, char **ret);

#endif
