/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debug_data.h -- the debug data of a binary, in the binary or in separate files.
 */
#ifndef PP_IMAGE_DEBUG_DATA_H
#define PP_IMAGE_DEBUG_DATA_H

#include <stdbool.h>
#include <sys/types.h>

#include "pp/image/debug_file.h"
#include "pp/image/debug_view.h"
#include "pp/image/elf.h"
#include "pp/image/go_table.h"
#include "pp/image/lines.h"
#include "pp/image/split.h"

struct pp_debug_data {
	char *path;		/* path of the file that contains the source lines */
	uid_t owner;		/* owner of the file at .path when it was opened */
	/* source lines and inlined functions; NULL: the file has no lines */
	struct pp_lines *lines;
	struct pp_go_lines *go;	/* lines of a Go program without debug data; else NULL */
	struct pp_split *split;	/* finder of split debug data; NULL: the file has no lines */
};

/*
 * Open the debug data of @elf, whose path is @path, in the binary or in the separate file that
 * pp_debug_file_open() finds. @bases: addresses of the sections of a relocatable file, or NULL.
 * Warn once of unreadable data; report missing data only with -V. Return 0 even if there are no
 * lines, or -ENOMEM.
 */
int pp_debug_data_open(struct pp_debug_data *ret, const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, const struct pp_section_bases *bases);
/* Like pp_lines_line(), but also for Go's lines. */
bool pp_debug_data_line(struct pp_debug_data *data, uint64_t vma, bool first, struct pp_frame *ret);
/* Call @fn for each file that has split debug data of the program. @fn gets the file's path, and a
 * descriptor that it must not close. */
void pp_debug_data_each_split(struct pp_debug_data *data,
			      void (*fn)(void *arg, int fd, const char *path), void *arg);
/* Close the debug data. Accepts a zeroed struct. */
void pp_debug_data_close(struct pp_debug_data *data);

#endif
