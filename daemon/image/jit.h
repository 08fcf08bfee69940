/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- files in which programs describe code that they generate at run time (JIT code). The
 * daemon copies them into the session, because they may be gone when a report is made:
 * /tmp/perf-PID.map to jit/PID.map; /tmp/jit-PID.dump, or the jit-PID.dump that the process has
 * mapped (daemon/image/jit_dump.h), to jit/PID.dump; and /tmp/.oprofile/jitdump/PID.dump, which
 * the agents of OProfile 1.x write, to jit/PID.agent.
 *
 * A child of fork() has the code of its ancestors. So the ancestors' files are copied, too, and
 * jit/PID.born lists the ancestors (jit_births.h). If a process calls exec, the files of its
 * program number N are jit/PID.N.map, jit/PID.N.dump and so on.
 *
 * Only processes with samples in anonymous memory are considered. Because every user may put files
 * of any name into /tmp, a file must belong to the user of the process or to root. Links (also
 * hard links), devices, FIFOs and files with another file system mounted on them are not opened.
 * Other users may read a copy only if they may read the original. A process with its own /tmp or
 * PID namespace (in a container) writes to its own /tmp, under its pid in the namespace. A file
 * outside the daemon's /tmp may be in a user's file system, so the finder (finder.h) reads it
 * instead of the daemon.
 *
 * A process may have ended, and its /tmp may be gone, before its first sample arrives: see
 * opd_jit_hold().
 *
 * Files are copied in slices, and the daemon reads samples between slices. Each user, and all
 * users together, have limits of copied bytes (a program may rewrite a file again and again) and
 * of stored bytes.
 */
#ifndef OPD_JIT_H
#define OPD_JIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct opd_finder;
struct opd_identity;
struct opd_jit;

/*
 * Create an empty collection of processes with JIT code. @proc_dir and @tmp_dir: "/proc" and
 * "/tmp", or a test's directories. @finder may be NULL. All three are borrowed. @subuid: see
 * libop/base/id_ranges.h. Return NULL if memory is short.
 */
struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir, const char *subuid,
			       struct opd_finder *finder);
/* Limit the total size of the JIT files that a session stores to @bytes. Each user may use half of
 * this. A value above the default limit has no effect. */
void opd_jit_limit(struct opd_jit *jit, uint64_t bytes);
/* Destroy @jit, which may be NULL. */
void opd_jit_destroy(struct opd_jit *jit);

/*
 * Record that a sample hit anonymous memory of process @tgid, which executes the program @app (the
 * pointer is only compared; NULL: unknown). Return opd_jit_program(). Repeated calls are cheap.
 * This function and the functions below accept NULL for @jit.
 */
unsigned int opd_jit_note(struct opd_jit *jit, pid_t tgid, const void *app);

/* Return the number of programs that process @tgid has executed since its first sample, up to a
 * limit. The number distinguishes the code of different programs that the process had at the same
 * addresses. */
unsigned int opd_jit_program(const struct opd_jit *jit, pid_t tgid);

/* Report that @parent has forked process @tgid. Called by sources that get fork events. */
void opd_jit_started(struct opd_jit *jit, pid_t tgid, pid_t parent);
/* Report that process @tgid has executed another program. Called by sources that get exec
 * events. */
void opd_jit_execed(struct opd_jit *jit, pid_t tgid);

/*
 * Keep the file perf-PID.map of process @tgid open, because samples of the process may arrive after
 * its end. May be called before opd_jit_note(), and repeatedly. opd_jit_replaced() closes the file
 * after an exec, or when another process has got the id @tgid.
 */
void opd_jit_hold(struct opd_jit *jit, pid_t tgid);
void opd_jit_replaced(struct opd_jit *jit, pid_t tgid);
/* Search again for the perf-PID.map files that opd_jit_hold() did not find. Call this function
 * periodically. */
void opd_jit_hold_more(struct opd_jit *jit);

/*
 * Open the file jit-PID.dump of process @tgid. Set ret->fd, ret->payer and *@st, the status of the
 * file, which may still grow. The caller releases *@ret. Return 0, or -ENOENT and leave *@ret and
 * *@st unchanged.
 */
struct stat;
int opd_jit_open_dump(struct opd_jit *jit, pid_t tgid, struct opd_identity *ret, struct stat *st);

/* Start a round of copies: it copies the new and changed JIT files of all recorded processes to the
 * session; large files only if @all is true. */
void opd_jit_begin(struct opd_jit *jit, bool all);

/* Return true while a round of copies is in progress. */
bool opd_jit_busy(const struct opd_jit *jit);

/*
 * Copy one slice of a file in the current round of copies to the session directory @current_fd.
 * @now_ms: current time of any clock. Return 0, or the negative errno of a failed write; the round
 * then continues with the next file.
 */
int opd_jit_work(struct opd_jit *jit, int current_fd, uint64_t now_ms);

/* Return the number of JIT files that were not copied because of a limit. Each file counts once. */
uint64_t opd_jit_left_out(const struct opd_jit *jit);

/* Reset @jit for a new session, which has no copied files and no recorded processes. The budgets of
 * copied bytes do not change. */
void opd_jit_restart(struct opd_jit *jit);

#endif
