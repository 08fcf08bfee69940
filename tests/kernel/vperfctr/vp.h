/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vp.h -- functions that all tests of virtual counters use: the calls, and reports of errors. */
#ifndef VPERFCTR_TESTS_VP_H
#define VPERFCTR_TESTS_VP_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "module/uapi/vperfctr.h"

#define PAGE	4096

extern int device, failed;

#define fail(...) (printf("FAILED: " __VA_ARGS__), putchar('\n'), failed = 1)
/* Fail unless the call fails with this error. */
#define want_errno(call, error) do {						\
	errno = 0;								\
	if ((call) != -1 || errno != (error))					\
		fail("line %d: %s: %s, not %s", __LINE__, #call, errno ? strerror(errno) : "no error", strerror(error)); \
} while (0)
#define want_ok(call) do {							\
	errno = 0;								\
	if ((call) == -1)							\
		fail("line %d: %s: %s", __LINE__, #call, strerror(errno));	\
} while (0)

uint64_t tsc(void);
int open_tid(pid_t tid, unsigned int flags);
int control(int fd, const struct vperfctr_control *c);
/* Return settings with the virtual TSC and @nrctrs slots of page faults in user mode. */
struct vperfctr_control settings(int tsc_on, int nrctrs);
/*
 * hardware(): return settings with @nrctrs slots of cycles in user mode, without the virtual TSC
 * (aarch64). turns(): execute a loop of four instructions @n times.
 */
struct vperfctr_control hardware(int nrctrs);
void turns(uint64_t n);
int set(int fd, int tsc_on, int nrctrs);
int read_all(int fd, struct vperfctr_read *r);
volatile const struct vperfctr_state *map(int fd);
/* Read the virtual TSC by the loop that doc/vperfctr.md describes. */
uint64_t read_tsc(volatile const struct vperfctr_state *k);
double seconds(void);
void pin(int cpu);
/*
 * Cause exactly @pages page faults in user mode, unless other code of the program faults meanwhile.
 */
void touch(int pages);
void reap(pid_t pid, int want);

void test_calls(void);
void test_control(void);
void test_time(void);
void test_children(void);
void test_line(void);
void test_held(void);
void test_forks(void);
void test_after_exec(int want);
void test_exec(void);
void test_nobody(void);
void test_slots(void);
void test_refused(void);
void test_ranges(void);
void test_keys(void);
void test_hardware(void);
void test_instructions(void);
void test_reads(void);
int test_readable(void);
void test_cpus(void);
void test_affinity(void);
void test_ring(void);
void test_remote(void);
void test_kill(void);
void test_load(void);
void test_overflow(void);
void test_hostile(void);
void test_soak(void);
void test_moved(void);
void test_badluck(void);

#endif
