/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- a tree that counts the call paths of a process that is sampled from outside. The tree
 * is written to a .csp file.
 */
#ifndef UTILS_OPATTACH_PATHS_H
#define UTILS_OPATTACH_PATHS_H

#include "libop/raw/live.h"
#include "libop/raw/probe_words.h"
#include "utils/opattach/walk.h"

/* A node of the tree. Nodes refer to each other by index. Node 0 is the root, so index 0 as a child
 * or sibling means "no node". */
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
	/* hash table of node indexes with .room slots, a power of 2; .nodes also has .room
	 * elements */
	uint32_t *hash;
	struct attach_module *modules;	/* modules in ascending order of address */
	size_t nr_modules, room_modules;
	/* command line of the process, as in /proc/PID/cmdline; malloc'd */
	char *command;
	size_t command_len;
	struct raw_live_counts counts;
};

/* Read the command line of the process. Call this while the process is alive. */
void attach_paths_command(struct attach_paths *paths, const struct attach_target *t);
void attach_paths_release(struct attach_paths *paths);

/*
 * Add the @images to the modules of the .csp file. Skip an image that overlaps an earlier module;
 * its samples are lost or are counted for the earlier module. Return 0 or -ENOMEM.
 */
int attach_paths_modules(struct attach_paths *paths, const struct attach_images *images);

/* Add @weight samples of the call path @path. If the leaf of the path is outside all modules, or
 * memory is short, count the samples as lost. */
void attach_paths_add(struct attach_paths *paths, const struct attach_path *path, uint64_t weight);
void attach_paths_count_lost(struct attach_paths *paths, enum raw_live_loss loss, uint64_t weight);

/*
 * Write the file NAME.PID.csp, or NAME.PID.1.csp and so on if the name is in use, to the directory
 * with the descriptor @dir. Store its name in *@ret; the caller frees it. Return 0 or a negative
 * errno.
 */
int attach_paths_write(struct attach_paths *paths, const struct attach_target *t,
		       const struct raw_probe_event *event, int dir, char **ret);

#endif
