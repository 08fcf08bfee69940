/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code that the kernel maps into every process, which is not in a file.
 */
#ifndef PP_IMAGE_VDSO_H
#define PP_IMAGE_VDSO_H

#include <stddef.h>

/* Return a descriptor of a copy of this process's vdso, or a negative errno. It is only valid for
 * profiles of the running kernel. */
int pp_vdso_open(void);

/* Name of the copy of the vdso of the archived machine, next to the samples. */
#define PP_VDSO_FILE	"vdso"

/* Return a descriptor of the copy in one of these samples directories, or -ENOENT. */
int pp_vdso_open_kept(char *const *samples_dirs, size_t nr);

#endif
