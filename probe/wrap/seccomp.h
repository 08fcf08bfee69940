/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seccomp.h -- our syscall(): probe/arch/syscall.S jumps to the C library's function, and calls
 * seccomp_calls() first if that function is not known yet or the call must be reported.
 */
#ifndef PROBE_WRAP_SECCOMP_H
#define PROBE_WRAP_SECCOMP_H

/* The C library's function; NULL: not searched yet. */
extern void *seccomp_next __attribute__((visibility("hidden")));

/* Handle system call @nr of the program. Return the function that makes it. */
void *seccomp_calls(long nr, long a, long b, long c) __attribute__((visibility("hidden")));

#endif
