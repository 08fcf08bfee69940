/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running.h -- the files whose code is mapped somewhere at the moment, as /proc tells.
 */
#ifndef OPD_RUNNING_H
#define OPD_RUNNING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/image.h"

/*
 * Calls @fn once for each file that could be found and may be read, whichever process maps it; of the processes
 * @pids only, unless there are none. Whoever is told of new images (opd_images_tell_new()) is not told of these before
 * they have a sample. What is not found before op_now_ms() is @end_ms is left out: users can map any number of files. 0
 * or negative errno.
 */
int opd_running_each(struct opd_images *images, const char *proc_dir, const pid_t *pids, size_t nr_pids, uint64_t end_ms,
		     opd_image_fn fn, void *arg);

#endif
