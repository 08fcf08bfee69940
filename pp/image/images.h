/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * images.h -- data that all images of a report share: options for finding files, files next to the
 * samples, and locks of libraries that are not thread-safe. The members are private to this folder.
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

/*
 * The ELF files that the JIT agents of OProfile 1.x store in a session, after conversion:
 * {root}/PROGRAM/{dep}/{anon:NAME}/TGID.jo. The addresses in these files are addresses of the
 * process.
 */

struct pp_jo_file {
	pid_t tgid;
	char *path;
};

struct pp_jo_files {	/* The .jo files of a session. A zeroed struct is empty. */
	struct pp_jo_file *items;	/* files, in order of tgid */
	size_t nr;
};

struct pp_images_options {
	const char *root;		/* prefix of each binary's path; NULL: none */
	/* more directories to search for binaries, separated by commas; or NULL */
	const char *image_path;
	bool debuginfod;			/* ask the servers in $DEBUGINFOD_URLS */
	/* directory of the cache of symbol tables; NULL: no cache */
	const char *cache_dir;
	/* samples directories, with kernel symbols and build-ids; must outlive pp_images */
	char *const *samples_dirs;
	size_t nr_samples_dirs;
	bool force;		/* use a file even if it is not the profiled file */
};

struct pp_images {
	struct pp_images_options options;
	struct pp_log *log;
	/* symbols of the kernels of all sessions, each kernel once */
	struct op_kernel_syms *kernels;
	size_t nr_kernels;
	/* for each samples directory: index of its kernel in .kernels, or SIZE_MAX */
	size_t *kernel_of;
	atomic_flag warned_kernel;
	struct op_build_ids build_ids;
	/* client for downloads; NULL: downloads are disabled */
	struct pp_debuginfod *debuginfod;
	struct pp_symbol_cache *cache;		/* cache of symbol tables; NULL: no cache */
	pthread_mutex_t jo_lock;	/* protects .jo_files and .has_jo_files */
	struct pp_jo_files jo_files;
	bool has_jo_files;		/* .jo files have been searched */
	/* lock that a thread holds during calls of libbfd, which is not thread-safe */
	pthread_mutex_t bfd;
};

/* Create *@ret. Return 0 or -ENOMEM. */
int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log);
/* Read the files next to the samples again, for a session that is still recorded: add build-ids,
 * and the kernel's symbols if there were no symbols. Return 0 or -ENOMEM. */
int pp_images_update(struct pp_images *images);
/* Destroy @images. Accepts NULL. */
void pp_images_destroy(struct pp_images *images);
/* Return the index of the session that has the sample file @path, or the number of sessions if no
 * session has the file. */
size_t pp_images_session(const struct pp_images *images, const char *path);
/* Return the samples directory whose last component is @name, or NULL. */
const char *pp_images_samples_dir(const struct pp_images *images, const char *name);
/* Return the symbols of the kernel of the session that has the sample file @path; if no session has
 * the file, those of the first kernel. NULL: no symbols. */
const struct op_kernel_syms *pp_images_kernel(const struct pp_images *images, const char *path);
/* Set @dirs, which has room for all samples directories, to those of a kernel. Return their
 * number. */
size_t pp_images_kernel_dirs(const struct pp_images *images, const struct op_kernel_syms *kernel,
			     char **dirs);

/* Return the reason why the code of the running kernel is not read, for a message; NULL if the code
 * can be read. */
const char *pp_images_kernel_hindrance(const struct pp_images *images);

/* Return the places where debug files are searched. @log gets messages of the search. */
struct pp_debug_places pp_images_debug_places(const struct pp_images *images, struct pp_log *log);
/* Return the .jo file of a process, or NULL. */
const char *pp_images_jo_file(struct pp_images *images, pid_t tgid);

#endif
