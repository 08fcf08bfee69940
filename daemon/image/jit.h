/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- descriptions of code that programs made at run time: copies /tmp/perf-PID.map and
 * /tmp/jit-PID.dump, or the jit-PID.dump that the process has mapped (daemon/image/jit_dump.h),
 * into the session (jit/PID.map, jit/PID.dump), because the files may be gone when a report is
 * made; also files of OProfile 1.x's agents, /tmp/.oprofile/jitdump/PID.dump (jit/PID.agent).
 *
 * A child of fork() has code that its ancestors made, so their files are kept as well, and
 * jit/PID.born lists them (jit_births.h). If a process executes another program, the files of
 * program number N are jit/PID.N.map, jit/PID.N.dump and so on.
 *
 * Only files of processes with samples in anonymous memory are kept, and only files that belong to
 * the process' user or to root, because every user may put files of any name into /tmp. Links (also
 * hard links), devices, FIFOs and file systems mounted on a file are not opened, and other users
 * may read a copy only if they may read the original. A process with its own /tmp or PID namespace
 * (containers) writes its files into its own /tmp, under its pid in the namespace. A file outside
 * the daemon's /tmp may be in a user's file system, so the finder reads it, not the daemon.
 *
 * A process may have ended, and its /tmp may be gone, before its first sample arrives: see
 * opd_jit_hold().
 *
 * Files are copied in slices, and samples are read between slices. The numbers of copied bytes (a
 * program may rewrite a file again and again) and of kept bytes have limits for each user, and for
 * all users together.
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
 * Create an empty collection of processes with code made at run time. @proc_dir and @tmp_dir are
 * "/proc" and "/tmp", or copies for tests; both and @finder, which may be NULL, are borrowed.
 * @subuid: see libop/base/id_ranges.h. Return NULL if memory is short.
 */
struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir, const char *subuid,
			       struct opd_finder *finder);
/* Let a session keep at most @bytes of files of all users, and half of it of one user's files; more
 * than the usual limit has no effect. */
void opd_jit_limit(struct opd_jit *jit, uint64_t bytes);
/* Destroy the collection. @jit may be NULL. */
void opd_jit_destroy(struct opd_jit *jit);

/*
 * Note a sample in anonymous memory of @tgid, which runs the program @app (only the pointer is
 * compared; NULL: unknown). Return opd_jit_program(). Repeated calls are cheap. This function and
 * the functions below accept NULL.
 */
unsigned int opd_jit_note(struct opd_jit *jit, pid_t tgid, const void *app);

/* Return how many programs @tgid has executed since its first noted sample; each program has
 * different memory. The number stops growing at a limit. */
unsigned int opd_jit_program(const struct opd_jit *jit, pid_t tgid);

/* Note that the process @parent has forked @tgid, or that @tgid has executed a program. Sources
 * that receive notices of fork and exec call these functions. */
void opd_jit_started(struct opd_jit *jit, pid_t tgid, pid_t parent);
void opd_jit_execed(struct opd_jit *jit, pid_t tgid);

/*
 * Keep the file perf-PID.map of @tgid open, because samples of the process may arrive after it has
 * ended. May be called before opd_jit_note(), and repeatedly. opd_jit_replaced() closes the file,
 * because @tgid is now another program or another process.
 */
void opd_jit_hold(struct opd_jit *jit, pid_t tgid);
void opd_jit_replaced(struct opd_jit *jit, pid_t tgid);
/* Look again for the files perf-PID.map that opd_jit_hold() did not find. Call this function
 * periodically. */
void opd_jit_hold_more(struct opd_jit *jit);

/*
 * Open the jit-PID.dump of @tgid as ret->fd, with ret->payer; the caller releases *@ret. Set *@st
 * to the status of the file, which may grow. Return 0, or -ENOENT, which leaves *@ret and *@st
 * unchanged.
 */
struct stat;
int opd_jit_open_dump(struct opd_jit *jit, pid_t tgid, struct opd_identity *ret, struct stat *st);

/* Begin a round of copies: copy the new and changed files of all noted processes, but large files
 * only if @all is true. */
void opd_jit_begin(struct opd_jit *jit, bool all);

/* Return whether the current round of copies is unfinished. */
bool opd_jit_busy(const struct opd_jit *jit);

/*
 * Do one slice of the current round of copies, below the directory @current_fd. @now_ms: present
 * time of any clock. Return 0, or the negative errno of a copy that could not be written; the round
 * continues with the next file.
 */
int opd_jit_work(struct opd_jit *jit, int current_fd, uint64_t now_ms);

/* Return the number of files that were not copied because of a limit. Each file is counted only
 * once. */
uint64_t opd_jit_left_out(const struct opd_jit *jit);

/* Begin a new session without kept files and noted processes. Spent budgets stay spent. */
void opd_jit_restart(struct opd_jit *jit);

#endif
