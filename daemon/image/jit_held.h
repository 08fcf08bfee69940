/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_held.h -- descriptors of the files perf-PID.map of processes that may end before the file is
 * copied.
 *
 * Samples may wait for an unwind table for longer than their process lives. So from the time when
 * the process maps memory for code made at run time, the daemon keeps a descriptor of its file
 * perf-PID.map, and the facts from /proc that it needs to judge the file. The descriptor outlives
 * the name and the namespaces of the file. The daemon closes the descriptor some time after the
 * process has ended, because an open file keeps a file system in use.
 */
#ifndef OPD_JIT_HELD_H
#define OPD_JIT_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/image/identify.h"

struct opd_finder;

/* maximum number of processes; the process that was added first is evicted */
#define OPD_JIT_HELD	64

struct opd_jit_held {
	pid_t tgid;		/* id of the process; 0: this entry is free */
	pid_t own_tgid;		/* id of the process in its own pid namespace */
	bool is_apart;		/* the process has its own PID or mount namespace */
	uid_t uid;
	/* inode of /proc/TGID, by which a reuse of the pid is noticed */
	uint64_t ino;
	uint64_t taken_ms;	/* time at which the entry was added */
	/* the file perf-PID.map, as an O_PATH descriptor; -1: not found yet */
	struct opd_identity map;
	uint64_t looked_ms;	/* time of the last search for the process's file */
	unsigned int tries;	/* number of searches for the process's file */
	/* time at which the daemon noticed that the process had ended; 0: it has not ended */
	uint64_t ended_ms;
	uint64_t asked_ms;	/* time of the last check whether the process still runs */
};

struct opd_jit_helds {
	/* directories, as for opd_jit_create(); borrowed */
	const char *proc_dir, *tmp_dir;
	struct opd_finder *finder;
	struct opd_jit_held items[OPD_JIT_HELD];
	size_t next;
};

/* Set *@ret to the user of the process @tgid. Return 0, or -ENOENT if the process has ended. */
int opd_jit_owner(const char *proc_dir, pid_t tgid, uid_t *ret);

/* Return whether a notice that @tgid maps memory may add an entry for the process. Each entry
 * costs several system calls, and programs that take turns could evict each other's entries
 * without end. */
bool opd_jit_held_may_take(const struct opd_jit_helds *helds, pid_t tgid);

/* Return the entry of the process @tgid, which is added if it is missing, or NULL if the process
 * has ended. */
struct opd_jit_held *opd_jit_held_take(struct opd_jit_helds *helds, pid_t tgid);

/* Look for the file perf-PID.map of @held if it was not found yet. Clear @held if its process ended
 * long ago. The rates of searches and of checks are limited. */
void opd_jit_held_look(struct opd_jit_helds *helds, struct opd_jit_held *held);

/* Set *@ret to the file perf-PID.map of @tgid, with a descriptor that the caller owns. Return 0 or
 * -ENOENT. */
int opd_jit_held_open(const struct opd_jit_helds *helds, pid_t tgid, struct opd_identity *ret);

void opd_jit_held_drop(struct opd_jit_helds *helds, pid_t tgid);
void opd_jit_held_release(struct opd_jit_helds *helds);

#endif
