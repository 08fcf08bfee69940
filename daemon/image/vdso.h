/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code that the kernel maps into every process: as our own has it, and as x86_64's kernel has it for programs of
 * 32 bits. The latter comes from the kernel as well, for what a process has there it may have changed.
 */
#ifndef OPD_VDSO_H
#define OPD_VDSO_H

#include <stdbool.h>

struct cfi_file;

/* malloc'd; NULL: there is none, or out of memory. For that of 32 bits this process is forked. */
struct cfi_file *opd_vdso_unwind(bool is_32);

#endif
