/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_snapshot.h -- the kernel's symbols, kept with a session (libop/session/kernel_syms.h).
 *
 * A snapshot is made in two steps: kallsyms is read; then the symbols are written, together with
 * those of the last snapshot whose modules and run-time code are gone.
 */
#ifndef OPD_KERNEL_SNAPSHOT_H
#define OPD_KERNEL_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libop/session/kernel_syms.h"

struct opd_modules;
struct opd_module_symbol;

struct opd_kernel_snapshot {
	/* The caller sets these three members and zeroes the rest. */
	const struct opd_modules *modules;	/* the loaded modules */
	uint64_t stext, etext;

	uint64_t *runtime;		/* start addresses of code made at run time, ascending */
	size_t nr_runtime;
	/* Private to kernel_snapshot.c: */
	struct op_kernel_syms syms;
	/* offsets of the core kernel's symbols outside stext to etext */
	uint64_t *beyond;
	size_t nr_beyond;
	struct opd_module_symbol *later;
	size_t nr_later;
	int err;
};

/* Read the symbols. @kallsyms, @notes: paths of the files to read. Return 0 or a negative errno.
 * The caller must release @s in all cases. */
int opd_kernel_snapshot_read(struct opd_kernel_snapshot *s, const char *kallsyms,
			     const char *notes);
int opd_kernel_snapshot_write(struct opd_kernel_snapshot *s, int samples_dirfd);
void opd_kernel_snapshot_release(struct opd_kernel_snapshot *s);

/*
 * Return whether the session in @samples_dirfd has a snapshot of another kernel than that of
 * @notes; then *@release is its release (malloc'd). Return false also if that is not known.
 */
bool opd_kernel_snapshot_differs(int samples_dirfd, const char *notes, char **release);

#endif
