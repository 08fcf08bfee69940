/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h -- the kinds of files that are sources. Each function reads one kind into memory.
 */
#ifndef PP_SOURCE_KINDS_H
#define PP_SOURCE_KINDS_H

#include "pp/source/source.h"

/* Number of first bytes of a file that determine its kind. */
#define PP_SOURCE_HEAD	16

/* Return the owner of the open file, or -1 if unknown. */
uid_t pp_source_owner(int fd);

/* HPC_CSPROF, doc/csprof-file.md. The second function reads a file in memory; @path is its name in
 * messages. */
int pp_csp_open(struct pp_source **ret, const char *path, struct op_reason *error);
int pp_csp_open_bytes(struct pp_source **ret, const char *path, const unsigned char *bytes,
		      size_t size, struct op_reason *error);
/* A .csp.live file: the counters of a program that runs or was killed. */
int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *error);
/* Histograms and logs of addresses, doc/pct-file.md. */
int pp_pct_open(struct pp_source **ret, const char *path, struct op_reason *error);

#endif
