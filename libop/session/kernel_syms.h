/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_syms.h -- the kernel's symbols, kept with a session so that reports need no vmlinux.
 *
 * No kernel address is stored: the file may be read by anyone who may read the samples. Each
 * image's symbols are offsets from that image's start, the same offsets that its sample file has
 * as keys. For the core kernel the start is _stext as it runs, so KASLR cancels out, and the
 * offset is also the one from the start of .text in a vmlinux; code the kernel makes at run time
 * (BPF programs, trampolines) counts as core kernel, its offset taken modulo 2^64. For a module it is
 * the module's base address of /proc/modules.
 *
 * On disk (OP_KERNEL_SYMS_FILE, replaced atomically), text:
 *   oprofile-kernel-symbols 1
 *   release RELEASE
 *   build-id HEX                     (when known)
 *   image NAME SIZE                  (hex bytes; NAME is the {kern}/ name: vmlinux or a module)
 *   OFFSET TYPE SYMBOL               (hex, kallsyms type letter; ascending within an image)
 * A module that has been unloaded keeps its section.
 */
#ifndef OP_KERNEL_SYMS_H
#define OP_KERNEL_SYMS_H

#include <stddef.h>
#include <stdint.h>

#define OP_KERNEL_IMAGE		"vmlinux"	/* name of the core kernel in {kern}/ */
#define OP_KERNEL_NO_VMLINUX	"no-vmlinux"	/* the same when the user asked for --no-vmlinux */

struct op_ksym {
	uint64_t offset;
	char type;
	char *name;
};

struct op_kimage {
	char *name;
	uint64_t size;		/* bytes from start; symbols may lie beyond (run-time code) */
	struct op_ksym *syms;	/* sorted by offset */
	size_t nr_syms;
};

struct op_ksyms_block;

struct op_kernel_syms {
	char *release;
	char *build_id;		/* hex or NULL */
	struct op_kimage *images;
	size_t nr_images;
	struct op_ksyms_block *blocks;	/* owns every string above */
};

/*
 * Building one from a zeroed struct: images in turn, each with its symbols in any order, then sort.
 * Names are copied. 0, -ENOMEM, or -EINVAL for what the file could not hold (a blank in a name).
 */
int op_kernel_syms_set_release(struct op_kernel_syms *s, const char *release);
int op_kernel_syms_set_build_id(struct op_kernel_syms *s, const char *hex);
int op_kernel_syms_add_image(struct op_kernel_syms *s, const char *name, uint64_t size);
/* To the image added last. */
int op_kernel_syms_add_symbol(struct op_kernel_syms *s, uint64_t offset, char type,
			      const char *name);
/* By offset; of symbols at the same offset the last, which lookups find, is a global one. */
void op_kernel_syms_sort(struct op_kernel_syms *s);

/* 0, negative errno, or OP_ERR_KSYMS for a file that is not one. */
int op_kernel_syms_read(struct op_kernel_syms *ret, int samples_dirfd);
int op_kernel_syms_parse(struct op_kernel_syms *ret, const char *text, size_t len);
/* -EINVAL without a release, or unsorted. */
int op_kernel_syms_write(const struct op_kernel_syms *s, int samples_dirfd);
void op_kernel_syms_release(struct op_kernel_syms *s);

/* NULL when there is none. */
const struct op_kimage *op_kernel_syms_image(const struct op_kernel_syms *s, const char *name);
/* The symbol covering @offset: the last one at or below it. NULL below the first. */
const struct op_ksym *op_kimage_lookup(const struct op_kimage *image, uint64_t offset);

#endif
