/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h -- what all images of a report share: how files are looked for, what lies beside the
 * samples, and the libraries that know no threads. The members are for the files of this folder.
 */
#ifndef PP_IMAGE_IMAGES_H
#define PP_IMAGE_IMAGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "libop/session/build_ids.h"
#include "libop/session/kernel_syms.h"
#include "pp/base/log.h"
#include "pp/image/debug_file.h"
#include "pp/image/jo_files.h"

struct pp_images_options {
	const char *root;		/* prefix of every binary's path; NULL: none */
	const char *image_path;		/* more directories, comma separated; NULL: none */
	int debuginfod;			/* ask the servers of $DEBUGINFOD_URLS for debug files */
	const char *cache_dir;		/* of symbol tables (symbol_cache.h), only used by
					 * pp_images_create(); NULL: none kept */
	char *const *samples_dirs; /* where kernel symbols and build-ids are; outlives pp_images */
	size_t nr_samples_dirs;
	int force;		/* take a file that is not the one profiled for it */
};

struct pp_images {
	struct pp_images_options options;
	struct pp_log *log;
	struct op_kernel_syms kernel;
	int has_kernel;
	atomic_flag warned_kernel;
	struct op_build_ids build_ids;
	struct pp_debuginfod *debuginfod;	/* NULL: not to be asked */
	struct pp_symbol_cache *cache;		/* NULL: none */
	pthread_mutex_t jo_lock;	/* of the next two */
	struct pp_jo_files jo_files;
	int has_jo_files;		/* were they looked for? */
	pthread_mutex_t bfd;	/* held by whoever is inside libbfd, which knows no threads */
};

/* 0 or -ENOMEM. */
int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log);
/* Takes NULL. */
void pp_images_destroy(struct pp_images *images);
/* Why the code of the kernel, which runs here, is not read from it: for a message, or NULL. */
const char *pp_images_kernel_hindrance(const struct pp_images *images);

/* Where debug files are, for somebody who writes to @log. */
struct pp_debug_places pp_images_debug_places(const struct pp_images *images, struct pp_log *log);
/* The .jo file of a process; NULL: none. */
const char *pp_images_jo_file(struct pp_images *images, pid_t tgid);

#endif
