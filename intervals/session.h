/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- a samples directory (doc/sample-file.md) becomes an interval, and an interval
 * becomes a samples directory.
 */
#ifndef ITV_SESSION_H
#define ITV_SESSION_H

#include "intervals/interval.h"

/*
 * Read the samples directory @samples_dirfd into the zeroed struct *@v, which is then sorted.
 * @is_live: a daemon may still write the samples. Totals that disagree with the files (the daemon
 * has written more since, it was killed, or a file was damaged) are corrected: samples that the
 * totals lack are added, missing samples become a named loss. Call-graph files and the file of
 * kernel symbols are not read. Of descriptions of code made at run time, only the functions that
 * have samples or frames are kept. Return 0 or a negative errno; then *@v is empty.
 */
int itv_pack(struct itv *v, int samples_dirfd, bool is_live);

/*
 * Append the images of the samples directory @samples_dirfd to the list of images of the zeroed
 * struct *@v, in no particular order, some of them several times. Ignore files that cannot be read.
 * Return 0 or a negative errno; then *@v is empty.
 */
int itv_session_images(struct itv *v, int samples_dirfd);

/*
 * Write the interval to the empty samples directory @samples_dirfd, without waiting for the disk.
 * Files and directories have the permissions 0644 and 0755, less the process's umask. Return 0 or a
 * negative errno.
 */
int itv_export(const struct itv *v, int samples_dirfd);

#endif
