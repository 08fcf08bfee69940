/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle_guard.h -- calls of libiberty's demanglers with limits of output and CPU time.
 *
 * libiberty has no limits and no way to cancel a call. So a call is left by siglongjmp(), from the
 * output callback or from a timer's handler. The C++ demangler allocates no memory. The Rust
 * demangler allocates memory, so only the output callback may leave a call of it.
 */
#ifndef PP_IMAGE_DEMANGLE_GUARD_H
#define PP_IMAGE_DEMANGLE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define PP_DEMANGLE_TIME	50000000	/* limit of CPU time for one name, in ns */

struct pp_demangle_guard;

/* Create a guard, which only the calling thread may use. Return 0, -ENOMEM, or another negative
 * errno if no timer can be made. */
int pp_demangle_guard_create(struct pp_demangle_guard **ret);
/* Free the guard. Accepts NULL. */
void pp_demangle_guard_free(struct pp_demangle_guard *guard);

/*
 * Demangle @name. Return the length of *@ret_text, which the guard owns until the next call;
 * -ENOENT when @name is not mangled; -EFBIG when its text has PP_MAX_DEMANGLED bytes or more;
 * -ETIME when it took too long. *@ret_time: the CPU time used, in ns, 0 for names that cannot take
 * long; set on errors, too.
 */
int pp_demangle_guarded(struct pp_demangle_guard *guard, const char *name, const char **ret_text,
			uint64_t *ret_time);

#endif
