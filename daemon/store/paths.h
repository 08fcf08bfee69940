/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h -- counting of samples in trees of call paths (tree_files.h), in addition to the sample
 * files. Each stored sample is counted once more: either in the tree of its program, or as a lost
 * path.
 */
#ifndef OPD_PATHS_H
#define OPD_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/record.h"

struct opd_config;
struct opd_images;
struct opd_jit;
struct opd_kernel;
struct opd_log;
struct opd_paths;
struct opd_session;
struct opd_stats;

/* Create *@ret. All arguments are borrowed. Return 0 or a negative errno. */
int opd_paths_create(struct opd_paths **ret, const struct opd_config *cfg,
		     const struct opd_session *session, struct opd_kernel *kernel,
		     struct opd_images *images, struct opd_stats *stats, struct opd_log *log);
/* Destroy @p. This function and the functions below accept NULL. */
void opd_paths_destroy(struct opd_paths *p);
/* Set the object to which opd_paths_add() reports processes with JIT code. @jit is borrowed. */
void opd_paths_set_jit(struct opd_paths *p, struct opd_jit *jit);

/*
 * Count @count samples like @sample, which were stored in a sample file with context @ctx, in the
 * tree of their program. @ids: tgid, tid and cpu of the sample file, or OP_ALL. @elsewhere: the
 * user's budget of new files is used up, so count the samples in the tree "(more programs)".
 */
void opd_paths_add(struct opd_paths *p, const struct opd_context *ctx,
		   const struct opd_sample *sample, uint64_t count, const int32_t ids[3],
		   bool elsewhere);

bool opd_paths_dirty(const struct opd_paths *p);
/* Start to write all changed files to disk, without waiting. Return the first error, or 0. */
int opd_paths_sync(struct opd_paths *p);
/* Start a sync like opd_paths_sync(), but in steps. Each call of opd_paths_sync_step() performs a
 * step. */
void opd_paths_begin_sync(struct opd_paths *p);
/* Perform one step of the sync that opd_paths_begin_sync() has started. Return 1 if further steps
 * are needed, 0, or the first error. */
int opd_paths_sync_step(struct opd_paths *p);
/* Close all files, so that the session can be saved or deleted. */
void opd_paths_close_all(struct opd_paths *p);
/* Close some of the files that are waiting to be closed. Return true if others are still open. */
bool opd_paths_close_step(struct opd_paths *p);
/* Return true if files that are waiting to be closed are still open. */
bool opd_paths_is_closing(const struct opd_paths *p);

#endif
