/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h -- the owner of the module's state: sampling, the stream of records, and its reader.
 *
 * Life of a session, each step under `lock`:
 *   setup	`buffer` is opened: memory, hooks, hotplug callbacks
 *   start	1 is written to `enable`: counters reset, CPUs sample
 *   stop	0 is written: no CPU samples, tables are drained
 *   shutdown	`buffer` is released: undo setup in reverse order
 *
 * Lock order: lock -> cpus_read_lock() -> drain.lock.
 */
#ifndef OPROFILE_SESSION_H
#define OPROFILE_SESSION_H

#include <linux/pid.h>

#include "drain.h"
#include "lookup.h"
#include "offcpu/offcpu.h"
#include "paths/paths.h"
#include "ring.h"
#include "sampling.h"

struct oprofile_session {
	struct oprofile_sampling sampling;
	struct oprofile_resolver resolver;
	struct oprofile_paths paths;
	struct oprofile_offcpu offcpu;
	struct oprofile_ring ring;
	struct oprofile_drain drain;
	/* the process that opened `buffer`; protected by sampling.lock */
	struct pid *reader;
	/* the reader's last dump found the ring full, and the next one completes it; protected by
	 * sampling.lock */
	bool dump_again;
	/* the session's registration as a user of the hooks; valid while sampling.is_setup */
	struct oprofile_hooks_user hooks_user;
};

/* Initialize and release the session, at module load and unload. */
int oprofile_session_init(struct oprofile_session *s);
void oprofile_session_exit(struct oprofile_session *s);

/* Set up a session: `buffer` was opened. Return 0 or a negative errno; -EBUSY: another process has
 * `buffer` open. */
int oprofile_session_setup(struct oprofile_session *s);
void oprofile_session_shutdown(struct oprofile_session *s);

/* Start and stop sampling. Both are idempotent. Return 0, or -EINVAL if `buffer` is not open, or
 * another negative errno. */
int oprofile_session_start(struct oprofile_session *s);
int oprofile_session_stop(struct oprofile_session *s);

/*
 * Write all samples that were taken before the call to the ring, and return 0. If the ring is full,
 * wait for room; but if the caller is the process that opened `buffer`, return -EAGAIN: the caller
 * must read `buffer` and call again. -EINTR: interrupted by a signal; -EINVAL: `buffer` is not
 * open.
 */
int oprofile_session_dump(struct oprofile_session *s);

#endif
