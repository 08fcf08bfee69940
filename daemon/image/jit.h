/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- keeps what programs say about code they made at run time: copies of /tmp/perf-PID.map
 * and /tmp/jit-PID.dump, or the jit-PID.dump that the process has mapped (daemon/image/jit_dump.h), go into the
 * session (jit/PID.map, jit/PID.dump), as the files may be gone when a report is made; so does what OProfile 1.x's agents
 * write, /tmp/.oprofile/jitdump/PID.dump (jit/PID.agent).
 *
 * A child of fork() has code that its ancestors made: their files are kept as well, and jit/PID.born lists them
 * (jit_births.h). Files of a program that the process runs after N other ones are jit/PID.N.map and so on.
 *
 * Only for processes that had samples in anonymous memory, and only files that are the process'
 * user's or root's: anybody may put a file of any name into /tmp. Links, hard ones too, devices,
 * FIFOs and what is mounted on a file are not opened, and a copy may be read by others only if the
 * original may. A process that has a /tmp or numbers of its own (containers) writes there, under its own number. What
 * does not lie in our /tmp may be in a file system of the user's: the finder reads it, not the daemon.
 *
 * A process may have ended, with its /tmp, when its first sample comes: opd_jit_hold().
 *
 * Copying is done in slices, between which samples are taken. What is copied (not what is kept: a file may be
 * written again and again) and what is kept has limits for each user, and for all of them together.
 */
#ifndef OPD_JIT_H
#define OPD_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;
struct opd_identity;
struct opd_jit;

/* Create an empty collection. @proc_dir and @tmp_dir are "/proc" and "/tmp", or copies for tests;
 * they and @finder, which may be NULL, are borrowed. @subuid: see libop/base/id_ranges.h. Return
 * NULL without memory. */
struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir, const char *subuid,
			       struct opd_finder *finder);
/* Takes NULL. */
void opd_jit_destroy(struct opd_jit *jit);

/* Note a sample in anonymous memory of @tgid, which runs the program @app (a pointer that is only
 * compared; NULL: unknown). Return opd_jit_program(). Repeated calls are cheap. This and the other
 * functions accept NULL. */
unsigned int opd_jit_note(struct opd_jit *jit, pid_t tgid, const void *app);

/* Return how many programs @tgid has executed since its first noted sample: its memory is another
 * one each time. Beyond a limit the number does not grow. */
unsigned int opd_jit_program(const struct opd_jit *jit, pid_t tgid);

/* Note that @parent has forked @tgid, and that @tgid has executed a program. Called by sources that
 * receive such notices. */
void opd_jit_started(struct opd_jit *jit, pid_t tgid, pid_t parent);
void opd_jit_execed(struct opd_jit *jit, pid_t tgid);

/*
 * Hold on to the map of @tgid, whose samples may come after it has ended. Called before
 * opd_jit_note(), and again. opd_jit_replaced() drops it: @tgid is another program or another
 * process from now on.
 */
void opd_jit_hold(struct opd_jit *jit, pid_t tgid);
void opd_jit_replaced(struct opd_jit *jit, pid_t tgid);
/* Look for maps of held processes that do not have one yet. Call this now and then. */
void opd_jit_hold_more(struct opd_jit *jit);

/*
 * Open the jit-PID.dump of @tgid as ret->fd, with ret->payer; the caller releases *@ret. Set *@st
 * to the status of the file, which may grow. Return 0, or -ENOENT, which leaves *@ret and *@st
 * untouched.
 */
struct stat;
int opd_jit_open_dump(struct opd_jit *jit, pid_t tgid, struct opd_identity *ret, struct stat *st);

/* A round begins: what is new or has changed will be copied; large files only with @all. */
void opd_jit_begin(struct opd_jit *jit, bool all);

/* There is something left to do in this round. */
bool opd_jit_busy(const struct opd_jit *jit);

/* One slice of it, below the directory @current_fd. @now_ms: any clock's. 0, or the errno of a copy
 * that could not be written; the round goes on with the next one. */
int opd_jit_work(struct opd_jit *jit, int current_fd, uint64_t now_ms);

/* Files that were not copied because of a limit, each counted once. */
uint64_t opd_jit_left_out(const struct opd_jit *jit);

/* A new session begins: nothing is kept yet, and nobody noted; what was spent stays spent. */
void opd_jit_restart(struct opd_jit *jit);

#endif
