/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_guard.h -- calls of libiberty's demanglers with limits on output and CPU time.
 *
 * libiberty has no limits and cannot cancel a call. So siglongjmp() leaves a call, from the output
 * callback or from the handler of a timer. The C++ demangler allocates no memory. The Rust
 * demangler does, so only the output callback may leave it.
 */
#ifndef PP_IMAGE_DEMANGLE_GUARD_H
#define PP_IMAGE_DEMANGLE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define PP_DEMANGLE_TIME	50000000	/* maximum CPU time for one name, in ns */

struct pp_demangle_guard;

/* Create a guard, which only the calling thread may use. Return 0, -ENOMEM, or another negative
 * errno if no timer can be created. */
int pp_demangle_guard_create(struct pp_demangle_guard **ret);
/* Free the guard. @guard may be NULL. */
void pp_demangle_guard_free(struct pp_demangle_guard *guard);

/*
 * Demangle @name. Return the length of *@ret_text, which is valid until the next call. Return
 * -ENOENT if @name is not mangled, -EFBIG if the result has PP_MAX_DEMANGLED bytes or more, or
 * -ETIME if the time limit was exceeded. In all cases set *@ret_time to the CPU time in ns; 0 for
 * names that cannot take long.
 */
int pp_demangle_guarded(struct pp_demangle_guard *guard, const char *name, const char **ret_text,
			uint64_t *ret_time);

#endif
