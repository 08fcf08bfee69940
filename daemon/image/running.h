/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * running.h -- search of /proc for the files whose code any process has mapped.
 */
#ifndef OPD_RUNNING_H
#define OPD_RUNNING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/image.h"

/*
 * Call @fn once for each file with mapped code that the daemon may read. If @nr_pids is not 0,
 * search only the processes @pids. These files have no sample yet, so the callback of
 * opd_images_report_new() is not called for them. Stop when op_now_ms() reaches @end_ms, because
 * users can map any number of files. Return 0 or a negative errno.
 */
int opd_running_each(struct opd_images *images, const char *proc_dir, const pid_t *pids,
		     size_t nr_pids, uint64_t end_ms, opd_image_fn fn, void *arg);

#endif
