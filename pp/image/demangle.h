/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h -- demangling of symbol names.
 *
 * Any user may write the binaries. A mangled name of a few hundred bytes can have gigabytes of
 * output, or keep the demangler busy for years. So a demangled name has less than PP_MAX_DEMANGLED
 * bytes, and the time and memory for all names of one demangler are proportional to the length of
 * the mangled names. A name that would exceed these limits stays mangled.
 */
#ifndef PP_IMAGE_DEMANGLE_H
#define PP_IMAGE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"

/*
 * Shortening of C++ names: removes default template arguments of the standard library, and uses the
 * library's usual names of types, such as std::string.
 */

/* Shorten a demangled name in place. Public only for tests. */
void pp_smart_name(char *name);

/* size of a buffer for a demangled name, including the NUL */
#define PP_MAX_DEMANGLED	65536

enum pp_demangle {
	PP_DEMANGLE_NONE,
	PP_DEMANGLE_NORMAL,
	/* demangle the name, then shorten it with pp_smart_name() */
	PP_DEMANGLE_SMART,
};

struct pp_demangled;
struct pp_demangle_guard;

/* Demangler of one binary's names, which demangles each name once. The thread that demangles the
 * first name must also demangle all other names and release the demangler. */
struct pp_demangler {
	struct pp_block **strings; /* memory of the demangled names, owned by the caller */
	struct pp_intern texts;
	/* hash table of demangled names, by mangled name and form */
	struct pp_demangled *names;
	size_t nr, size; /* .size: number of hash slots, a power of two or 0 */
	struct pp_demangle_guard *guard; /* guard of calls of libiberty; NULL: not created yet */
	/* number of bytes of output that all further names together may have */
	uint64_t room;
	uint64_t time; /* CPU time in ns that further names may use, if they exceed FREE_TIME */
	/* number of names that stayed mangled because of the limits */
	size_t nr_given_up;
};

void pp_demangler_init(struct pp_demangler *d, struct pp_block **strings);
/* Free the demangler, but not the names, which are in .strings. @d may be zeroed. */
void pp_demangler_release(struct pp_demangler *d);

/*
 * Return the demangled @name, or a copy if @name is not mangled, or NULL if out of memory. The
 * result is in the caller's strings; equal results have the same pointer. @name must stay valid
 * until the demangler is released.
 */
const char *pp_demangle(struct pp_demangler *d, const char *name, enum pp_demangle how);

#endif
