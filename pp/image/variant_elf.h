/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant_elf.h -- builds of a binary: an ELF file, a vmlinux, a missing or changed file, and the
 * file in which an agent stored the code that a program made.
 */
#ifndef PP_IMAGE_VARIANT_ELF_H
#define PP_IMAGE_VARIANT_ELF_H

#include "pp/image/variant.h"

/* Create the variant for the build of @samples. Return 0 or -ENOMEM. */
int pp_variant_file(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

/* Create the variant for an open file: with code at file offsets or, with @is_process, at the
 * addresses of the process that maps it. Takes ownership of @fd and @path. If the file is damaged,
 * warn and create a variant without symbols. Return 0 or -ENOMEM. */
int pp_variant_open_file(struct pp_variant **ret, struct pp_variants *variants, int fd, char *path,
			 int is_process);

#endif
