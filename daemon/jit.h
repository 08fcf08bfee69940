/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.h -- keeps what programs say about code they made at run time: copies of /tmp/perf-PID.map
 * and /tmp/jit-PID.dump go into the session (jit/PID.map, jit/PID.dump), as the files may be gone
 * when a report is made.
 *
 * Only for processes that had samples in anonymous memory, and only files that are the process'
 * user's or root's: anybody may put a file of any name into /tmp. Links, hard ones too, devices and
 * FIFOs are not opened, sizes are bounded, and a copy may be read by others only if the original
 * may. Processes with a /tmp of their own (containers) are left out.
 */
#ifndef OPD_JIT_H
#define OPD_JIT_H

#include <stdbool.h>
#include <sys/types.h>

struct opd_jit;

/* @proc_dir, @tmp_dir: "/proc" and "/tmp", or copies for tests; borrowed. NULL: out of memory. */
struct opd_jit *opd_jit_create(const char *proc_dir, const char *tmp_dir);
/* Takes NULL. */
void opd_jit_destroy(struct opd_jit *jit);

/* The rest takes NULL. A sample fell into anonymous memory of @tgid. Cheap when told again and
 * again. */
void opd_jit_note(struct opd_jit *jit, pid_t tgid);

/* Copies what is new or has changed below the directory @current_fd; large files only with @all.
 * 0, or the errno of a copy that could not be written. */
int opd_jit_keep(struct opd_jit *jit, int current_fd, bool all);

/* A new session begins: nothing is kept yet, and nobody noted. */
void opd_jit_restart(struct opd_jit *jit);

#endif
