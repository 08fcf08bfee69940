/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant_process.h -- memory of a process without a file: code made at run time, as the program or
 * an agent in it told of it; and the code that the kernel maps into every process.
 */
#ifndef PP_IMAGE_VARIANT_PROCESS_H
#define PP_IMAGE_VARIANT_PROCESS_H

#include "pp/image/variant.h"

/* The process that @samples are of. Another run's process of the same number is another one.
 * -ENOMEM. */
int pp_variant_process(struct pp_variant **ret, struct pp_variants *variants,
		       const struct pp_image_samples *samples);

/* The vdso of 64-bit processes: the one kept with the session, or ours when the kernel is the
 * same. All of them are one build, and those of 32-bit processes another, without symbols.
 * -ENOMEM. */
int pp_variant_vdso(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

#endif
