/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kimage.h -- the core kernel or a module, as named in sample files.
 */
#ifndef OPD_KIMAGE_H
#define OPD_KIMAGE_H

#include "libop/session/mangle.h"

/* Valid as long as the opd_kernel. */
struct opd_kimage {
	enum op_image_kind kind;	/* OP_IMAGE_KERN, or OP_IMAGE_ROOT with --vmlinux */
	char *name;
};

#endif
