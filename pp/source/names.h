/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h -- functions of images that another host has named. A database of intervals has names
 * instead of addresses, so each name gets a key, which stands for the address of the function. Two
 * reports give a name the same key.
 *
 * After pp_names_finish(), several threads may read the names.
 */
#ifndef PP_SOURCE_NAMES_H
#define PP_SOURCE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"

/* Keys of functions are at least PP_NAMES_FIRST_KEY. Lower keys are addresses of code without a
 * symbol. */
#define PP_NAMES_FIRST_KEY	(1ull << 62)

struct pp_named_symbol {
	uint64_t key;
	const char *name;
};

/* A build of an image. */
struct pp_named_image {
	const char *path;	/* path of a file, or name of the kernel or of other memory */
	const char *build_id;	/* in hex; "": unknown */
	uint32_t build;		/* as in struct op_identity */
	bool was_missing;	/* the host did not have the binary, so keys are offsets in it */
	struct pp_named_symbol *symbols;	/* after pp_names_finish(): sorted by key */
	size_t nr;
};

struct pp_names {
	struct pp_named_image *images;
	size_t nr;
	uint32_t *slots;	/* hash table of indices of images, plus 1; 0: free */
	size_t nr_slots;
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Find or add the image with the path @path and the build-id @build_id, in hex or "". Set *@ret to
 * its index. Return 0 or -ENOMEM. */
int pp_names_image(struct pp_names *names, const char *path, const char *build_id, uint32_t *ret);
/* Add a function to the image with the index @image, and set *@ret to its key. Return 0 or
 * -ENOMEM. */
int pp_names_symbol(struct pp_names *names, uint32_t image, const char *name, uint64_t *ret);
/* Sort the symbols, and remove duplicates. */
void pp_names_finish(struct pp_names *names);
/* Return the image with this path and build; if @build is 0 or unknown, any build; or NULL. */
const struct pp_named_image *pp_names_find(const struct pp_names *names, const char *path,
					   uint32_t build);
/* Free the contents of @names, which may be zeroed. */
void pp_names_release(struct pp_names *names);

/* Convert a build-id of at most @size bytes from hex. Return its length in bytes; 0: not in hex, or
 * too long. */
size_t pp_build_id_bytes(uint8_t *ret, size_t size, const char *hex);

#endif
