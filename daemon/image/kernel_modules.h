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
	bool seen;		/* the current read of the list has found the module */
	/* a snapshot of the kernel's symbols includes the module */
	bool named;
	/* value of .readings at the first read that did not find the module */
	unsigned int unloaded;
};

/* The list of modules, which owns the modules and their images. A zeroed list is empty. */
struct opd_modules {
	/* array of pointers, because the addresses of images must not change */
	struct opd_kimage **images;
	size_t nr_images;
	struct opd_module *modules;
	size_t nr;
	/* number of reads of /proc/modules that found a change */
	unsigned int readings;
	/* a module was loaded since the last snapshot of the symbols */
	bool came;
	/* a loaded module has symbols that no snapshot contains */
	bool new_names;
};

void opd_modules_release(struct opd_modules *ms);

/* Read the list of modules from a file in the format of /proc/modules. Return 1 if a module was
 * loaded or unloaded, 0 if not, or a negative errno. */
int opd_modules_read(struct opd_modules *ms, const char *path);

/* Return the module that contains @pc and starts at or above @cut, or NULL. Prefer loaded modules
 * to unloaded ones. */
const struct opd_module *opd_modules_find(const struct opd_modules *ms, uint64_t pc, uint64_t cut);
/* Return true if a module covers @pc. */
bool opd_modules_cover(const struct opd_modules *ms, uint64_t pc);
/* Return the loaded module whose name is @name, or NULL. */
const struct opd_module *opd_modules_loaded(const struct opd_modules *ms, const char *name);

/* Mark all loaded modules as included in a snapshot of the symbols. */
void opd_modules_named(struct opd_modules *ms);

#endif
