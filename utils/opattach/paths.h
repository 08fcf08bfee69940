/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- a tree that counts the call paths of a process that is sampled from outside, and that
 * is written to a .csp file.
 */
#ifndef UTILS_OPATTACH_PATHS_H
#define UTILS_OPATTACH_PATHS_H

#include "libop/raw/live.h"
#include "libop/raw/probe_words.h"
#include "utils/opattach/walk.h"

/* A node of the tree. Nodes refer to each other by their indexes. Node 0 is the root; as a child or
 * sibling, 0 means none. */
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
	/* hash table with .room entries, a power of 2; .nodes also has .room elements */
	uint32_t *hash;
	struct attach_module *modules;	/* modules in ascending order of address */
	size_t nr_modules, room_modules;
	/* arguments of the process as in /proc/PID/cmdline, allocated by malloc() */
	char *command;
	size_t command_len;
	struct raw_live_counts counts;
};

/* Read the command line of the process. This must be done while the process is alive. */
void attach_paths_command(struct attach_paths *paths, const struct attach_target *t);
void attach_paths_release(struct attach_paths *paths);

/*
 * Add the modules of @images. Skip a module that overlaps an earlier one: its samples are lost or
 * counted for the earlier one. Return 0 or -ENOMEM.
 */
int attach_paths_modules(struct attach_paths *paths, const struct attach_images *images);

/* Count the call path @path @weight times, or as lost if its leaf is in no known module or out of
 * memory. */
void attach_paths_add(struct attach_paths *paths, const struct attach_path *path, uint64_t weight);
void attach_paths_lose(struct attach_paths *paths, enum raw_live_loss loss, uint64_t weight);

/*
 * Write the file NAME.PID.csp, or NAME.PID.1.csp and so on if the name is in use, to the directory
 * with the descriptor @dir. Store its name in *@ret; the caller frees it. Return 0 or a negative
 * errno.
 */
int attach_paths_write(struct attach_paths *paths, const struct attach_target *t,
		       const struct raw_probe_event *event, int dir, char **ret);

#endif
