/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h -- names of symbols as programmers write them.
 *
 * Any user may write the binaries, and a name of some hundred bytes can have gigabytes of demangled
 * text or keep the demangler busy for years. So a text has less than PP_MAX_DEMANGLED bytes, and
 * the time and memory of all texts of one demangler grow only with the length of the names. A name
 * that would exceed these limits stays mangled.
 */
#ifndef PP_IMAGE_DEMANGLE_H
#define PP_IMAGE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/block.h"

/*
 * Short forms of C++ names: without default arguments of the standard library's templates, and with
 * the library's usual names of types, such as std::string.
 */

/* Shorten a demangled name in place. Declared for tests. */
void pp_smart_name(char *name);

/* size of a buffer for a demangled name, including the NUL */
#define PP_MAX_DEMANGLED	65536

enum pp_demangle {
	PP_DEMANGLE_NONE,
	PP_DEMANGLE_NORMAL,
	/* demangle the name, then shorten it by pp_smart_name() */
	PP_DEMANGLE_SMART,
};

struct pp_demangled;
struct pp_demangle_guard;

/* The names of one binary, each demangled once. The thread that demangles the first name must also
 * demangle all other names and release the demangler. */
struct pp_demangler {
	struct pp_block **strings; /* memory of the demangled texts; the caller owns it */
	struct pp_intern texts;
	/* hash table of names, indexed by mangled name and form */
	struct pp_demangled *names;
	size_t nr, size;			/* size: the number of slots, a power of two or 0 */
	struct pp_demangle_guard *guard; /* guard for calls of libiberty; NULL: not created yet */
	/* number of bytes that may still be allocated for texts */
	uint64_t room;
	uint64_t time; /* CPU time, in ns, left for names that need more than FREE_TIME */
	/* number of names that stay mangled because .room or .time is used up */
	size_t nr_given_up;
};

void pp_demangler_init(struct pp_demangler *d, struct pp_block **strings);
/* Release the demangler, but not the texts, which are in .strings. Accepts a zeroed struct. */
void pp_demangler_release(struct pp_demangler *d);

/*
 * Return the text of @name, or a copy of a name that is not mangled; NULL if memory is short.
 * The text lives as long as the caller's strings; equal texts have the same pointer. @name must
 * stay valid until the release.
 */
const char *pp_demangle(struct pp_demangler *d, const char *name, enum pp_demangle how);

#endif
