/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id_file.h -- the build-ids of the images of a session, beside its samples
 * (libop/session/build_ids.h).
 */
#ifndef OPD_BUILD_ID_FILE_H
#define OPD_BUILD_ID_FILE_H

#include <stddef.h>

struct opd_images;

/*
 * Writes those known by now, and those an earlier daemon left there, when there are more than
 * *@written (0: none yet), which is brought up to date. 0 or negative errno.
 */
int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd);

#endif
