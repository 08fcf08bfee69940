/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h -- makes the n-th allocation or system call of the code under test fail.
 *
 * A test links tests/fault/fault.c and $(fault_wrap), which route allocations and the system calls
 * on files named there, of all objects linked with it (its own too, not the C library's), through
 * here. One thread.
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>

/* Make the n-th call from now on (1: the next one) fail once: an allocation with ENOMEM, any other
 * call with @err. */
void fault_arm(long n, int err);

/* End the process with the exit status @status at the n-th call from now on, instead of the call. */
void fault_arm_exit(long n, int status);

/* Every call of the function @name fails with @err. */
void fault_arm_always(const char *name, int err);

/* Stop making calls fail. Return whether a call has failed since the last arming. */
bool fault_disarm(void);

#endif
