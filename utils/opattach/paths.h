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

/* A node of the tree has the number of its parent, and a list of its children. Number 0 is the
 * root; in a list, 0 is the end. */
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
	/* hash table with as many entries as nodes are allocated, a power of 2 */
	uint32_t *hash;
	struct attach_module *modules;	/* sorted by address */
	size_t nr_modules, room_modules;
	/* malloc'd; the words of the command line, as in /proc/PID/cmdline */
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

/* Count a path @weight times. Without memory, count it as lost. */
void attach_paths_add(struct attach_paths *paths, const struct attach_path *path, uint64_t weight);
void attach_paths_lose(struct attach_paths *paths, enum raw_live_loss loss, uint64_t weight);

/*
 * Write NAME.PID.csp in the open directory @dir, or NAME.PID.1.csp and so on if the name exists.
 * Store the malloc'd name in *@ret. Return 0 or a negative errno.
 */
int attach_paths_write(struct attach_paths *paths, const struct attach_target *t,
		       const struct raw_probe_event *event, int dir, char **ret);

#endif
