// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walks.c -- replacements of functions that walk the stack, such as backtrace() and functions that
 * raise exceptions: they remove the marker (marker.h) before the walk.
 *
 * With a marker on the stack, the walk would find an additional frame in the trampoline. libgcc
 * identifies the frame that catches an exception by its stack pointer. It would mistake the
 * trampoline's frame for the catching frame and end the program. A marker is never placed at the
 * frame of a function that walks the stack, or at a frame outside of it. So no marker is placed
 * until the walk ends.
 *
 * Each replacement tail-calls the real function, because otherwise the walk would also find the
 * frame of the replacement. A thread that is cancelled or calls pthread_exit() walks its stack
 * inside the C library, where functions cannot be replaced. But in this case no frame catches an
 * exception, so the additional frame does no harm.
 */
#include "config.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <unwind.h>

#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

typedef struct _Unwind_Exception exception;

/* The real functions that this library replaces, looked up once per process. Global, because a
 * replacement has only the arguments of the real function. */
static struct {
	int (*backtrace)(void **buffer, int size);
	_Unwind_Reason_Code (*unwind_backtrace)(_Unwind_Trace_Fn trace, void *arg);
	_Unwind_Reason_Code (*raise)(exception *e);
	_Unwind_Reason_Code (*raise_again)(exception *e);
	_Unwind_Reason_Code (*force)(exception *e, _Unwind_Stop_Fn stop, void *arg);
	void (*resume)(exception *e);
} real;

EXPORT const char opprobe_marker_library[] = "libopprobe_marker.so";

/* Look up the function @name of the unwinder. The unwinder's library may be loaded later than this
 * library, and its functions need not be globally visible. */
static void *unwinder(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name),
	     *library = next ? NULL : dlopen("libgcc_s.so.1", RTLD_LAZY);

	return library ? dlsym(library, name) : next;
}

__attribute__((constructor)) static void find_real(void)
{
	*(void **)&real.backtrace = dlsym(RTLD_NEXT, "backtrace");
	*(void **)&real.unwind_backtrace = unwinder("_Unwind_Backtrace");
	*(void **)&real.raise = unwinder("_Unwind_RaiseException");
	*(void **)&real.raise_again = unwinder("_Unwind_Resume_or_Rethrow");
	*(void **)&real.force = unwinder("_Unwind_ForcedUnwind");
	*(void **)&real.resume = unwinder("_Unwind_Resume");
}

/* Prepare for calling the real @function: remove the marker, and look up the real function if
 * necessary. The caller then tail-calls it. */
#define BEFORE(function)				\
do {							\
	opprobe_walks();					\
	if (!real.function)				\
		find_real();				\
	if (!real.function)				\
		abort();				\
} while (0)

EXPORT int backtrace(void **buffer, int size)
{
	BEFORE(backtrace);
	return real.backtrace(buffer, size);
}

EXPORT _Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn trace, void *arg)
{
	BEFORE(unwind_backtrace);
	return real.unwind_backtrace(trace, arg);
}

EXPORT _Unwind_Reason_Code _Unwind_RaiseException(exception *e)
{
	BEFORE(raise);
	return real.raise(e);
}

EXPORT _Unwind_Reason_Code _Unwind_Resume_or_Rethrow(exception *e)
{
	BEFORE(raise_again);
	return real.raise_again(e);
}

EXPORT _Unwind_Reason_Code _Unwind_ForcedUnwind(exception *e, _Unwind_Stop_Fn stop, void *arg)
{
	BEFORE(force);
	return real.force(e, stop, arg);
}

EXPORT void _Unwind_Resume(exception *e)
{
	BEFORE(resume);
	real.resume(e);
}
