/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demangle.h -- names of symbols as programmers write them.
 *
 * The names come from binaries of strangers, and a name of some hundred bytes may stand for gigabytes of text, or
 * take the demangler years. So a text has at most PP_MAX_DEMANGLED bytes, and all texts of one demangler together
 * take a time and a memory that grow with the names only. A name beyond that stays as the linker has it.
 */
#ifndef PP_IMAGE_DEMANGLE_H
#define PP_IMAGE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pp/base/strings.h"

#define PP_MAX_DEMANGLED	65536	/* bytes */

enum pp_demangle {
	PP_DEMANGLE_NONE,
	PP_DEMANGLE_NORMAL,
	PP_DEMANGLE_SMART,	/* and without what the standard library has by default: smart_name.h */
};

struct pp_demangled;
struct pp_demangle_guard;

/* The names of one binary, each demangled once. One thread uses it, from the first name to the release. */
struct pp_demangler {
	struct pp_block **strings;		/* where the texts are kept; the caller's */
	struct pp_intern texts;
	struct pp_demangled *names;		/* by hash of the mangled name and the form */
	size_t nr, size;			/* size: a power of two, or 0 */
	struct pp_demangle_guard *guard;	/* NULL: not needed yet */
	uint64_t room;				/* bytes that further texts may take */
	uint64_t time;				/* ns of CPU time that further costly names may take */
	size_t nr_given_up;			/* names that stay mangled for these limits */
};

void pp_demangler_init(struct pp_demangler *d, struct pp_block **strings);
/* The texts stay. Takes a zeroed struct. */
void pp_demangler_release(struct pp_demangler *d);

/*
 * Return the text of @name, or a copy of a name that is not mangled, or NULL without memory. It lives as long as
 * the caller's strings; equal texts are one pointer. @name must stay until the release.
 */
const char *pp_demangle(struct pp_demangler *d, const char *name, enum pp_demangle how);

#endif
