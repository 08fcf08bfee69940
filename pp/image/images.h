/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h -- data that all images of a report share: options for finding files, data beside the
 * sample files, and locks for libraries that are not thread-safe. Members are private to pp/image.
 */
#ifndef PP_IMAGE_IMAGES_H
#define PP_IMAGE_IMAGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "libop/session/build_ids.h"
#include "libop/session/kernel_syms.h"
#include "pp/base/log.h"
#include "pp/image/debug_file.h"
#include "pp/source/names.h"

/*
 * An ELF file with code that was compiled at run time: {root}/PROGRAM/{dep}/{anon:NAME}/TGID.jo.
 * opjitconv of OProfile 1.x made the file from an agent's dump. Addresses in the file are addresses
 * of the process.
 */

struct pp_jo_file {
	pid_t tgid;
	char *path;
};

struct pp_jo_files {	/* The .jo files of a session. A struct of zeros is empty. */
	struct pp_jo_file *items;	/* .jo files of all sessions, sorted by process id */
	size_t nr;
};

struct pp_images_options {
	const char *root;		/* prefix of the paths of all binaries; NULL: no prefix */
	/* other directories to search for binaries, separated by commas; or NULL */
	const char *image_path;
	/* query the servers in $DEBUGINFOD_URLS for missing files */
	bool debuginfod;
	/* directory for the cache of symbol tables; NULL: no cache */
	const char *cache_dir;
	/* samples directories with kernel symbols and build-ids; must outlive pp_images */
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	/* names of all functions, which the report then does not look up in files; must outlive
	 * pp_images; NULL: no names */
	const struct pp_names *names;
	bool force;		/* use a file even if it is not the profiled build */
};

struct pp_images {
	struct pp_images_options options;
	struct pp_log *log;
	/* symbols of the sessions' kernels, without duplicates */
	struct op_kernel_syms *kernels;
	size_t nr_kernels;
	/* for each samples directory: index of its kernel in .kernels, or SIZE_MAX */
	size_t *kernel_of;
	atomic_flag warned_kernel;
	struct op_build_ids build_ids;
	/* client for downloads from debuginfod servers; NULL: disabled */
	struct pp_debuginfod *debuginfod;
	struct pp_symbol_cache *cache;		/* cache of symbol tables; NULL: no cache */
	pthread_mutex_t jo_lock;	/* protects .jo_files and .has_jo_files */
	struct pp_jo_files jo_files;
	bool has_jo_files;		/* the sessions were searched for .jo files */
	/* held during calls of libbfd, which is not thread-safe */
	pthread_mutex_t bfd;
};

/* Create *@ret, the data that images of a report share. Return 0 or -ENOMEM. */
int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log);
/* Read the data beside the sample files again, for a session that is still being recorded. Add new
 * build-ids, and the kernel's symbols if they were missing. Return 0 or -ENOMEM. */
int pp_images_update(struct pp_images *images);
/* Free @images, which may be NULL. */
void pp_images_destroy(struct pp_images *images);
/* Return the index of the session that contains the sample file @path, or the number of sessions if
 * no session contains the file. */
size_t pp_images_session(const struct pp_images *images, const char *path);
/* Return the samples directory whose last component is @name, or NULL. */
const char *pp_images_samples_dir(const struct pp_images *images, const char *name);
/* Return the kernel symbols of the session with the sample file @path, or of the first kernel if no
 * session has the file. NULL: no symbols. */
const struct op_kernel_syms *pp_images_kernel(const struct pp_images *images, const char *path);
/* Store the samples directories of one kernel in @dirs, an array with space for all samples
 * directories. Return the number of stored directories. */
size_t pp_images_kernel_dirs(const struct pp_images *images, const struct op_kernel_syms *kernel,
			     char **dirs);

/* Return the reason why the running kernel's code is not read, for a message, or NULL if it can be
 * read. */
const char *pp_images_kernel_hindrance(const struct pp_images *images);

/* Return the directories and servers in which debug files are searched. @log gets messages of the
 * search. */
struct pp_debug_places pp_images_debug_places(const struct pp_images *images, struct pp_log *log);
/* Return the path of the .jo file of a process, or NULL. */
const char *pp_images_jo_file(struct pp_images *images, pid_t tgid);

#endif
