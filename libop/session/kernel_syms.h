/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_syms.h -- the kernel's symbols, stored with a session so that reports need no vmlinux.
 *
 * The file stores no kernel address, because users who may read the samples may read it. A symbol's
 * offset counts from the start of its image, as the keys of the image's sample file do. The core
 * kernel starts at the running kernel's _stext, so KASLR has no effect, and the offset is also the
 * offset from the start of .text in a vmlinux. Code that the kernel makes at run time (BPF
 * programs, trampolines) belongs to the core kernel; its offset is taken modulo 2^64. A module
 * starts at its base address in /proc/modules.
 *
 * The text file OP_KERNEL_SYMS_FILE is replaced atomically:
 *   oprofile-kernel-symbols 1
 *   release RELEASE
 *   build-id HEX                     (if known)
 *   image NAME SIZE                  (hex bytes; NAME is the {kern}/ name: vmlinux or a module)
 *   OFFSET TYPE SYMBOL               (hex, kallsyms type letter; ascending within an image)
 * An unloaded module keeps its section.
 */
#ifndef OP_KERNEL_SYMS_H
#define OP_KERNEL_SYMS_H

#include <stddef.h>
#include <stdint.h>

#define OP_KERNEL_IMAGE		"vmlinux"	/* name of the core kernel in {kern}/ */
/* name of the core kernel if --no-vmlinux is given */
#define OP_KERNEL_NO_VMLINUX	"no-vmlinux"

struct op_ksym {
	uint64_t offset;
	char type;
	char *name;
};

struct op_kimage {
	char *name;
	/* size in bytes, counted from the start; symbols at higher offsets are those of code made
	 * at run time */
	uint64_t size;
	struct op_ksym *syms;	/* symbols, in ascending order of offset */
	size_t nr_syms;
};

struct op_ksyms_block;

struct op_kernel_syms {
	char *release;
	char *build_id;		/* build-id in hexadecimal digits; NULL: unknown */
	struct op_kimage *images;
	size_t nr_images;
	struct op_ksyms_block *blocks;	/* memory of all strings of this struct */
};

/*
 * Fill in a zeroed struct op_kernel_syms. The order of calls is: add an image, then its symbols in
 * any order, then the next image; at the end, sort. The functions copy names. They return 0,
 * -ENOMEM, or -EINVAL for a name with a blank, which the file cannot contain.
 */
int op_kernel_syms_set_release(struct op_kernel_syms *s, const char *release);
int op_kernel_syms_set_build_id(struct op_kernel_syms *s, const char *hex);
int op_kernel_syms_add_image(struct op_kernel_syms *s, const char *name, uint64_t size);
/* Add a symbol to the last added image. */
int op_kernel_syms_add_symbol(struct op_kernel_syms *s, uint64_t offset, char type,
			      const char *name);
/* Sort by offset. A global symbol follows the others at its offset, because lookups find the
 * last one. */
void op_kernel_syms_sort(struct op_kernel_syms *s);

/* Read the snapshot of a session. Return 0, a negative errno, or OP_ERR_KSYMS if the file has
 * another format. */
int op_kernel_syms_read(struct op_kernel_syms *ret, int samples_dirfd);
/* Parse the text of a snapshot. Return as op_kernel_syms_read() does. Declared for tests. */
int op_kernel_syms_parse(struct op_kernel_syms *ret, const char *text, size_t len);
/* Write the snapshot of a session. Return 0 or a negative errno; -EINVAL: the release is not
 * set, or the symbols are not sorted. */
int op_kernel_syms_write(const struct op_kernel_syms *s, int samples_dirfd);
void op_kernel_syms_release(struct op_kernel_syms *s);

/* Return the image with this name, or NULL. */
const struct op_kimage *op_kernel_syms_image(const struct op_kernel_syms *s, const char *name);
/* Return the last symbol at or below @offset, for tests. NULL: @offset is below the first
 * symbol. */
const struct op_ksym *op_kimage_lookup(const struct op_kimage *image, uint64_t offset);

#endif
