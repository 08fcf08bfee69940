/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_held.h -- processes that may end before their perf-PID.map is copied.
 *
 * Samples may wait for an unwind table for longer than their process lives. So the daemon keeps a
 * descriptor of the map, and the facts of /proc that it takes to judge the map, from the time when
 * the process maps its made code. A descriptor outlives the name, and the namespaces, of its file.
 * It is closed some time after the process has ended, because it keeps a file system in use.
 */
#ifndef OPD_JIT_HELD_H
#define OPD_JIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/identify.h"

struct opd_finder;

#define OPD_JIT_HELD	64	/* processes; the one looked at first makes room */

struct opd_jit_held {
	pid_t tgid;		/* 0: free */
	pid_t own_tgid;		/* the pid that the process sees */
	bool is_apart;		/* in its own PID or mount namespace */
	uid_t uid;
	uint64_t ino;		/* of /proc/TGID, to notice that another process has the number */
	struct opd_identity map;	/* its descriptor by O_PATH, or -1 */
	uint64_t looked_ms;	/* for the map, ... */
	unsigned int tries;	/* ... and how often */
	uint64_t ended_ms;	/* when it was seen that the process had ended; 0: it has not */
	uint64_t asked_ms;	/* ... and when that was asked last */
};

struct opd_jit_helds {
	const char *proc_dir, *tmp_dir;		/* borrowed, as the next one */
	struct opd_finder *finder;
	struct opd_jit_held items[OPD_JIT_HELD];
	size_t next;
};

/* Set *@ret to the user of the process @tgid. Return 0, or -ENOENT if the process has ended. */
int opd_jit_owner(const char *proc_dir, pid_t tgid, uid_t *ret);

/* Return the entry of @tgid, which is added if it is missing, or NULL if the process has ended. */
struct opd_jit_held *opd_jit_held_take(struct opd_jit_helds *helds, pid_t tgid);

/* Look for the map of @held, if none was found yet, or drop @held, if its process has ended long
 * ago. Neither is done at each call. */
void opd_jit_held_look(struct opd_jit_helds *helds, struct opd_jit_held *held);

/* Set *@ret to the map of @tgid, with a descriptor of the caller's. Return 0 or -ENOENT. */
int opd_jit_held_open(const struct opd_jit_helds *helds, pid_t tgid, struct opd_identity *ret);

void opd_jit_held_drop(struct opd_jit_helds *helds, pid_t tgid);
void opd_jit_held_release(struct opd_jit_helds *helds);

#endif
