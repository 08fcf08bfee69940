// SPDX-License-Identifier: GPL-2.0-or-later
/* build_id_file.c -- the file with the build-ids of a session's images. */
#include "config.h"
#include "daemon/image/build_id_file.h"

#include <errno.h>

#include "daemon/image/image.h"
#include "libop/base/fs.h"
#include "libop/session/build_ids.h"

static int add_image(void *arg, const struct opd_image *image)
{
	struct op_build_ids *ids = arg;
	int err;

	if (!image->used || !image->build_id_len)
		return 0;
	err = op_build_ids_add(ids, image->path, image->build_id, image->build_id_len);
	/* skip an image whose name the format of the file does not allow */
	return err == -EINVAL ? 0 : err;
}

int opd_build_id_file_write(const struct opd_images *images, size_t *written, int current_fd)
{
	size_t nr = opd_images_nr_build_ids(images);
	struct op_build_ids ids = { 0 };
	int err;

	if (nr == *written)
		return 0;
	err = op_build_ids_read(&ids, current_fd);
	if (!err || op_file_is_useless(err))
		err = opd_images_for_each(images, add_image, &ids);
	if (!err)
		err = op_build_ids_write(&ids, current_fd);
	if (!err)
		*written = nr;
	op_build_ids_release(&ids);
	return err;
}
