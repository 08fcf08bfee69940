/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_snapshot.h -- snapshot of the kernel's symbols, stored with a session
 * (libop/session/kernel_syms.h).
 *
 * A snapshot is made in two steps: read kallsyms; then write its symbols. The second step also
 * copies two kinds of symbols from the last snapshot: those of unloaded modules, and those of freed
 * code that the kernel had generated at run time (for example BPF).
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
	/* The caller sets .modules, .stext and .etext, may set .between, and zeroes all other
	 * members. */
	const struct opd_modules *modules;	/* the loaded kernel modules */
	uint64_t stext, etext;
	/* called repeatedly while the symbols are read; may change .modules */
	void (*between)(void *arg);
	void *between_arg;

	/* start addresses of code that the kernel generates at run time, ascending */
	uint64_t *runtime;
	size_t nr_runtime;
	/* The members below are private to kernel_snapshot.c. */
	struct op_kernel_syms syms;
	/* offsets of core kernel symbols outside the range from .stext to .etext */
	uint64_t *beyond;
	size_t nr_beyond;
	struct opd_module_symbol *later;
	size_t nr_later;
	size_t nr_read;
};

/* Read the kernel's symbols from the file @kallsyms, and its build-id from the file @notes. Return
 * 0 or a negative errno. The caller must call opd_kernel_snapshot_release() in all cases. */
int opd_kernel_snapshot_read(struct opd_kernel_snapshot *s, const char *kallsyms,
			     const char *notes);
int opd_kernel_snapshot_write(struct opd_kernel_snapshot *s, int samples_dirfd);
void opd_kernel_snapshot_release(struct opd_kernel_snapshot *s);

/*
 * Return true if the session in @samples_dirfd has a snapshot of another kernel than the running
 * one, whose ELF notes are in the file @notes. Then set *@release to the release of that other
 * kernel; the caller frees it. Return false if the session has no snapshot.
 */
bool opd_kernel_snapshot_differs(int samples_dirfd, const char *notes, char **release);

struct opd_kallsym {
	/* address of the symbol; 0: hidden from this process */
	uint64_t address;
	char type;
	const char *name;
	/* name of the module without brackets: "ext4", "bpf"; NULL: core kernel */
	const char *module;
};

/* Call @fn for each symbol of the file @path, in the format of /proc/kallsyms, until it returns
 * another value than 0. The strings are valid only during the call of @fn. Return the last value
 * of @fn, or a negative errno. */
int opd_kallsyms_read(const char *path, int (*fn)(void *arg, const struct opd_kallsym *sym),
		      void *arg);

#endif
