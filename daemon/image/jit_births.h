/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_births.h -- which processes a process has its memory from: a child of fork() has the code that its parent had made.
 *
 * Sources that are notified of forks add them; of the last 16,384 or so, because forks are many and few processes make
 * code. Others, and forks before the daemon began, are asked of /proc, which knows living parents: a child that has not
 * executed another program has its parent's stack at the same address.
 */
#ifndef OPD_JIT_BIRTHS_H
#define OPD_JIT_BIRTHS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_JIT_GENERATIONS	16

struct opd_jit_ancestor {
	pid_t tgid;
	int64_t size;		/* bytes of its perf-PID.map at the fork; -1: not known */
};

struct opd_jit_births;

/* @proc_dir: "/proc", or a copy for tests; borrowed. NULL: out of memory. */
struct opd_jit_births *opd_jit_births_create(const char *proc_dir);
/* Takes NULL. */
void opd_jit_births_destroy(struct opd_jit_births *births);

/* @tgid was forked by @parent; @size as above. */
void opd_jit_births_add(struct opd_jit_births *births, pid_t tgid, pid_t parent, int64_t size);
/* @tgid has executed a program, and has nothing of its parent's memory. */
void opd_jit_births_drop(struct opd_jit_births *births, pid_t tgid);

/* Fill in the ancestors of @tgid, its parent first. Return their number. */
size_t opd_jit_births_line(const struct opd_jit_births *births, pid_t tgid, struct opd_jit_ancestor ret[OPD_JIT_GENERATIONS]);

#endif
