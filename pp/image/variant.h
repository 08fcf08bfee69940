/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant.h -- what samples of an image are in: one build of a binary, the kernel, the memory of
 * one process. An image has as many as its samples are of. Each kind is a struct that begins with a
 * pp_variant, and a const table of functions.
 */
#ifndef PP_IMAGE_VARIANT_H
#define PP_IMAGE_VARIANT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pp/base/log.h"
#include "pp/image/frame.h"
#include "pp/image/image_info.h"
#include "pp/image/images.h"
#include "pp/image/lines.h"
#include "pp/image/symtab.h"

struct pp_variant;

/* NULL where the kind has nothing to say. @vma is what to_vma() gave. */
struct pp_variant_ops {
	void (*destroy)(struct pp_variant *v);
	/* Of a sample's key; -ENOENT when there is none for it. NULL: nothing is known but the
	 * key. */
	int (*to_vma)(const struct pp_variant *v, uint64_t key, uint64_t *vma);
	/* The number of the symbol there, from 0 on, or PP_NO_SYMBOL. NULL: .symtab has it. */
	uint32_t (*lookup)(struct pp_variant *v, uint64_t vma);
	/* Before the symbols of another one are numbered behind it: those it has not read yet.
	 * -ENOMEM. */
	int (*read_all)(struct pp_variant *v);
	/* As the functions of image.h; @first: the line a function begins at. */
	bool (*line)(struct pp_variant *v, uint64_t vma, int first, struct pp_frame *ret);
	unsigned int (*frames)(struct pp_variant *v, uint64_t vma, struct pp_frame *frames,
			       unsigned int max);
	size_t (*code)(struct pp_variant *v, uint64_t vma, void *buf, size_t size);
	const char *(*data_at)(struct pp_variant *v, uint64_t vma, uint64_t *offset);
	void (*each_split)(struct pp_variant *v, void (*fn)(void *arg, int fd, const char *path),
			   void *arg);
	/* Adds to what @info says of any: that it has symbols or none, and no known owner. */
	void (*describe)(struct pp_variant *v, int with_debug, struct pp_image_info *info);
};

struct pp_variants {
	struct pp_images *images;
	const struct op_image_name *name;	/* of the image */
	struct pp_log *log;
	struct pp_variant **items;
	size_t nr;
};

struct pp_variant {
	const struct pp_variant_ops *ops;
	struct pp_variants *among;
	const struct pp_symtab *symtab;	/* NULL: none */
	const struct pp_symtab *stubs;	/* numbered behind those; or NULL */
	uint32_t first_symbol;		/* the image numbers those of all on */
	pid_t tgid;			/* of a process' memory, ... */
	unsigned int program;		/* ... and op_image_name's anon_program */
	size_t session;			/* ... */
	uint64_t anon_start;		/* of the samples begun */
};

void pp_variants_release(struct pp_variants *variants);
/* Takes over @v, also when it fails. -ENOMEM. */
int pp_variants_add(struct pp_variants *variants, struct pp_variant *v);
/* The memory of a process; NULL: none yet. */
struct pp_variant *pp_variants_find_process(const struct pp_variants *variants, pid_t tgid,
					    unsigned int program, size_t session);

/* Memory that nothing is known of. -ENOMEM. */
int pp_variant_unknown(struct pp_variant **ret, struct pp_variants *variants);

uint32_t pp_variant_nr_symbols(const struct pp_variant *v);
const struct pp_symbol *pp_variant_symbol(const struct pp_variant *v, uint32_t number);

/* For the tables: key of memory without a file; lines by debug data, or NULL, at @vma + @bias. */
int pp_variant_process_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma);
unsigned int pp_variant_frames(const struct pp_variant *v, struct pp_lines *lines, uint64_t vma,
			       uint64_t bias, struct pp_frame *frames, unsigned int max);

#endif
