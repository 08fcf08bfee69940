// SPDX-License-Identifier: GPL-2.0-or-later
/* made_code.c -- detection of mapped files that contain JIT code. */
#include "config.h"
#include "daemon/image/made_code.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/image/image.h"
#include "daemon/image/jit_held.h"
#include "daemon/image/proc_maps.h"
#include "daemon/image/process_entry.h"

/* made_code.c searches for a process's perf-PID.map again after this number of calls */
#define ASK_AGAIN	256

static bool has_ended(pid_t tgid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)tgid);
	return access(path, F_OK);
}

/*
 * Return true if the process may have a perf-PID.map that the daemon cannot find: in another /tmp,
 * or with the pid of another PID namespace. Also return true if the process has ended, because its
 * namespaces are then unknown.
 */
static bool may_have_map(struct opd_process *process)
{
	if (!process->asked_namespaces)
		process->has_own_tmp = opd_has_own_namespace("/proc", process->tgid, "mnt") ||
				       opd_has_own_namespace("/proc", process->tgid, "pid") ||
				       has_ended(process->tgid);
	process->asked_namespaces = true;
	return process->has_own_tmp;
}

/*
 * Return true if the file @path, a perf-PID.map, belongs to the user of process @tgid or to root.
 * Any user can create a file with this name; a file of another user must not hide the functions of
 * this process.
 */
static bool is_map_of(const char *path, pid_t tgid)
{
	struct stat st;
	uid_t uid;

	if (lstat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return !st.st_uid || (!opd_jit_owner("/proc", tgid, &uid) && st.st_uid == uid);
}

static bool has_map(struct opd_process *process)
{
	char path[64];

	if (process->has_map || process->has_dump)
		return true;
	if (process->ask_map) {
		process->ask_map--;
		return false;
	}
	process->ask_map = ASK_AGAIN;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)process->tgid);
	process->has_map = is_map_of(path, process->tgid);
	return process->has_map;
}

bool opd_is_made_code(struct opd_process *process, const struct opd_image *image,
		      const struct opd_image *app)
{
	bool is_memfd;

	/* Nearly all images are ELF files: return early for these. */
	if (image->is_elf || image == app)
		return false;
	is_memfd = opd_is_memfd(image->path);
	if (!is_memfd && !image->is_other)
		return false;
	return has_map(process) || (is_memfd && may_have_map(process));
}
