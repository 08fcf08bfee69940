/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_tables.h -- the symbol tables that were kept for a session's samples come along.
 */
#ifndef PP_ARCHIVE_ARCHIVE_TABLES_H
#define PP_ARCHIVE_ARCHIVE_TABLES_H

#include "libop/session/sample_header.h"
#include "pp/archive/archive.h"

/* Below the directory @out; -1: only lists. 0 or -ENOMEM; what cannot be copied is counted. */
int pp_archive_tables(struct pp_archive_job *job, int out);

/* 0, or -ENOENT: there is none that can be read. */
int pp_archive_read_header(const struct pp_sample_file *file, struct op_sample_header *ret);

#endif
