/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code the kernel maps into every process, which is in no file.
 */
#ifndef PP_IMAGE_VDSO_H
#define PP_IMAGE_VDSO_H

#include <stddef.h>

/* A descriptor of a copy of this process's vdso, or negative errno. Only right for profiles of the
 * kernel that runs now. */
int pp_vdso_open(void);

/* An archive keeps the vdso of the machine it comes from beside the samples. */
#define PP_VDSO_FILE	"vdso"

/* A descriptor of the one kept in one of these samples directories, or -ENOENT. */
int pp_vdso_open_kept(char *const *samples_dirs, size_t nr);

#endif
