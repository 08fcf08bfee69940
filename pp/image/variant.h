/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant.h -- the variants of an image: a build of a binary, the kernel, or the memory of a
 * process. An image has one variant for each build, kernel or process with samples. Each kind of
 * variant has a struct that begins with a pp_variant, and a const table of functions.
 */
#ifndef PP_IMAGE_VARIANT_H
#define PP_IMAGE_VARIANT_H

#include <stdbool.h>
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

/* The functions for one kind of variant: a build of a binary, a kernel, or the memory of a process.
 * Members are NULL if the kind does not need them. @vma: an address from .to_vma(). */
struct pp_variant_ops {
	bool is_named;		/* addresses are keys of names (pp/source/names.h) */
	void (*destroy)(struct pp_variant *v);
	/* Convert a sample's key (its position in the sample file) to an address. Return 0, or
	 * -ENOENT if the key has no address. If .to_vma is NULL, addresses are unknown, and reports
	 * show keys. */
	int (*to_vma)(const struct pp_variant *v, uint64_t key, uint64_t *vma);
	/* Return the number of the symbol at @vma, from 0 on, or PP_NO_SYMBOL. If .lookup is NULL,
	 * .symtab is searched. */
	uint32_t (*lookup)(struct pp_variant *v, uint64_t vma);
	/* Read all symbols of the variant that have not been read. This is called before the first
	 * symbol of the next variant is numbered. Return 0 or -ENOMEM. */
	int (*read_all)(struct pp_variant *v);
	/* Implementations of pp_image_line(), pp_image_frames(), pp_image_code() and
	 * pp_image_data_at() for this variant (image.h). @first: get the line at which a function
	 * begins. */
	bool (*line)(struct pp_variant *v, uint64_t vma, bool first, struct pp_frame *ret);
	unsigned int (*frames)(struct pp_variant *v, uint64_t vma, struct pp_frame *frames,
			       unsigned int max);
	size_t (*code)(struct pp_variant *v, uint64_t vma, void *buf, size_t size);
	const char *(*data_at)(struct pp_variant *v, uint64_t vma, uint64_t *offset);
	void (*each_split)(struct pp_variant *v, void (*fn)(void *arg, int fd, const char *path),
			   void *arg);
	/* Complete @info. The caller has set the members that do not depend on the kind of variant:
	 * whether the image has symbols, and an unknown owner. */
	void (*describe)(struct pp_variant *v, bool with_debug, struct pp_image_info *info);
};

struct pp_variants {
	struct pp_images *images;
	/* name of the image to which this build, kernel or process memory belongs */
	const struct op_image_name *name;
	struct pp_log *log;
	struct pp_variant **items;
	size_t nr;
};

struct pp_variant {
	const struct pp_variant_ops *ops;
	struct pp_variants *among;
	/* symbols of this build, kernel or process; NULL: no symbols */
	const struct pp_symtab *symtab;
	/* names of PLT stubs, numbered after the symbols of .symtab; or NULL */
	const struct pp_symtab *stubs;
	/* number of this variant's first symbol among all symbols of the image */
	uint32_t first_symbol;
	pid_t tgid;			/* only for memory of a process: id of the process */
	/* only for memory of a process: number of the program in the process (anon_program of
	 * op_image_name) */
	unsigned int program;
	/* only for memory of a process: index of the session that has the samples */
	size_t session;
	/* start address of the memory without a file that contains the current samples */
	uint64_t anon_start;
};

void pp_variants_release(struct pp_variants *variants);
/* Add @v to @variants, and transfer ownership of @v to @variants. On failure, free @v. Return 0 or
 * -ENOMEM. */
int pp_variants_add(struct pp_variants *variants, struct pp_variant *v);
/* Return the variant for the memory of the process @tgid, or NULL if no such variant exists. */
struct pp_variant *pp_variants_find_process(const struct pp_variants *variants, pid_t tgid,
					    unsigned int program, size_t session);

/* Create the variant for memory about which nothing is known. Return 0 or -ENOMEM. */
int pp_variant_unknown(struct pp_variant **ret, struct pp_variants *variants);

uint32_t pp_variant_nr_symbols(const struct pp_variant *v);
const struct pp_symbol *pp_variant_symbol(const struct pp_variant *v, uint32_t number);

/* Implementation of .to_vma for memory without a file. */
int pp_variant_process_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma);
/* Like pp_image_frames(), but use the debug data @lines, in which the code at @vma has the address
 * @vma + @bias. Return 0 if @lines is NULL. */
unsigned int pp_variant_frames(const struct pp_variant *v, struct pp_lines *lines, uint64_t vma,
			       uint64_t bias, struct pp_frame *frames, unsigned int max);

/*
 * Variants for ELF files: a binary, a vmlinux, a missing or changed file, and the file in which an
 * agent stored the code that a program generated.
 */

/* Create the variant for the build of the binary that @samples identifies. Return 0 or -ENOMEM. */
int pp_variant_file(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

/* Create the variant for an open file. The variant owns @fd and @path; on failure they are
 * released. Keys are file offsets or, with @is_process, addresses of the process that maps the
 * file. If the file is damaged, warn and create a variant without symbols. Return 0 or -ENOMEM. */
int pp_variant_open_file(struct pp_variant **ret, struct pp_variants *variants, int fd, char *path,
			 bool is_process);

/*
 * Variants for the kernel and its modules. Symbols come from the session. Lines and code come from
 * the vmlinux or module file of this kernel, if it exists on this machine. Otherwise the code comes
 * from the session or from the running kernel.
 */

/* Create the variant for an image of the kernel of the session with the sample file @path. If @path
 * is NULL, use the first kernel. Sessions with the same kernel share the variant. Return 0 or
 * -ENOMEM. */
int pp_variant_kernel(struct pp_variant **ret, struct pp_variants *variants, const char *path);

/*
 * Variants for memory of a process without a file: code made at run time, which the program or its
 * agent has described; and the vdso, code that the kernel maps into every process.
 */

/* Create the variant for the process of @samples. Processes in different runs are different, even
 * with the same pid. Return 0 or -ENOMEM. */
int pp_variant_process(struct pp_variant **ret, struct pp_variants *variants,
		       const struct pp_image_samples *samples);

/* Create the variant for the vdso of 64-bit processes, which all have the same vdso: from the
 * session's copy, or from this process if the running kernel was profiled. The vdso of 32-bit
 * processes is another build, without symbols. Return 0 or -ENOMEM. */
int pp_variant_vdso(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

/*
 * Variants for images whose functions another host has named (pp/source/names.h).
 */

/* Create the variant for the build of @samples. Return 0 or -ENOMEM. */
int pp_variant_named(struct pp_variant **ret, struct pp_variants *variants,
		     const struct pp_image_samples *samples);

#endif
