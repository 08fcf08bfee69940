/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h -- conversion of a samples directory (doc/sample-file.md) to an interval, and of an
 * interval to a samples directory.
 */
#ifndef ITV_SESSION_H
#define ITV_SESSION_H

#include "intervals/interval.h"

/*
 * Read the samples directory @samples_dirfd into the zeroed struct *@v, and sort it. @is_live: a
 * daemon may still write the samples. The session's totals may disagree with its files, because the
 * daemon has written more samples or was killed, or because a file was damaged. Then correct the
 * totals: add samples that only the files contain, and count missing samples as lost. Do not read
 * call-graph files and kernel symbols. Keep descriptions of JIT code only for functions with
 * samples or frames. Return 0 or a negative errno; then *@v is empty.
 */
int itv_pack(struct itv *v, int samples_dirfd, bool is_live);

/*
 * Append the images of the samples directory @samples_dirfd to the images of the zeroed struct *@v,
 * unsorted and possibly with duplicates. Ignore files that cannot be read. Return 0 or a negative
 * errno; then *@v is empty.
 */
int itv_session_images(struct itv *v, int samples_dirfd);

/*
 * Write the interval to the empty samples directory @samples_dirfd, without fsync(). Files and
 * directories have the permissions 0644 and 0755, less the process's umask. Return 0 or a negative
 * errno.
 */
int itv_export(const struct itv *v, int samples_dirfd);
/* Write the interval like itv_export(), but without sample files and trees of call paths. */
int itv_export_companions(const struct itv *v, int samples_dirfd);

#endif
