/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h -- the owner of everything: what is sampled, the stream of it, and who reads that.
 *
 * Life of a session, each step under `lock`:
 *   setup	`buffer` is opened: memory, hooks, hotplug callbacks
 *   start	1 is written to `enable`: counters reset, CPUs sample
 *   stop	0 is written: no CPU samples, tables are drained
 *   shutdown	`buffer` is released: everything setup made goes, in reverse
 *
 * Lock order: lock -> cpus_read_lock() -> drain.lock.
 */
#ifndef OPROFILE_SESSION_H
#define OPROFILE_SESSION_H

#include <linux/pid.h>

#include "drain.h"
#include "errand.h"
#include "paths.h"
#include "ring.h"
#include "sampling.h"

struct oprofile_session {
	struct oprofile_sampling sampling;
	struct oprofile_resolver resolver;
	struct oprofile_paths paths;
	struct oprofile_ring ring;
	struct oprofile_drain drain;
	struct pid *reader;			/* sampling.lock: who opened `buffer` */
	struct oprofile_hooks_user hooks_user;	/* while is_setup */
};

/* Module load and unload. */
int oprofile_session_init(struct oprofile_session *s);
void oprofile_session_exit(struct oprofile_session *s);

/* EBUSY: somebody else has `buffer` open. */
int oprofile_session_setup(struct oprofile_session *s);
void oprofile_session_shutdown(struct oprofile_session *s);

/* EINVAL: `buffer` is not open. Starting what runs and stopping what does not is fine. */
int oprofile_session_start(struct oprofile_session *s);
int oprofile_session_stop(struct oprofile_session *s);

/*
 * Everything sampled before the call is in the ring when it returns 0. When that is full:
 * EAGAIN if the caller is the process that opened `buffer` (read, then repeat), else waits for
 * room. EINTR on a signal, EINVAL when `buffer` is not open.
 */
int oprofile_session_dump(struct oprofile_session *s);

#endif
