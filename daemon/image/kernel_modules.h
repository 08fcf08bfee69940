/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_modules.h -- list of loaded and unloaded kernel modules with their addresses.
 *
 * Since Linux 6.4 the size of a module in /proc/modules includes parts at other addresses, so
 * modules may seem to overlap. An address belongs to the module with the highest start address
 * below it.
 */
#ifndef OPD_KERNEL_MODULES_H
#define OPD_KERNEL_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opd_kimage;

struct opd_module {
	const struct opd_kimage *image;
	uint64_t start, end;
	bool loaded;
	/* the read of /proc/modules that is in progress has found the module */
	bool seen;
	/* a snapshot of the kernel's symbols includes the module's symbols */
	bool named;
	/* value of .readings at the first read of /proc/modules that did not find the module */
	unsigned int unloaded;
};

/* The list of modules. It owns the modules and their images. A zeroed list is empty. */
struct opd_modules {
	/* array of pointers, because the addresses of images must not change */
	struct opd_kimage **images;
	size_t nr_images;
	struct opd_module *modules;
	size_t nr;
	/* number of reads of /proc/modules that found a change */
	unsigned int readings;
	/* a module was loaded since the last snapshot of the kernel's symbols */
	bool has_new_module;
	/* a loaded module has symbols that no snapshot of the kernel's symbols contains */
	bool new_names;
};

void opd_modules_release(struct opd_modules *ms);

/* Update the list of modules from a file in the format of /proc/modules. Return 1 if a module was
 * loaded or unloaded, 0 if not, or a negative errno. */
int opd_modules_read(struct opd_modules *ms, const char *path);

/* Return the module that contains @pc and starts at or above address @cut, or NULL. Prefer loaded
 * modules to unloaded ones. */
const struct opd_module *opd_modules_find(const struct opd_modules *ms, uint64_t pc, uint64_t cut);
/* Return true if a module covers @pc. */
bool opd_modules_cover(const struct opd_modules *ms, uint64_t pc);
/* Return the loaded module whose name is @name, or NULL. */
const struct opd_module *opd_modules_loaded(const struct opd_modules *ms, const char *name);

/* Mark all loaded modules as included in a snapshot of the kernel's symbols. */
void opd_modules_named(struct opd_modules *ms);

#endif
