/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opprobe.h -- counting a program's own metrics by call path: see opprobe.3.
 *
 * The program links no library: when opprobe(1) runs it, the probe provides these functions;
 * otherwise they do nothing and return -ENOSYS. A call of such a function never becomes a jump, so
 * that the calling function is in the path.
 */
#ifndef OPPROBE_H
#define OPPROBE_H

#include <errno.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Take the addresses from a table: otherwise the linker of a program at a fixed address would
 * resolve the missing functions to NULL before it runs. */
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ < 7
#define OPPROBE_WEAK	__attribute__((weak, visibility("default")))
#else
#define OPPROBE_WEAK	__attribute__((weak, noplt, visibility("default")))
#endif
#ifdef OPPROBE_C		/* the implementation itself */
#undef OPPROBE_WEAK
#define OPPROBE_WEAK	__attribute__((visibility("default")))
#endif

#define OPPROBE_ASYNC	2u	/* flag of a metric: opprobe_sample() counts it */

/* Each function returns 0, or the value described, or a negative errno. */

/* Set the maximum number of metrics. The default is 64, less the metrics of opprobe's events. */
int opprobe_set_max_metrics(int max) OPPROBE_WEAK;

/* Create a metric. @name: at most 31 characters; NULL: not named yet, so it counts nothing. @flags:
 * OPPROBE_ASYNC or 0. @period: the amount that one unit stands for (0 is 1). A deleted metric with
 * equal arguments is used again. Return the metric, -EEXIST if the name is used, or -ENOSPC. */
int opprobe_new_metric(const char *name, unsigned int flags, uint64_t period) OPPROBE_WEAK;
/* Name a metric without a name. Return -EBUSY if it has a name. */
int opprobe_set_metric(int metric, const char *name, unsigned int flags,
		       uint64_t period) OPPROBE_WEAK;
/* Stop counting the metric; its counts stay. */
int opprobe_delete_metric(int metric) OPPROBE_WEAK;

/* Add @value to the metric at the path of the caller (@unwinds 1), of the caller's caller (2, for a
 * replacement of malloc(), for example), and so on. Return -EINVAL if the metric does not exist;
 * -EAGAIN if the value is lost, with the cause in the file; or -EBUSY in a handler that interrupted
 * the library. */
int opprobe_record(int metric, uint64_t value) OPPROBE_WEAK;
int opprobe_record_with_unwind(int metric, uint64_t value, int unwinds) OPPROBE_WEAK;

/* For signal handlers with SA_SIGINFO, which pass their third argument: add one to each metric with
 * OPPROBE_ASYNC, or @value to one metric, at the path that the signal interrupted. */
int opprobe_sample(const void *ucontext) OPPROBE_WEAK;
int opprobe_sample_metric(int metric, uint64_t value, const void *ucontext) OPPROBE_WEAK;

/* Resume or stop counting of all metrics and events in all threads. The freeing of counted heap
 * blocks is always counted. */
void opprobe_start(void) OPPROBE_WEAK;
void opprobe_stop(void) OPPROBE_WEAK;

#ifndef OPPROBE_C
/* clang uses no table where the address is fixed. */
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

/* An operation after a call keeps the compiler from making it a jump. */
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

/* The names themselves stay available for programs that test their addresses. */
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
