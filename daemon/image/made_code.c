// SPDX-License-Identifier: GPL-2.0-or-later
/* made_code.c -- which mapped files have code that was made at run time. */
#include "config.h"
#include "daemon/image/made_code.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "daemon/image/image.h"
#include "daemon/image/process_entry.h"

#define ASK_AGAIN	256	/* questions about a process that had no map yet */

static bool has_map(struct opd_process *process)
{
	char path[64];
	struct stat st;

	if (process->has_map)
		return true;
	if (process->ask_map) {
		process->ask_map--;
		return false;
	}
	process->ask_map = ASK_AGAIN;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)process->tgid);
	process->has_map = !lstat(path, &st);
	return process->has_map;
}

bool opd_is_made_code(struct opd_process *process, const struct opd_image *image, const struct opd_image *app)
{
	if (image->is_elf || image == app)
		return false;
	return !strncmp(image->path, "/memfd:", 7) || (image->is_other && has_map(process));
}
