/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant_elf.h -- builds of a binary: an ELF file, a vmlinux, one whose file is gone or another
 * now, and the file in which an agent kept the code that a program made.
 */
#ifndef PP_IMAGE_VARIANT_ELF_H
#define PP_IMAGE_VARIANT_ELF_H

#include "pp/image/variant.h"

/* Of a file: the build that @samples are of. -ENOMEM. */
int pp_variant_file(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

/* What is in an open file: the code at its offsets, or, with @is_process, at the addresses of
 * the process that has it in its memory. Takes over @fd and @path. One of nothing known when it
 * is damaged, which is told. -ENOMEM. */
int pp_variant_open_file(struct pp_variant **ret, struct pp_variants *variants, int fd, char *path,
			 int is_process);

#endif
