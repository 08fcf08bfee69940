/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h -- failure injection: makes the n-th allocation or system call of the code under test
 * fail.
 *
 * A test links tests/fault/fault.c with $(fault_wrap). Then allocations and file system calls of
 * all objects linked into the test (including the test's own, but not the C library's) go through
 * fault.c. For single-threaded tests.
 */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include <stdbool.h>

/*
 * Let the @n-th wrapped call from now on (1: the next one) fail once: an allocation with ENOMEM, a
 * system call with @err.
 */
void fault_arm(long n, int err);

/* End the process with the exit status @status at the @n-th wrapped call from now on. */
void fault_arm_exit(long n, int status);

/* Let every call of the function @name fail with @err. */
void fault_arm_always(const char *name, int err);

/* Stop failure injection. Return whether a call has failed since the last fault_arm*(). */
bool fault_disarm(void);

#endif
