/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * go_lines.h -- the source lines of a Go program without DWARF, from the table of its run-time
 * system (go_table.h).
 *
 * A line is the line in the innermost inlined function. The functions around it are not read.
 */
#ifndef PP_IMAGE_GO_LINES_H
#define PP_IMAGE_GO_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/image/elf.h"
#include "pp/image/frame.h"

struct pp_go_lines;

/* Open the table of @elf, which must stay open until pp_go_lines_close(). Return 0, -ENOENT if
 * there is no table or it is damaged, or -ENOMEM. */
int pp_go_lines_open(struct pp_go_lines **ret, const struct pp_elf *elf);
/* Takes NULL. */
void pp_go_lines_close(struct pp_go_lines *lines);

/* Set file and line of *@ret for an address. Return false if they are unknown. The name of the file
 * is valid until pp_go_lines_close(). */
bool pp_go_lines_line(struct pp_go_lines *lines, uint64_t vma, struct pp_frame *ret);

#endif
