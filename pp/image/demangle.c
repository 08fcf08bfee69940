// SPDX-License-Identifier: GPL-2.0-or-later
/* demangle.c -- table of demangled names, within limits of time and memory. */
#include "config.h"
#include "pp/image/demangle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/hash.h"
#include "pp/image/d_name.h"
#include "pp/image/demangle_guard.h"
#include "pp/image/ocaml_name.h"
#include "pp/image/smart_name.h"

#define MAX_MANGLED	16384		/* bytes; compilers do not write longer names */
/* bytes; the time of shortening grows with the square of the length */
#define MAX_SMART	4096
#define FREE_ROOM	(16u << 20)	/* bytes of text, plus ... */
#define MAX_RATIO	16		/* ... for each byte of a mangled name */
#define FREE_TIME	200000		/* ns; few names of real programs need a tenth of it */
#define ALL_TIME	1000000000u	/* ns, for all names that need more */

struct pp_demangled {
	const char *name;	/* NULL: a free slot */
	const char *text;
	enum pp_demangle how;
};

void pp_demangler_init(struct pp_demangler *d, struct pp_block **strings)
{
	*d = (struct pp_demangler){ .strings = strings, .room = FREE_ROOM, .time = ALL_TIME };
}

void pp_demangler_release(struct pp_demangler *d)
{
	pp_demangle_guard_free(d->guard);
	pp_intern_release(&d->texts);
	free(d->names);
	*d = (struct pp_demangler){ 0 };
}

static size_t slot_of(const struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	size_t at = op_hash_number(op_hash_text(OP_HASH_BEGIN, name), how) & (d->size - 1);

	while (d->names[at].name && (d->names[at].how != how || strcmp(d->names[at].name, name)))
		at = (at + 1) & (d->size - 1);
	return at;
}

/* At least half of the slots stay empty. */
static int make_room(struct pp_demangler *d)
{
	struct pp_demangled *old = d->names;
	size_t old_size = d->size;

	if (2 * d->nr < d->size)
		return 0;
	d->names = calloc(old_size ? 2 * old_size : 64, sizeof(*d->names));
	if (!d->names) {
		d->names = old;
		return -ENOMEM;
	}
	d->size = old_size ? 2 * old_size : 64;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].name)
			d->names[slot_of(d, old[i].name, old[i].how)] = old[i];
	free(old);
	return 0;
}

/* Subtract a name's cost from the limits for all names. Return -ETIME or -EFBIG if the rest is
 * too small. */
static int pay(struct pp_demangler *d, size_t mangled, int len, uint64_t time)
{
	if (time > FREE_TIME)
		d->time -= time < d->time ? time : d->time;
	if (len < 0)
		return len;
	d->room += (uint64_t)MAX_RATIO * mangled;
	if ((uint64_t)len > d->room)
		return -EFBIG;
	d->room -= len;
	return len;
}

/* Demangle a name that is not a stub's, and subtract its cost. Return the results of
 * pp_demangle_guarded(). */
static int demangle_bare(struct pp_demangler *d, const char *name, const char **ret_text)
{
	uint64_t time;
	int len;

	if (!d->time)
		return -ETIME;
	if (!d->guard) {
		len = pp_demangle_guard_create(&d->guard);
		if (len)
			return len == -ENOMEM ? len : -ETIME;
	}
	len = pp_demangle_guarded(d->guard, name, ret_text, &time);
	return pay(d, strlen(name), len, time);
}

/* Demangle the name that libbfd makes for a function's stub, NAME@plt or NAME@VERSION@plt.
 * *@ret_rest: the text after NAME. */
static char *name_of_stub(const char *name, const char **ret_rest)
{
	const char *rest = strchr(name, '@');
	size_t len = strlen(name);

	if (!rest || len < 4 || strcmp(name + len - 4, "@plt"))
		return NULL;
	*ret_rest = rest;
	return strndup(name, rest - name);
}

/* Return the demangled name, malloc'd. Return NULL without memory, with *@ret_err set, or if the
 * name does not change. */
static char *text_of(struct pp_demangler *d, const char *name, int *ret_err)
{
	const char *rest = "", *text;
	char *stub = name_of_stub(name, &rest), *whole = NULL;
	int len = demangle_bare(d, stub ? stub : name, &text);

	if (len >= 0 && asprintf(&whole, "%s%s", text, rest) < 0) {
		whole = NULL;
		len = -ENOMEM;
	}
	if (len == -ENOENT)
		whole = pp_ocaml_name(name);
	if (len == -ENOENT && !whole)
		whole = pp_d_name(name);
	free(stub);
	d->nr_given_up += len == -EFBIG || len == -ETIME;
	*ret_err = len == -ENOMEM ? len : 0;
	return whole;
}

static const char *make_text(struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	const char *kept;
	char *text = NULL;
	int err = 0;

	if (how != PP_DEMANGLE_NONE && strlen(name) < MAX_MANGLED)
		text = text_of(d, name, &err);
	if (err)
		return NULL;
	if (text && how == PP_DEMANGLE_SMART && strlen(text) <= MAX_SMART)
		pp_smart_name(text);
	kept = pp_intern(&d->texts, d->strings, text ? text : name);
	free(text);
	return kept;
}

const char *pp_demangle(struct pp_demangler *d, const char *name, enum pp_demangle how)
{
	struct pp_demangled *slot;

	if (make_room(d))
		return NULL;
	slot = &d->names[slot_of(d, name, how)];
	if (slot->name)
		return slot->text;
	slot->text = make_text(d, name, how);
	if (!slot->text)
		return NULL;
	slot->name = name;
	slot->how = how;
	d->nr++;
	return slot->text;
}
