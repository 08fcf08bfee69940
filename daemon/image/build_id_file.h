/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build_id_file.h -- writes the build-ids of the images of a session to a file beside its samples
 * (libop/session/build_ids.h).
 */
#ifndef OPD_BUILD_ID_FILE_H
#define OPD_BUILD_ID_FILE_H

#include <stddef.h>

struct opd_images;

/*
 * Write the known build-ids, and those that an earlier daemon wrote to the file, if there are more
 * than *@written (0: none written yet); then update *@written. Return 0 or a negative errno.
 */
int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd);

#endif
