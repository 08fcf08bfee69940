/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the vdso: code that the kernel maps into every process and that is not in a file.
 */
#ifndef PP_IMAGE_VDSO_H
#define PP_IMAGE_VDSO_H

#include <stddef.h>

/* Return a memfd with a copy of this process's vdso, or a negative errno. The copy is valid only
 * for profiles of the running kernel. */
int pp_vdso_open(void);

/* Name of a file in the samples directory with a copy of the profiled machine's vdso. */
#define PP_VDSO_FILE	"vdso"

/* Open PP_VDSO_FILE in the first of @nr samples directories that contains it. Return a descriptor,
 * -ENOENT or -ENOMEM. */
int pp_vdso_open_kept(char *const *samples_dirs, size_t nr);

#endif
