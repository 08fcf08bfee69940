/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- unwind tables of the vDSO, the code that the kernel maps into every process, and of
 * x86_64's vDSO for 32-bit programs. The tables are made from copies that the kernel maps into the
 * daemon's own processes, because another process may have changed its copy.
 */
#ifndef OPD_VDSO_H
#define OPD_VDSO_H

#include <stdbool.h>

struct cfi_file;

/* Return the vdso's unwind table, malloc'd; NULL if there is no vdso, or if memory is short. For
 * the 32-bit vdso this function forks. */
struct cfi_file *opd_vdso_unwind(bool is_32);

#endif
