/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit_births.h -- list of forks, which shows from which ancestor a process inherited code: a child
 * of fork() has the code that its parent had made at run time.
 *
 * Sources that receive notices of forks add the forks to the list. About 16,384 forks are kept,
 * because forks are frequent and few processes make code. All other forks, and forks before the
 * daemon's start, are derived from /proc, as long as the parent lives: a child that has not
 * executed another program has its stack at the same address as its parent.
 */
#ifndef OPD_JIT_BIRTHS_H
#define OPD_JIT_BIRTHS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OPD_JIT_GENERATIONS	16

struct opd_jit_ancestor {
	pid_t tgid;
	/* size of the ancestor's file perf-PID.map at the fork, in bytes; -1: unknown */
	int64_t size;
	unsigned int program;	/* value of opd_jit_program() for the ancestor at the fork */
};

struct opd_jit_births;

/* Create an empty list of forks. @proc_dir is "/proc" or a copy for tests; borrowed. Return NULL if
 * memory is short. */
struct opd_jit_births *opd_jit_births_create(const char *proc_dir);
/* Destroy the list. @births may be NULL. */
void opd_jit_births_destroy(struct opd_jit_births *births);

/* Note that @parent has forked @tgid. @size, @program: as in struct opd_jit_ancestor. */
void opd_jit_births_add(struct opd_jit_births *births, pid_t tgid, pid_t parent, int64_t size,
			  unsigned int program);
/* Note that the process @tgid has executed a program, and so does not have its parent's memory any
 * more. */
void opd_jit_births_drop(struct opd_jit_births *births, pid_t tgid);

/* Fill in the ancestors from which @tgid has inherited memory, its parent first. Return their
 * number. */
size_t opd_jit_births_line(const struct opd_jit_births *births, pid_t tgid,
			   struct opd_jit_ancestor ret[OPD_JIT_GENERATIONS]);

#endif
