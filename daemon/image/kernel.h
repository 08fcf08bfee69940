/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h -- lookup of kernel addresses: finds the core kernel, a module or an unloaded module at
 * an address. Also stores a snapshot of the kernel's symbols with the session.
 *
 * Every address has an image: an address that no module covers belongs to the core kernel, also if
 * it is code generated at run time. No absolute kernel address leaves kernel*.c: keys of samples
 * and addresses in the snapshot are offsets (libop/session/kernel_syms.h), and the log contains no
 * address.
 */
#ifndef OPD_KERNEL_IMAGE_H
#define OPD_KERNEL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/image/kimage.h"

struct opd_config;
struct opd_log;

/* The range of kernel addresses from @lo to @last, inclusive, which belongs to the image @image. */
struct opd_krange {
	uint64_t lo, last;
	/* a sample file stores a sample in this range with the key address - base */
	uint64_t base;
	const struct opd_kimage *image;
	/* false: the range is neither in a module nor in the core kernel's code; samples in such a
	 * range count for the core kernel */
	bool certain;
};

/* Paths of the kernel's files; tests use other paths. */
struct opd_kernel_files {
	const char *kallsyms;
	const char *modules;
	/* ELF notes of the running kernel, with its build-id */
	const char *notes;
};

extern const struct opd_kernel_files opd_kernel_files_default;

struct opd_kernel;

int opd_kernel_create(struct opd_kernel **ret, const struct opd_config *cfg, struct opd_log *log,
		      const struct opd_kernel_files *files);
void opd_kernel_destroy(struct opd_kernel *k);

/*
 * Return the range that contains @pc. The pointer is valid until the next call of a function of
 * this file. If .certain of the range is false, the function first calls opd_kernel_read_modules(),
 * at most every 100 ms. Only opd_kernel_read_modules() changes the ranges.
 */
const struct opd_krange *opd_kernel_find(struct opd_kernel *k, uint64_t pc);

/* Return a number that changes when the ranges change. For a range whose .certain is false,
 * opd_kernel_find() may return a different image although the number has not changed. */
uint64_t opd_kernel_generation(const struct opd_kernel *k);

/* Return the image of the core kernel. */
const struct opd_kimage *opd_kernel_core(const struct opd_kernel *k);

/* Read the list of modules again. Return 0 or a negative errno. */
int opd_kernel_read_modules(struct opd_kernel *k);

/* Return true if the kernel hides its addresses from this process; then all kernel samples have
 * key 0. */
bool opd_kernel_hidden(const struct opd_kernel *k);

/* Return true if a new snapshot of the kernel's symbols should be made, and the delay since the
 * last one is over. @now: ignore the delay. */
bool opd_kernel_snapshot_due(const struct opd_kernel *k, bool now);

/* Write a snapshot of the kernel's symbols to the session directory @samples_dirfd. The snapshot
 * also contains the symbols of unloaded modules. The function takes tenths of a second, so
 * it calls @between(@arg) repeatedly, unless @between is NULL. @between may use @k, but must not
 * call this function. Return 0 or a negative errno. */
int opd_kernel_snapshot(struct opd_kernel *k, int samples_dirfd, void (*between)(void *arg),
			void *arg);

/*
 * Return true if the samples in the session @samples_dirfd were taken under another kernel than the
 * running one. Then set *@release to the release of that kernel; the caller frees it. Return false
 * if the session does not name its kernel.
 */
bool opd_kernel_differs(struct opd_kernel *k, int samples_dirfd, char **release);

#endif
