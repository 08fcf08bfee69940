/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- unwind tables of the vDSO, the code that the kernel maps into each process, and of
 * x86_64's 32-bit vDSO. The tables are made from the daemon's own mappings, because another
 * process may have modified its copy.
 */
#ifndef OPD_VDSO_H
#define OPD_VDSO_H

#include <stdbool.h>

struct cfi_file;

/* Return the unwind table of the vDSO of the daemon's word size or, if @is_32, of the 32-bit vDSO.
 * The caller frees the table. NULL: the kernel has no such vDSO, or memory is short. The function
 * forks for the 32-bit vDSO. */
struct cfi_file *opd_vdso_unwind(bool is_32);

#endif
