/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- the functions in all binaries of a live profile. Each function has a number. A
 * binary is opened at its first lookup, and stays open.
 */
#ifndef PP_TOP_FUNCTIONS_H
#define PP_TOP_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"
#include "pp/base/log.h"
#include "pp/image/demangle.h"
#include "pp/image/image.h"
#include "pp/profile/profile.h"

struct pp_top_binary;

struct pp_top_function {
	const char *name;	/* name of the function in reports */
	/* name on call paths, where the name of the binary is not printed beside the function */
	const char *path_name;
	/* title of the binary; NULL: not a function, but the reason why a path is incomplete */
	const char *image;
	bool is_kernel;
	/* code without a symbol. Calls within such code are unknown, so adjacent frames in it
	 * become one node */
	bool is_nameless;
};

/* The functions of a live profile. Names are valid as long as the struct. */
struct pp_top_functions {
	/* images for lookups; borrowed; NULL: do not look up names of functions */
	struct pp_images *images;
	struct pp_profile_options options;
	/* log that discards messages, because the screen has no space for them */
	struct pp_log log;
	struct pp_top_binary **binaries;
	size_t nr_binaries;
	struct pp_top_function *items;
	size_t nr;
	struct pp_block *strings;
	struct pp_intern intern;
};

void pp_top_functions_init(struct pp_top_functions *f, struct pp_images *images,
			   enum pp_demangle demangle);
void pp_top_functions_release(struct pp_top_functions *f);

/* Find or add the binary with the title @title, and store its number in *@ret. @name is copied.
 * Return 0 or -ENOMEM. */
int pp_top_binary(struct pp_top_functions *f, const char *title, const struct op_image_name *name,
		  uint32_t *ret);

/*
 * Look up the function at @key, a sample file's address in the binary, and store its number in
 * *@ret. @samples identifies the build of the binary. *@samples and its strings must not change
 * until pp_top_functions_forget(). Return 0 or -ENOMEM.
 */
int pp_top_function(struct pp_top_functions *f, uint32_t binary,
		    const struct pp_image_samples *samples, uint64_t key, uint32_t *ret);

/* Drop all pointers to @samples of earlier lookups, so that the caller may free them. Functions
 * keep their numbers. */
void pp_top_functions_forget(struct pp_top_functions *f);

/* Find or add a pseudo-function for the reason @text, such as "[folded]", and store its number in
 * *@ret. Return 0 or -ENOMEM. */
int pp_top_reason(struct pp_top_functions *f, const char *text, uint32_t *ret);

/* Return a shared copy of @text, or NULL if out of memory. Equal texts have the same copy. */
const char *pp_top_string(struct pp_top_functions *f, const char *text);

#endif
