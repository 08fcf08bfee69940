/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_held.h -- keeps maps of processes that may end before their perf-PID.map is copied.
 *
 * Samples may wait for an unwind table for longer than their process lives. So from the time when
 * the process maps code made at run time, the daemon keeps a descriptor of the map, and the facts
 * from /proc that it needs to judge the map. The descriptor outlives the name and the namespaces of
 * the file. The daemon closes it some time after the process has ended, because it keeps a file
 * system in use.
 */
#ifndef OPD_JIT_HELD_H
#define OPD_JIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/identify.h"

struct opd_finder;

/* maximum number of processes; the one that was looked at first is evicted */
#define OPD_JIT_HELD	64

struct opd_jit_held {
	pid_t tgid;		/* 0: the entry is free */
	pid_t own_tgid;		/* the pid that the process sees */
	bool is_apart;		/* the process has its own PID or mount namespace */
	uid_t uid;
	/* inode of /proc/TGID, to notice that another process has the number */
	uint64_t ino;
	uint64_t taken_ms;	/* when the entry was added */
	struct opd_identity map;	/* the map, with an O_PATH descriptor, or -1 */
	uint64_t looked_ms;	/* time of the last search for the map, ... */
	unsigned int tries;	/* ... and number of searches */
	/* when the daemon noticed that the process had ended; 0: it has not ended */
	uint64_t ended_ms;
	uint64_t asked_ms;	/* time of the last check whether it has ended */
};

struct opd_jit_helds {
	const char *proc_dir, *tmp_dir;		/* borrowed, like the next member */
	struct opd_finder *finder;
	struct opd_jit_held items[OPD_JIT_HELD];
	size_t next;
};

/* Set *@ret to the user of the process @tgid. Return 0, or -ENOENT if the process has ended. */
int opd_jit_owner(const char *proc_dir, pid_t tgid, uid_t *ret);

/* Return whether a notice about memory of @tgid may add its entry. Each entry costs several calls;
 * programs that take turns could evict each other's entries without end. */
bool opd_jit_held_may_take(const struct opd_jit_helds *helds, pid_t tgid);

/* Return the entry of @tgid, which is added if it is missing, or NULL if the process has ended. */
struct opd_jit_held *opd_jit_held_take(struct opd_jit_helds *helds, pid_t tgid);

/* Look for the map of @held if none was found yet; drop @held if its process ended long ago. Both
 * are done at limited rate. */
void opd_jit_held_look(struct opd_jit_helds *helds, struct opd_jit_held *held);

/* Set *@ret to the map of @tgid, with a descriptor that the caller owns. Return 0 or -ENOENT. */
int opd_jit_held_open(const struct opd_jit_helds *helds, pid_t tgid, struct opd_identity *ret);

void opd_jit_held_drop(struct opd_jit_helds *helds, pid_t tgid);
void opd_jit_held_release(struct opd_jit_helds *helds);

#endif
