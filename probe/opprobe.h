/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opprobe.h -- counting of a program's own metrics by call path: see opprobe.3.
 *
 * A program that includes this header needs no library. If opprobe(1) runs the program, the probe
 * provides the functions; otherwise they do nothing and return -ENOSYS. Calls are never compiled as
 * tail calls, so that the calling function appears in the call path.
 */
#ifndef OPPROBE_H
#define OPPROBE_H

#include <errno.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Load the addresses of the functions from the GOT. Otherwise, in a program with a fixed address,
 * the linker would set the addresses of missing functions to NULL for good. */
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ < 7
#define OPPROBE_WEAK	__attribute__((weak, visibility("default")))
#else
#define OPPROBE_WEAK	__attribute__((weak, noplt, visibility("default")))
#endif
#ifdef OPPROBE_C		/* defined by the source file that implements these functions */
#undef OPPROBE_WEAK
#define OPPROBE_WEAK	__attribute__((visibility("default")))
#endif

#define OPPROBE_ASYNC	2u	/* flag of a metric: opprobe_sample() counts this metric */

/* Each function returns 0 on success and a negative errno on failure, unless its comment says
 * otherwise. */

/* Set the maximum number of metrics. By default, this is 64 minus the number of metrics of
 * opprobe's events. */
int opprobe_set_max_metrics(int max) OPPROBE_WEAK;

/*
 * Create a metric. @name: at most 31 characters; NULL: the metric counts nothing until
 * opprobe_set_metric() names it. @flags: OPPROBE_ASYNC or 0. @period: amount that one count
 * represents (0 means 1). A deleted metric with the same arguments is reused. Return the metric's
 * number, or -EEXIST if the name is in use, or -ENOSPC.
 */
int opprobe_new_metric(const char *name, unsigned int flags, uint64_t period) OPPROBE_WEAK;
/* Name a metric that was created without a name. Return -EBUSY if it already has a name. */
int opprobe_set_metric(int metric, const char *name, unsigned int flags,
		       uint64_t period) OPPROBE_WEAK;
/* Stop counting the metric. Its counts so far are kept. */
int opprobe_delete_metric(int metric) OPPROBE_WEAK;

/*
 * Add @value to the metric at the caller's call path. With @unwinds 2, use the caller's caller
 * instead (for example in a replacement of malloc()), and so on; opprobe_record() uses @unwinds 1.
 * Return -EINVAL if the metric does not exist; -EAGAIN if the value was lost, with the cause
 * counted in the file; or -EBUSY if called in a signal handler that has interrupted the probe.
 */
int opprobe_record(int metric, uint64_t value) OPPROBE_WEAK;
int opprobe_record_with_unwind(int metric, uint64_t value, int unwinds) OPPROBE_WEAK;

/* Count a sample at the call path that a signal interrupted. Call this function in a signal handler
 * that was installed with SA_SIGINFO; @ucontext is the handler's third argument. opprobe_sample()
 * adds 1 to each metric with OPPROBE_ASYNC; opprobe_sample_metric() adds @value to one metric. */
int opprobe_sample(const void *ucontext) OPPROBE_WEAK;
int opprobe_sample_metric(int metric, uint64_t value, const void *ucontext) OPPROBE_WEAK;

/*
 * opprobe_stop() stops the counting of all metrics and events in all threads, and opprobe_start()
 * resumes the counting. While counting is stopped, the probe still counts the free() of heap blocks
 * whose allocation was counted.
 */
void opprobe_start(void) OPPROBE_WEAK;
void opprobe_stop(void) OPPROBE_WEAK;

#ifndef OPPROBE_C
/* In a program with a fixed address, clang does not load an address from the GOT by itself, so load
 * it by assembler code. */
#if defined(__clang__) && defined(__x86_64__) && defined(__LP64__) && !defined(__PIC__)
#define OPPROBE_AT(f)								\
({										\
	__typeof__(&f) at_;							\
										\
	__asm__(".weak " #f "\n\tmovq " #f "@GOTPCREL(%%rip), %0" : "=r"(at_));	\
	at_;									\
})
#else
#define OPPROBE_AT(f)	(f)
#endif

#define OPPROBE_INLINE	static inline __attribute__((always_inline, unused))

/* Return @ret. The code after the call prevents a tail call. */
OPPROBE_INLINE int opprobe_called_(int ret)
{
	__asm__ volatile("" : "+r"(ret));
	return ret;
}

OPPROBE_INLINE void opprobe_start_(void)
{
	if (OPPROBE_AT(opprobe_start))
		OPPROBE_AT(opprobe_start)();
}

OPPROBE_INLINE void opprobe_stop_(void)
{
	if (OPPROBE_AT(opprobe_stop))
		OPPROBE_AT(opprobe_stop)();
}

/* Macros replace only calls, so that programs can still test a function's address. */
#define OPPROBE_CALL(f, ...)			opprobe_called_(OPPROBE_AT(f) ? OPPROBE_AT(f)(__VA_ARGS__) : -ENOSYS)
#define opprobe_set_max_metrics(...)		OPPROBE_CALL(opprobe_set_max_metrics, __VA_ARGS__)
#define opprobe_new_metric(...)			OPPROBE_CALL(opprobe_new_metric, __VA_ARGS__)
#define opprobe_set_metric(...)			OPPROBE_CALL(opprobe_set_metric, __VA_ARGS__)
#define opprobe_delete_metric(...)		OPPROBE_CALL(opprobe_delete_metric, __VA_ARGS__)
#define opprobe_record(...)			OPPROBE_CALL(opprobe_record, __VA_ARGS__)
#define opprobe_record_with_unwind(...)		OPPROBE_CALL(opprobe_record_with_unwind, __VA_ARGS__)
#define opprobe_sample(...)			OPPROBE_CALL(opprobe_sample, __VA_ARGS__)
#define opprobe_sample_metric(...)		OPPROBE_CALL(opprobe_sample_metric, __VA_ARGS__)
#define opprobe_start()				opprobe_start_()
#define opprobe_stop()				opprobe_stop_()
#endif

#ifdef __cplusplus
}
#endif

#endif
