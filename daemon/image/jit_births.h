/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_births.h -- list of forks, to find the ancestor from which a process inherited JIT code: a
 * child of fork() has the code that its parent had generated.
 *
 * Sources that get fork events add the forks to the list. The list has room for 16,384 forks,
 * because forks are frequent and few processes generate code. Other forks, for example those
 * before the daemon's start, are derived from /proc while the parent lives: a child that did not
 * call exec has its stack at the same address as its parent.
 */
#ifndef OPD_JIT_BIRTHS_H
#define OPD_JIT_BIRTHS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_JIT_GENERATIONS	16

struct opd_jit_ancestor {
	pid_t tgid;
	/* size of the ancestor's perf-PID.map in bytes when it forked; -1: unknown */
	int64_t size;
	unsigned int program;	/* value of opd_jit_program() for the ancestor when it forked */
};

struct opd_jit_births;

/* Create an empty list of forks. @proc_dir: "/proc", or a test's directory; borrowed. Return NULL
 * if memory is short. */
struct opd_jit_births *opd_jit_births_create(const char *proc_dir);
/* Destroy @births, which may be NULL. */
void opd_jit_births_destroy(struct opd_jit_births *births);

/* Record that @parent has forked process @tgid. @size, @program: as in struct opd_jit_ancestor. */
void opd_jit_births_add(struct opd_jit_births *births, pid_t tgid, pid_t parent, int64_t size,
			  unsigned int program);
/* Record that process @tgid has called exec, and so no longer has a copy of its parent's memory. */
void opd_jit_births_drop(struct opd_jit_births *births, pid_t tgid);

/* Store in @line the ancestors from which @tgid has inherited memory, the parent first. Return
 * their number. */
size_t opd_jit_births_line(const struct opd_jit_births *births, pid_t tgid,
			   struct opd_jit_ancestor ret[OPD_JIT_GENERATIONS]);

#endif
