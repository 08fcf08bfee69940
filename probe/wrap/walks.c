// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * walks.c -- functions that walk the program's own stack, for the program itself or for an
 * exception.
 *
 * There must be no marked return address during such a walk. The trampoline has call frame
 * information, but it adds a frame. libgcc finds the catching frame by its stack pointer, would
 * take the trampoline's frame for it, and would end the program. Functions that walk are never
 * marked, so no marker is placed until they are done. Each jumps to the real function, because its
 * own frame would be walked too. Threads that end are unwound inside the C library, where no
 * function can be replaced: no frame catches, so the call frame information suffices.
 */
#include "config.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <unwind.h>

#include "probe/wrap/calls.h"

#define EXPORT	__attribute__((visibility("default")))

typedef struct _Unwind_Exception exception;

/* The functions of the C library behind the replaced ones, found once for the process. */
static struct {
	int (*backtrace)(void **buffer, int size);
	_Unwind_Reason_Code (*unwind_backtrace)(_Unwind_Trace_Fn trace, void *arg);
	_Unwind_Reason_Code (*raise)(exception *e);
	_Unwind_Reason_Code (*raise_again)(exception *e);
	_Unwind_Reason_Code (*force)(exception *e, _Unwind_Stop_Fn stop, void *arg);
	void (*resume)(exception *e);
} real;

EXPORT const char opprobe_marker_library[] = "libopprobe_marker.so";

/* The library with most of these functions may be loaded later than this one, and without global
 * visibility. */
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

/* Jump to @function, so that it sees our caller. */
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
