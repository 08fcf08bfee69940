/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h -- kernel images: finds the owner of a kernel address (the core kernel, a module, or a
 * module that has been unloaded), and keeps a snapshot of the kernel's symbols with the session.
 *
 * Every address has an owner: an address that no module covers belongs to the core kernel,
 * including code made at run time. Kernel addresses never leave kernel*.c: sample keys and the
 * snapshot are offsets (libop/session/kernel_syms.h), and no address is logged.
 */
#ifndef OPD_KERNEL_IMAGE_H
#define OPD_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/image/kimage.h"

struct opd_config;
struct opd_log;

/* A range of kernel addresses: all from @lo up to and including @last belong to @image. */
struct opd_krange {
	uint64_t lo, last;
	/* the key of a sample in this range is its address minus this base */
	uint64_t base;
	const struct opd_kimage *image;
	/* if false, neither a module nor the core kernel's range covers the addresses, so they
	 * count as the core kernel's */
	bool certain;
};

/* Paths of the kernel's files that are read; tests use other paths. */
struct opd_kernel_files {
	const char *kallsyms;
	const char *modules;
	/* ELF notes of the running kernel, which contain its build-id */
	const char *notes;
};

extern const struct opd_kernel_files opd_kernel_files_default;

struct opd_kernel;

int opd_kernel_create(struct opd_kernel **ret, const struct opd_config *cfg, struct opd_log *log,
		      const struct opd_kernel_files *files);
void opd_kernel_destroy(struct opd_kernel *k);

/*
 * Return the range that contains the address @pc. The pointer is valid until the next call of a
 * function of this file. Ranges change only in opd_kernel_read_modules(), which this function
 * calls, at most every 100 ms, if no module and no range of the core kernel covers @pc.
 */
const struct opd_krange *opd_kernel_find(struct opd_kernel *k, uint64_t pc);

/* Return a number that changes when ranges change. A range whose .certain is false may get another
 * owner in opd_kernel_find() without a change of this number. */
uint64_t opd_kernel_generation(const struct opd_kernel *k);

/* Return the image of the core kernel. */
const struct opd_kimage *opd_kernel_core(const struct opd_kernel *k);

/* Read the list of modules again, because it may have changed. Return 0 or a negative errno. */
int opd_kernel_read_modules(struct opd_kernel *k);

/* Return whether the kernel hides its addresses from this process; then all samples have key 0. */
bool opd_kernel_hidden(const struct opd_kernel *k);

/* Return whether symbols have changed since the last snapshot of the kernel's symbols and the time
 * for the next snapshot has come. @now: true: do not wait for that time. */
bool opd_kernel_snapshot_due(const struct opd_kernel *k, bool now);

/* Write a snapshot of the kernel's symbols into a samples directory. The snapshot keeps the symbols
 * of unloaded modules. Return 0 or a negative errno. */
int opd_kernel_snapshot(struct opd_kernel *k, int samples_dirfd);

/*
 * Return whether the samples in @samples_dirfd were taken on a kernel other than the running one.
 * If so, set *@release to the release of that kernel (malloc'd). Return false also if that kernel
 * is unknown.
 */
bool opd_kernel_differs(struct opd_kernel *k, int samples_dirfd, char **release);

#endif
