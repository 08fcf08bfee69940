/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seccomp.h -- the replacement of syscall(). The code in probe/arch/syscall.S jumps to the C
 * library's syscall(). The code first calls seccomp_calls() if the address of the C library's
 * syscall() is not known yet, or if the system call may install a seccomp filter.
 */
#ifndef PROBE_WRAP_SECCOMP_H
#define PROBE_WRAP_SECCOMP_H

/* The C library's syscall(); NULL: not found yet. */
extern void *seccomp_next __attribute__((visibility("hidden")));

/* If system call @nr of the program installs a seccomp filter, report it to the collector. Return
 * the address of the C library's syscall(). */
void *seccomp_calls(long nr, long a, long b, long c) __attribute__((visibility("hidden")));

#endif
