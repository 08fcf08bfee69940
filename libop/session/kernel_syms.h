/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_syms.h -- the kernel's symbols, stored with a session so that reports need no vmlinux.
 *
 * The file contains no kernel address, because all users who may read the samples may read the
 * file. The address of a symbol is an offset from the start of its image, like the keys in the
 * image's sample file. The core kernel starts at the running kernel's _stext, so KASLR has no
 * effect, and the offset is also the offset from the start of .text in a vmlinux. Code that the
 * kernel generates at run time (BPF programs, trampolines) belongs to the core kernel; its offset
 * is taken modulo 2^64. A module starts at its base address in /proc/modules.
 *
 * The text file OP_KERNEL_SYMS_FILE is replaced atomically. Its lines are:
 *
 *   oprofile-kernel-symbols 1
 *   release RELEASE
 *   build-id HEX		only if the build-id is known
 *   image NAME SIZE	hexadecimal number of bytes; NAME as in {kern}/NAME
 *   OFFSET TYPE SYMBOL	hexadecimal offset, kallsyms type letter; ascending within an image
 *
 * The symbols of an unloaded module stay in the file.
 */
#ifndef OP_KERNEL_SYMS_H
#define OP_KERNEL_SYMS_H

#include <stddef.h>
#include <stdint.h>

#define OP_KERNEL_IMAGE		"vmlinux"	/* name of the core kernel, as in {kern}/vmlinux */
/* name of the core kernel if the user has given --no-vmlinux */
#define OP_KERNEL_NO_VMLINUX	"no-vmlinux"

struct op_ksym {
	uint64_t offset;
	char type;
	char *name;
};

struct op_kimage {
	char *name;
	/* size of the image in bytes; symbols at offsets beyond it belong to code generated at
	 * run time */
	uint64_t size;
	struct op_ksym *syms;	/* symbols of the image, sorted by offset */
	size_t nr_syms;
};

struct op_ksyms_block;

struct op_kernel_syms {
	char *release;
	char *build_id;		/* kernel's build-id in hexadecimal digits; NULL: unknown */
	struct op_kimage *images;
	size_t nr_images;
	struct op_ksyms_block *blocks;	/* memory for all strings of this struct */
};

/*
 * Fill in a zeroed struct op_kernel_syms. Order of calls: add an image, then its symbols in any
 * order, then the next image; sort at the end. The functions copy names. They return 0, -ENOMEM, or
 * -EINVAL for a name with a blank, which the file cannot represent.
 */
int op_kernel_syms_set_release(struct op_kernel_syms *s, const char *release);
int op_kernel_syms_set_build_id(struct op_kernel_syms *s, const char *hex);
int op_kernel_syms_add_image(struct op_kernel_syms *s, const char *name, uint64_t size);
/* Add a symbol to the image that was added last. */
int op_kernel_syms_add_symbol(struct op_kernel_syms *s, uint64_t offset, char type,
			      const char *name);
/* Sort the symbols by offset. Of the symbols at one offset, a global symbol comes last, because
 * lookups return the last one. */
void op_kernel_syms_sort(struct op_kernel_syms *s);

/* Read the kernel symbols of a session. Return 0, a negative errno, or OP_ERR_KSYMS if the file
 * has another format. */
int op_kernel_syms_read(struct op_kernel_syms *ret, int samples_dirfd);
/* The same, but read only the kernel's release and build-id, and no image. */
int op_kernel_syms_read_kernel(struct op_kernel_syms *ret, int samples_dirfd);
/* Parse the text of a file of kernel symbols. The return values are the same as those of
 * op_kernel_syms_read(). Declared for tests. */
int op_kernel_syms_parse(struct op_kernel_syms *ret, const char *text, size_t len);
/* Write the kernel symbols of a session. Return 0 or a negative errno; -EINVAL: the release is
 * not set, or the symbols are not sorted. */
int op_kernel_syms_write(const struct op_kernel_syms *s, int samples_dirfd);
void op_kernel_syms_release(struct op_kernel_syms *s);

/* Return the image with the name @name, or NULL. */
const struct op_kimage *op_kernel_syms_image(const struct op_kernel_syms *s, const char *name);
/* For tests: return the symbol with the highest offset that is not above @offset; NULL if
 * @offset is below the first symbol. */
const struct op_ksym *op_kimage_lookup(const struct op_kimage *image, uint64_t offset);

#endif
