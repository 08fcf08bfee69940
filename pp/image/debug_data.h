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
	uid_t owner; /* user id of the owner of the file .path when the file was opened */
	/* source lines from DWARF data; NULL: the file has no DWARF data */
	struct pp_lines *lines;
	/* source lines from Go's own table; NULL: not a Go program, or it has DWARF data */
	struct pp_go_lines *go;
	/* finds split debug data (.dwo, .dwp); NULL: the file has no lines */
	struct pp_split *split;
};

/*
 * Open the debug data of @elf: in the binary itself, or in the separate file that
 * pp_debug_file_open() finds. @path: the binary's path. @bases: section addresses of a relocatable
 * file, or NULL. Warn once of unreadable data; log missing data only as verbose. Return 0 even if
 * there are no lines, or -ENOMEM.
 */
int pp_debug_data_open(struct pp_debug_data *ret, const struct pp_elf *elf, const char *path,
		       const struct pp_debug_places *places, const struct pp_section_bases *bases);
/* Like pp_lines_line() for @data, but also search Go's line tables. */
bool pp_debug_data_line(struct pp_debug_data *data, uint64_t vma, bool first, struct pp_frame *ret);
/* Call @fn for each file of split debug data (.dwo, .dwp) of the program, with the file's path and
 * a descriptor that @fn must not close. */
void pp_debug_data_each_split(struct pp_debug_data *data,
			      void (*fn)(void *arg, int fd, const char *path), void *arg);
/* Free the contents of @data, which may be zeroed. */
void pp_debug_data_close(struct pp_debug_data *data);

#endif
