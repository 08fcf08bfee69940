/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_samples.h -- the sample files of an archive, and what lies beside them.
 */
#ifndef PP_ARCHIVE_ARCHIVE_SAMPLES_H
#define PP_ARCHIVE_ARCHIVE_SAMPLES_H

#include "pp/archive/archive.h"

/* @out: the archive, or -1 to list. Negative with the reason in the log. */
int pp_archive_samples(struct pp_archive_job *job, int out);

/* One line of a list; what would make it two, or steer a terminal, becomes '?'. */
void pp_archive_list(const struct pp_archive_job *job, const char *path);

#endif
