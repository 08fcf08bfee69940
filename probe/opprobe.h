/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opprobe.h -- for programs that count something of their own, by call path: opprobe.3.
 *
 * Nothing has to be linked: where opprobe(1) runs the program, its library has these functions; elsewhere they do nothing and
 * give -ENOSYS. A call of one is never made a jump, so that the function that calls it is in the path.
 */
#ifndef OPPROBE_H
#define OPPROBE_H

#include <errno.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* By way of a table, as otherwise a program of a fixed address would have it settled before it runs that they are not there. */
#if defined(__clang__) || !defined(__GNUC__) || __GNUC__ < 7
#define OPPROBE_WEAK	__attribute__((weak, visibility("default")))
#else
#define OPPROBE_WEAK	__attribute__((weak, noplt, visibility("default")))
#endif
#ifdef OPPROBE_C		/* what has the functions itself */
#undef OPPROBE_WEAK
#define OPPROBE_WEAK	__attribute__((visibility("default")))
#endif

#define OPPROBE_ASYNC	2u	/* of a metric: opprobe_sample() counts it */

/* All give 0, a metric or what is said, or negative errno. */

/* How many metrics there may be at most; without it 64, less those of the events that opprobe was asked for. */
int opprobe_set_max_metrics(int max) OPPROBE_WEAK;

/*
 * A metric: of @name (31 characters at most; NULL: it has none yet, and counts nothing), OPPROBE_ASYNC or 0, and what one of it
 * stands for (0 is 1). -EEXIST: there is one of that name; -ENOSPC. One that was deleted comes back where all three are the same.
 */
int opprobe_new_metric(const char *name, unsigned int flags, uint64_t period) OPPROBE_WEAK;
/* Names one that has no name: -EBUSY: it has. */
int opprobe_set_metric(int metric, const char *name, unsigned int flags, uint64_t period) OPPROBE_WEAK;
/* No more of it is counted; what was stays. */
int opprobe_delete_metric(int metric) OPPROBE_WEAK;

/*
 * Adds @value to the metric, in the path of who calls this (@unwinds 1), or who called that (2, for what stands in for malloc(),
 * say), and so on. -EINVAL: there is no such metric; -EAGAIN: it is lost, and the file says why; -EBUSY: this is in a handler
 * that has interrupted the library.
 */
int opprobe_record(int metric, uint64_t value) OPPROBE_WEAK;
int opprobe_record_with_unwind(int metric, uint64_t value, int unwinds) OPPROBE_WEAK;

/* For signal handlers with SA_SIGINFO, which pass their third argument: one of each metric that is OPPROBE_ASYNC, or @value of
 * one, in the path that the signal has interrupted. */
int opprobe_sample(const void *ucontext) OPPROBE_WEAK;
int opprobe_sample_metric(int metric, uint64_t value, const void *ucontext) OPPROBE_WEAK;

/* Counts again, or counts nothing, of all threads, whatever it is; but what is freed of counted blocks of the heap. */
void opprobe_start(void) OPPROBE_WEAK;
void opprobe_stop(void) OPPROBE_WEAK;

#ifndef OPPROBE_C
/* clang asks no table where the address is fixed. */
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

/* What stands behind a call keeps it from being a jump. */
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

/* The names themselves stay for who asks whether they are there. */
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
