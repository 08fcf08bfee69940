/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_samples.h -- the sample files of an archive, and the other files of the samples
 * directories.
 */
#ifndef PP_ARCHIVE_ARCHIVE_SAMPLES_H
#define PP_ARCHIVE_ARCHIVE_SAMPLES_H

#include "pp/archive/archive.h"

/* Archive the sample files and the files beside them. @out: the archive's directory, or -1 to only
 * list the files. Return 0, or a negative errno with the cause in the log. */
int pp_archive_samples(struct pp_archive_job *job, int out);

/* Print @path as one line of the list of archived files. Control characters become '?'. */
void pp_archive_list(const struct pp_archive_job *job, const char *path);

#endif
