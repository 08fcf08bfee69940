/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * variant_process.h -- memory of a process without a file: code made at run time, as described by
 * the program or an agent in it, and the code that the kernel maps into every process.
 */
#ifndef PP_IMAGE_VARIANT_PROCESS_H
#define PP_IMAGE_VARIANT_PROCESS_H

#include "pp/image/variant.h"

/* Create the variant for the process of @samples. Processes of different runs with the same pid
 * differ. Return 0 or -ENOMEM. */
int pp_variant_process(struct pp_variant **ret, struct pp_variants *variants,
		       const struct pp_image_samples *samples);

/* Create the variant for the vdso of 64-bit processes: the session's copy, or our own if the kernel
 * is the same. All these processes have the same build; the vdso of 32-bit processes is another
 * build without symbols. Return 0 or -ENOMEM. */
int pp_variant_vdso(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples);

#endif
