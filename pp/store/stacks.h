/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stacks.h -- the stacks of samples: their frames, with keys instead of names (names.h). */
#ifndef PP_STORE_STACKS_H
#define PP_STORE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/base/reason.h"
#include "pp/base/block.h"
#include "pp/source/names.h"
#include "pp/store/decode.h"

/* A frame of a stack. */
struct store_frame {
	enum {
		STORE_CODE,		/* code of an image */
		STORE_END,		/* the caller is unknown; .how is the reason */
		STORE_FOLDED, STORE_LOST,
		STORE_UNKNOWN,		/* a frame without a binary */
		STORE_NO_PATH,		/* the sample has no call path */
	} kind;
	uint32_t image;			/* only STORE_CODE: index in the names */
	uint64_t key;			/* only STORE_CODE */
	uint16_t how;			/* as in struct frame (libdb/frames.h) */
};

struct store_stack {
	const char *service;
	uint64_t id;
	uint32_t program;		/* index of the program's image in the names */
	bool is_unit;			/* the service is not the program, but its unit */
	uint32_t frame, nr;		/* the frames after the program, in .chain */
};

struct store_stacks {
	struct store_stack *items;	/* sorted by id, then by service */
	size_t nr;
	struct store_frame *frames;	/* different frames */
	size_t nr_frames;
	uint32_t *chain;		/* indices of frames */
	size_t nr_chain;
	/* texts of .frames, as a hash table of indices of frames, plus 1; 0: free */
	struct store_text *texts;
	size_t nr_texts;
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Read the answer to store_query_stacks(), and add the names of functions to @names. Return 0,
 * -ENOMEM, or another negative errno with a message. */
int store_stacks_read(struct store_stacks *ret, struct pp_names *names, struct store_rows *rows,
		      struct op_reason *error);
void store_stacks_release(struct store_stacks *stacks);

/* Return the stack @id of @service, or NULL. */
const struct store_stack *store_stack_find(const struct store_stacks *stacks, const char *service,
					   uint64_t id);

#endif
