/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_modules.h -- the kernel's modules, where they lie, and where those lay that are gone.
 *
 * Since 6.4 a module's size in /proc/modules counts parts that lie elsewhere, so modules may seem to
 * overlap: the one that begins last below an address has it.
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
	bool seen;		/* in the reading under way */
	bool named;		/* a snapshot was taken since it came first */
	unsigned int unloaded;	/* when: the number of the reading that missed it */
};

/* Owns images and modules. Start with zeros. */
struct opd_modules {
	struct opd_kimage **images;	/* pointers are handed out */
	size_t nr_images;
	struct opd_module *modules;
	size_t nr;
	unsigned int readings;		/* that found a change */
	bool came;			/* one, since the last snapshot: it may go soon */
	bool new_names;			/* and one of them was never seen before */
};

void opd_modules_release(struct opd_modules *ms);

/* Reads a file as /proc/modules. 1: there are changes; 0: none, negative errno. */
int opd_modules_read(struct opd_modules *ms, const char *path);

/* Whose @pc is, if it begins at @cut or above; NULL: no module's. Those loaded go first. */
const struct opd_module *opd_modules_find(const struct opd_modules *ms, uint64_t pc, uint64_t cut);
/* One covers @pc, wherever it begins. */
bool opd_modules_cover(const struct opd_modules *ms, uint64_t pc);
/* The loaded one that is called @name, or NULL. */
const struct opd_module *opd_modules_loaded(const struct opd_modules *ms, const char *name);

/* A snapshot of names is being taken. */
void opd_modules_named(struct opd_modules *ms);

#endif
