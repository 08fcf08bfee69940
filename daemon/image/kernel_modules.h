/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_modules.h -- list of the kernel's modules with their addresses, including unloaded
 * modules.
 *
 * Since Linux 6.4 a module's size in /proc/modules includes parts at other addresses, so modules
 * may seem to overlap: an address belongs to the module with the highest start below it.
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
	bool seen;		/* the module was in the list that is being read now */
	/* a snapshot of symbols was taken since the module was first seen */
	bool named;
	/* number of the first read of the list that did not contain the module */
	unsigned int unloaded;
};

/* The list of modules, which owns the modules and their images. Initialize it with zeros. */
struct opd_modules {
	struct opd_kimage **images;	/* array of pointers, because images must not move */
	size_t nr_images;
	struct opd_module *modules;
	size_t nr;
	/* number of reads of the list of modules that found a change */
	unsigned int readings;
	/* a module was loaded since the last snapshot of symbols; it may be unloaded soon */
	bool came;
	/* a loaded module has symbols that are not in any snapshot yet */
	bool new_names;
};

void opd_modules_release(struct opd_modules *ms);

/* Read the list of modules from a file in the format of /proc/modules. Return 1 if there are
 * changes, 0 if not, or a negative errno. */
int opd_modules_read(struct opd_modules *ms, const char *path);

/* Return the module that contains @pc and begins at the address @cut or above, or NULL. Prefer a
 * loaded module to an unloaded module. */
const struct opd_module *opd_modules_find(const struct opd_modules *ms, uint64_t pc, uint64_t cut);
/* Return whether a module covers @pc, wherever the module begins. */
bool opd_modules_cover(const struct opd_modules *ms, uint64_t pc);
/* Return the loaded module whose name is @name, or NULL. */
const struct opd_module *opd_modules_loaded(const struct opd_modules *ms, const char *name);

/* Note that a snapshot of symbols is being taken, which contains the loaded modules. */
void opd_modules_named(struct opd_modules *ms);

#endif
