/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code the kernel maps into every process, which is in no file.
 */
#ifndef PP_IMAGE_VDSO_H
#define PP_IMAGE_VDSO_H

/* A descriptor of a copy of this process's vdso, or negative errno. Only right for profiles of the
 * kernel that runs now. */
int pp_vdso_open(void);

#endif
