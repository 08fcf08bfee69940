// SPDX-License-Identifier: GPL-2.0-or-later
/* jit_held.c -- opens the perf-PID.map files of processes that may exit before the files are
 * copied, and keeps them open. */
#include "config.h"
#include "daemon/image/jit_held.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/image/finder.h"
#include "daemon/image/open_below.h"
#include "daemon/image/proc_maps.h"
#include "libop/base/clock.h"

/* delay in ms between two searches for the same process's perf-PID.map */
#define AGAIN_MS	20
#define MAX_TRIES	100
/* minimum age in ms at which an entry may be replaced by the entry of another process */
#define KEEP_MS		100
/* delay in ms between two checks whether a process still exists */
#define ASK_MS		1000
/* Remove an entry this many ms after the end of its process: the longest delay of a sample, plus
 * the time to copy the file. */
#define ENDED_MS	15000

static int stat_process(const char *proc_dir, pid_t tgid, struct stat *st)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%d", proc_dir, (int)tgid);
	return stat(path, st) ? -ENOENT : 0;
}

int opd_jit_owner(const char *proc_dir, pid_t tgid, uid_t *ret)
{
	struct stat st;
	int err = stat_process(proc_dir, tgid, &st);

	if (!err)
		*ret = st.st_uid;
	return err;
}

/* Return the pid of process @tgid in its own PID namespace. */
static pid_t own_tgid_of(const char *proc_dir, pid_t tgid)
{
	char path[4096], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "%s/%d/status", proc_dir, (int)tgid);
	status = fopen(path, "re");
	if (!status)
		return tgid;
	while (fgets(line, sizeof(line), status)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last && atoi(last) > 0) {
			tgid = (pid_t)atoi(last);
			break;
		}
	}
	fclose(status);
	return tgid;
}

static const struct opd_jit_held *find(const struct opd_jit_helds *helds, pid_t tgid)
{
	for (size_t i = 0; i < OPD_JIT_HELD; i++)
		if (helds->items[i].tgid == tgid)
			return &helds->items[i];
	return NULL;
}

static void clear(struct opd_jit_held *held)
{
	if (held->tgid)
		opd_identity_release(&held->map);
	*held = (struct opd_jit_held){ .map.fd = -1 };
}

bool opd_jit_held_may_take(const struct opd_jit_helds *helds, pid_t tgid)
{
	const struct opd_jit_held *evicted = &helds->items[helds->next];

	return !evicted->tgid || find(helds, tgid) || op_now_ms() - evicted->taken_ms >= KEEP_MS;
}

struct opd_jit_held *opd_jit_held_take(struct opd_jit_helds *helds, pid_t tgid)
{
	struct opd_jit_held *held = (struct opd_jit_held *)find(helds, tgid);
	struct stat st;

	if (stat_process(helds->proc_dir, tgid, &st) || (held && held->ino == st.st_ino))
		return held;
	if (!held) {
		held = &helds->items[helds->next];
		helds->next = (helds->next + 1) % OPD_JIT_HELD;
	}
	clear(held);
	held->tgid = tgid;
	held->ino = st.st_ino;
	held->taken_ms = op_now_ms();
	held->uid = st.st_uid;
	held->own_tgid = own_tgid_of(helds->proc_dir, tgid);
	held->is_apart =
		held->own_tgid != tgid || opd_has_own_namespace(helds->proc_dir, tgid, "mnt");
	return held;
}

/* Open the file @name in the daemon's /tmp with O_PATH. Return a descriptor or -1. */
static int open_in_tmp(const char *tmp_dir, const char *name)
{
	int tmp_fd = open(tmp_dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (tmp_fd < 0)
		return -1;
	fd = opd_open_below(tmp_fd, name, true);
	close(tmp_fd);
	return fd < 0 ? -1 : fd;
}

void opd_jit_held_update(struct opd_jit_helds *helds, struct opd_jit_held *held)
{
	uint64_t now = op_now_ms();
	struct stat st;
	char path[64];

	if (!held->tgid)
		return;
	if (now - held->asked_ms >= ASK_MS) {
		held->asked_ms = now;
		if (!stat_process(helds->proc_dir, held->tgid, &st))
			held->ended_ms = 0;
		else if (!held->ended_ms)
			held->ended_ms = now;
	}
	if (held->ended_ms && now - held->ended_ms >= ENDED_MS)
		clear(held);
	if (!held->tgid || held->ended_ms || held->map.fd >= 0 || held->tries == MAX_TRIES ||
	    now - held->looked_ms < AGAIN_MS)
		return;
	held->looked_ms = now;
	held->tries++;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)held->own_tgid);
	held->map.payer = OPD_NO_PAYER;
	if (!held->is_apart)
		held->map.fd = open_in_tmp(helds->tmp_dir, strrchr(path, '/') + 1);
	else if (!helds->finder || opd_finder_open(helds->finder, &held->map, path, held->tgid))
		held->map.fd = -1;
}

int opd_jit_held_open(const struct opd_jit_helds *helds, pid_t tgid, struct opd_identity *ret)
{
	const struct opd_jit_held *held = find(helds, tgid);
	int fd = held && held->map.fd >= 0 ? fcntl(held->map.fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (fd < 0)
		return -ENOENT;
	*ret = (struct opd_identity){ .fd = fd, .payer = held->map.payer };
	return 0;
}

void opd_jit_held_drop(struct opd_jit_helds *helds, pid_t tgid)
{
	struct opd_jit_held *held = (struct opd_jit_held *)find(helds, tgid);

	if (held)
		clear(held);
}

void opd_jit_held_release(struct opd_jit_helds *helds)
{
	for (size_t i = 0; i < OPD_JIT_HELD; i++)
		clear(&helds->items[i]);
}
