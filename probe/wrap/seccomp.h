/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seccomp.h -- syscall(), which is one of ours: probe/arch/syscall.S goes on to the C library's, after seccomp_calls() where that
 * is not known or is to be told.
 */
#ifndef PROBE_WRAP_SECCOMP_H
#define PROBE_WRAP_SECCOMP_H

/* NULL: nobody has looked for it. */
extern void *seccomp_next __attribute__((visibility("hidden")));

/* The program makes system call @nr. What makes it. */
void *seccomp_calls(long nr, long a, long b, long c) __attribute__((visibility("hidden")));

#endif
