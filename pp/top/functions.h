/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h -- the functions of all binaries that a live profile has met, numbered once. A binary
 * is opened when its first sample is looked up, and stays open.
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
	const char *path_name;	/* name in call paths, where the binary is not beside it */
	const char *image;	/* title of the binary; NULL: the function is a reason, not code */
	bool is_kernel;
	/* code without a symbol: calls within such code are unknown, so adjacent frames in it are
	 * one node */
	bool is_nameless;
};

/* The functions of a live profile. The names live as long as the struct. */
struct pp_top_functions {
	/* images in which functions are looked up; borrowed; NULL: no function has a name */
	struct pp_images *images;
	struct pp_profile_options options;
	/* a log that discards messages, because the screen has no place for them */
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

/* Set *@ret to the number of the binary with the title @title. @name is copied. Return 0 or
 * -ENOMEM. */
int pp_top_binary(struct pp_top_functions *f, const char *title, const struct op_image_name *name,
		  uint32_t *ret);

/*
 * Set *@ret to the number of the function at @key of the binary. @samples describes the file that
 * has the sample; the struct and its strings must stay valid and unchanged until
 * pp_top_functions_forget(). Return 0 or -ENOMEM.
 */
int pp_top_function(struct pp_top_functions *f, uint32_t binary,
		    const struct pp_image_samples *samples, uint64_t key, uint32_t *ret);

/* Forget all descriptions of files, which may be freed then. Functions keep their numbers. */
void pp_top_functions_forget(struct pp_top_functions *f);

/* Set *@ret to the number of the reason @text, such as "[folded]". Return 0 or -ENOMEM. */
int pp_top_reason(struct pp_top_functions *f, const char *text, uint32_t *ret);

/* Return the copy of @text, or NULL if out of memory. Equal texts have the same pointer. */
const char *pp_top_string(struct pp_top_functions *f, const char *text);

#endif
