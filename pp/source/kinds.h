/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h -- readers of the kinds of files that are sources. Each function reads a file of one kind
 * into memory.
 */
#ifndef PP_SOURCE_KINDS_H
#define PP_SOURCE_KINDS_H

#include "pp/source/source.h"

/* number of bytes at the beginning of a file that determine its kind */
#define PP_SOURCE_HEAD	16

/* Read an HPC_CSPROF file (doc/csprof-file.md). pp_csp_open_bytes() reads a file that is already in
 * memory; @path is its name in messages. */
int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *error);
int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes,
		      size_t size, struct op_reason *error);
/* Read a .csp.live file: the counters of a program that runs or was killed. */
int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Read a histogram or log of addresses (doc/pct-file.md). */
int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *error);

#endif
