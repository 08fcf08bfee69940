/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h -- the code that the kernel maps into every process: the daemon's own vdso, and x86_64's
 * vdso for programs of 32 bits. The second comes from the kernel as well, not from a process,
 * because a process may have changed its copy.
 */
#ifndef OPD_VDSO_H
#define OPD_VDSO_H

#include <stdbool.h>

struct cfi_file;

/* Return the vdso's unwind table, malloc'd; NULL if there is no vdso, or without memory. For the
 * 32-bit vdso this process forks. */
struct cfi_file *opd_vdso_unwind(bool is_32);

#endif
