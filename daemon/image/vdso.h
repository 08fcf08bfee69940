/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code that the kernel maps into every process, as our own process has it.
 */
#ifndef OPD_VDSO_H
#define OPD_VDSO_H

struct cfi_file;

/* malloc'd; NULL: there is none, or out of memory. */
struct cfi_file *opd_vdso_unwind(void);

#endif
