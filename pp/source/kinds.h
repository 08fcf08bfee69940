/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h -- the kinds of files that are sources: each reads one into memory.
 */
#ifndef PP_SOURCE_KINDS_H
#define PP_SOURCE_KINDS_H

#include "pp/source/source.h"

/* Bytes that decide which kind a file is of. */
#define PP_SOURCE_HEAD	16

/* Whose the file is that is open; -1: that cannot be told. */
uid_t pp_source_owner(int fd);

/* HPC_CSPROF, doc/csprof-file.md. The bytes of one in memory are read the same way; @path is what messages name. */
int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *why);
int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes, size_t size,
		      struct op_reason *why);
/* What a program counts in, or was counting in when it was killed. */
int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *why);
/* Histograms and logs of addresses, doc/pct-file.md. */
int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *why);

#endif
