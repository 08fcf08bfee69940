/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kimage.h -- kernel image: the core kernel or a module, with its name in sample files. */
#ifndef OPD_KIMAGE_H
#define OPD_KIMAGE_H

#include "libop/session/mangle.h"

/* A kernel image; lives as long as the struct opd_kernel that owns it. */
struct opd_kimage {
	enum op_image_kind kind;	/* OP_IMAGE_KERN; OP_IMAGE_ROOT with --vmlinux */
	char *name;
};

#endif
