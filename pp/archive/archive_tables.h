/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_tables.h -- archiving of the symbol tables that were stored for a session's samples.
 */
#ifndef PP_ARCHIVE_ARCHIVE_TABLES_H
#define PP_ARCHIVE_ARCHIVE_TABLES_H

#include "libop/session/sample_header.h"
#include "pp/archive/archive.h"

/* Archive the tables in the directory @out; -1: list them. Return 0 or -ENOMEM. Count files that
 * cannot be copied. */
int pp_archive_tables(struct pp_archive_job *job, int out);

/* Read the header of a sample file or tree. Return 0, or -ENOENT if it cannot be read. */
int pp_archive_read_header(const struct pp_sample_file *file, struct op_sample_header *ret);

#endif
