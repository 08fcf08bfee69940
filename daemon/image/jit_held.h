/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_held.h -- open perf-PID.map files of processes that may exit before the file is copied.
 *
 * Samples may have to wait for an unwind table, and the process may exit in the meantime. So the
 * daemon opens the process's perf-PID.map as soon as the process maps memory for JIT code. It also
 * reads, from /proc, the data that it needs to check whether the file belongs to the process. The
 * descriptor stays valid when the name and the namespaces of the file are gone. The daemon closes
 * it some time after the end of the process, because an open file prevents unmounting.
 */
#ifndef OPD_JIT_HELD_H
#define OPD_JIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/identify.h"

struct opd_finder;

/* maximum number of processes with an entry; a new entry replaces the oldest one */
#define OPD_JIT_HELD	64

struct opd_jit_held {
	pid_t tgid;		/* process id; 0: unused entry */
	pid_t own_tgid;		/* process id in the process's own PID namespace */
	bool is_apart;		/* the process has its own PID or mount namespace */
	uid_t uid;
	/* inode number of /proc/TGID, which changes when another process gets the id */
	uint64_t ino;
	uint64_t taken_ms;	/* time when the entry was added */
	/* O_PATH descriptor of the perf-PID.map; -1: not found yet */
	struct opd_identity map;
	uint64_t looked_ms;	/* time of the last search for the perf-PID.map */
	unsigned int tries;	/* number of searches for the perf-PID.map */
	/* time when the daemon noticed that the process had ended; 0: the process still runs */
	uint64_t ended_ms;
	uint64_t asked_ms;	/* time of the last check whether the process still exists */
};

struct opd_jit_helds {
	/* "/proc" and "/tmp", or a test's directories; borrowed */
	const char *proc_dir, *tmp_dir;
	struct opd_finder *finder;
	struct opd_jit_held items[OPD_JIT_HELD];
	size_t next;
};

/* Set *@ret to the user of process @tgid. Return 0, or -ENOENT if the process has ended. */
int opd_jit_owner(const char *proc_dir, pid_t tgid, uid_t *ret);

/*
 * Return true if an entry for process @tgid may be added now. Adding an entry costs several system
 * calls. So entries below a minimum age are not replaced: otherwise, processes could replace each
 * other's entries endlessly.
 */
bool opd_jit_held_may_take(const struct opd_jit_helds *helds, pid_t tgid);

/* Return the entry of process @tgid; add the entry if it is missing. Return NULL if the process
 * has ended. */
struct opd_jit_held *opd_jit_held_take(struct opd_jit_helds *helds, pid_t tgid);

/* Search for the perf-PID.map of @held if it is not open yet. Clear @held if its process ended long
 * ago. Do nothing if the last search or check was only a moment ago. */
void opd_jit_held_update(struct opd_jit_helds *helds, struct opd_jit_held *held);

/* Store in *@ret a new descriptor of the perf-PID.map of @tgid, which the caller closes. Return 0
 * or -ENOENT. */
int opd_jit_held_open(const struct opd_jit_helds *helds, pid_t tgid, struct opd_identity *ret);

void opd_jit_held_drop(struct opd_jit_helds *helds, pid_t tgid);
void opd_jit_held_release(struct opd_jit_helds *helds);

#endif
