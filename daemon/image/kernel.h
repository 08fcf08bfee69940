/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h -- whose code a kernel address is: the core kernel's, a module's, or a module's
 * that was unloaded meanwhile; and the snapshot of symbols that is kept with the session.
 *
 * Every address belongs to something: what no module covers is the core kernel's, code made at run
 * time included. Kernel addresses never leave kernel*.c: sample keys and the snapshot are offsets
 * (libop/session/kernel_syms.h), and nothing is logged.
 */
#ifndef OPD_KERNEL_IMAGE_H
#define OPD_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/image/kimage.h"

struct opd_config;
struct opd_log;

/* From @lo up to and including @last everything is @image's. */
struct opd_krange {
	uint64_t lo, last;
	uint64_t base;			/* sample key = address - base */
	const struct opd_kimage *image;
	bool certain;			/* false: nobody claims it, so the core kernel has it */
};

/* Where to read; tests have their own. */
struct opd_kernel_files {
	const char *kallsyms;
	const char *modules;
	const char *notes;		/* the running kernel's ELF notes: its build-id */
};

extern const struct opd_kernel_files opd_kernel_files_default;

struct opd_kernel;

int opd_kernel_create(struct opd_kernel **ret, const struct opd_config *cfg, struct opd_log *log,
		      const struct opd_kernel_files *files);
void opd_kernel_destroy(struct opd_kernel *k);

/*
 * The range of @pc. The pointer stays valid until the next call of any function here; ranges do
 * not change but in opd_kernel_read_modules(), which this calls, at most every 100 ms, when nobody
 * claims @pc.
 */
const struct opd_krange *opd_kernel_find(struct opd_kernel *k, uint64_t pc);

/* Return a number that changes when ranges change. opd_kernel_find() may give a range that is not
 * certain another owner, and the number stays. */
uint64_t opd_kernel_generation(const struct opd_kernel *k);

/* The core kernel. */
const struct opd_kimage *opd_kernel_core(const struct opd_kernel *k);

/* /proc/modules may have changed: read it again. 0 or negative errno. */
int opd_kernel_read_modules(struct opd_kernel *k);

/* The kernel hides its addresses from us: all samples have key 0. */
bool opd_kernel_hidden(const struct opd_kernel *k);

/* Symbols have come or gone since the last snapshot, and it is time to take another one. */
bool opd_kernel_snapshot_due(const struct opd_kernel *k, bool now);

/* Writes the snapshot into a samples directory; symbols of modules that are gone stay in it. */
int opd_kernel_snapshot(struct opd_kernel *k, int samples_dirfd);

/*
 * The samples in @samples_dirfd were taken on another kernel than this one, whose release (malloc'd) is in
 * *@release. False: the same or not known.
 */
bool opd_kernel_differs(struct opd_kernel *k, int samples_dirfd, char **release);

#endif
