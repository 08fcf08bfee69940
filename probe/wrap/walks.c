// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walks.c -- the program's own stack is walked: for itself, or for an exception.
 *
 * There must be no marked return address then. The call frame information of the trampoline leads through one, but as a frame
 * more; and libgcc, which finds the frame that catches by the stack pointer, takes that frame for it, and ends the program.
 * What walks is never marked, so there is none until it is done. Each goes over to the real function by a jump, or it would be
 * a frame itself. Threads that end are unwound by the C library, which nobody can stand in for: that needs no frame that catches,
 * and the call frame information will do.
 */
#include "config.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <unwind.h>

#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

typedef struct _Unwind_Exception exception;

static struct {
	int (*backtrace)(void **buffer, int size);
	_Unwind_Reason_Code (*unwind_backtrace)(_Unwind_Trace_Fn trace, void *arg);
	_Unwind_Reason_Code (*raise)(exception *e);
	_Unwind_Reason_Code (*raise_again)(exception *e);
	_Unwind_Reason_Code (*force)(exception *e, _Unwind_Stop_Fn stop, void *arg);
	void (*resume)(exception *e);
} real;

EXPORT const char opprobe_marker_library[] = "libopprobe_marker.so";

/* The library that has most of them may come later than this one, and be seen by nobody but who asked for it. */
static void *unwinder(const char *name)
{
	void *next = dlsym(RTLD_NEXT, name), *library = next ? NULL : dlopen("libgcc_s.so.1", RTLD_LAZY);

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

/* As a caller of @function, which is in the library that has it. */
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
