/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_snapshot.h -- the kernel's symbols, kept with a session (libop/session/kernel_syms.h).
 *
 * Made in two steps: what kallsyms says now is read; then, with what the last snapshot has of modules and
 * run-time code that are gone, it is written.
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
	/* The caller sets these three and zeroes the rest. */
	const struct opd_modules *modules;	/* those that are loaded now */
	uint64_t stext, etext;

	uint64_t *runtime;		/* where code made at run time begins, ascending */
	size_t nr_runtime;
	/* Private to kernel_snapshot.c: */
	struct op_kernel_syms syms;
	uint64_t *beyond;		/* offsets of the core kernel's symbols that lie outside of stext to etext */
	size_t nr_beyond;
	struct opd_module_symbol *later;
	size_t nr_later;
	int err;
};

/* @kallsyms, @notes: the files to read. 0 or negative errno; release it whatever the result. */
int opd_kernel_snapshot_read(struct opd_kernel_snapshot *s, const char *kallsyms, const char *notes);
int opd_kernel_snapshot_write(struct opd_kernel_snapshot *s, int samples_dirfd);
void opd_kernel_snapshot_release(struct opd_kernel_snapshot *s);

/*
 * The session in @samples_dirfd has a snapshot of another kernel than that of @notes, and its release
 * (malloc'd) is in *@release. False: the same, or not known.
 */
bool opd_kernel_snapshot_differs(int samples_dirfd, const char *notes, char **release);

#endif
