/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id_file.h -- the file with the build-ids of a session's images, beside the samples
 * (libop/session/build_ids.h).
 */
#ifndef OPD_BUILD_ID_FILE_H
#define OPD_BUILD_ID_FILE_H

#include <stddef.h>

struct opd_images;

/*
 * Write the known build-ids to the session's file, in addition to the build-ids that an earlier
 * daemon wrote. Do nothing if the number of known build-ids equals *@written (0: none was written
 * yet); update *@written. Return 0 or a negative errno.
 */
int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd);

#endif
