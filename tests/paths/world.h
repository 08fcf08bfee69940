/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * world.h -- a stopped process as an unwinder sees it: memory, mappings and their unwind tables,
 * and the walk of its stack.
 */
#ifndef TESTS_PATHS_WORLD_H
#define TESTS_PATHS_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "module/uapi/unwind_walk.h"

#define WORLD_MAX_DEPTH	4096

struct world_image {
	char path[256];
	struct oprofile_uw_table *table;	/* NULL: the file has no table */
};

struct world_map {
	uint64_t start, end, offset;
	struct world_image *image;
};

/* A cached page of the process's memory. */
struct world_page {
	/* address of the page; 1, which is not a page address: the entry is unused */
	uint64_t address;
	unsigned char bytes[4096];
};

struct world {
	pid_t pid;
	unsigned int machine;
	/* walk without reading code, as for a sample with a copy of the stack */
	bool no_code;
	struct user_regs_struct regs;	/* registers of the step that is examined */
	struct world_map maps[512];
	unsigned int nr_maps;
	struct world_image images[128];
	unsigned int nr_images;
	struct world_page data[16], code[64];
	/* cache: whether the address .pc follows a call instruction */
	struct { uint64_t pc; bool is; } calls[4096];
};

/* A frame: the return address, and its address on the stack. */
struct world_frame {
	uint64_t slot, pc;
};

/* Start to examine the stopped process @pid. Return 0, or -errno if it cannot be walked. */
int world_begin(struct world *world, pid_t pid);

/* Discard cached mappings and code. Call this after a mapping has changed. */
void world_maps_changed(struct world *world);

/* Discard cached memory except code. Call this after the process has run. */
void world_clear_cache(struct world *world);

/* Read bytes of code, which are cached until a mapping changes. Return the number of bytes read. */
size_t world_code(struct world *world, uint64_t address, unsigned char *bytes, size_t size);

/* Read a word of the stack. Return false if it is unreadable. */
bool world_word(struct world *world, uint64_t address, uint64_t *value);

/*
 * Return the name of the image at @pc, or "?" if nothing is mapped there. Set *@offset to the
 * offset in the image.
 */
const char *world_place(struct world *world, uint64_t pc, uint64_t *offset);

/*
 * Walk the stack. Store the *@nr frames, innermost first. Return the reason why the path ends (enum
 * oprofile_uw_end).
 */
int world_walk(struct world *world, struct world_frame *frames, unsigned int *nr);

#endif
