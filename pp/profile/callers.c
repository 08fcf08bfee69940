// SPDX-License-Identifier: GPL-2.0-or-later
/* callers.c -- detection of functions that allocate for their callers. */
#include "config.h"
#include "pp/profile/callers.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/arcs.h"

/* Linker names of operator new, the standard library of C++, and the allocator of Rust. */
static const char *const raw_allocators[] = {
	"_Znw*",	  "_Zna*",	     "_ZSt*",	   "_ZNSt*",   "_ZNKSt*",
	"_ZN9__gnu_cxx*", "_ZNK9__gnu_cxx*", "_ZN5alloc*", "__rust_*", NULL};

/* Names without parameters of C libraries' functions and of usual wrappers. */
static const char *const allocators[] = {
	"malloc",     "calloc",	       "realloc",	 "reallocarray",
	"memalign",   "aligned_alloc", "posix_memalign", "strdup",
	"strndup",    "[ex]malloc",    "[ex]calloc",	 "[ex]realloc",
	"[ex]strdup", "[ex]strndup",   "[ex]memdup",	 "g_malloc*",
	"g_realloc*", "g_try_malloc*", "g_try_realloc*", "g_slice_*",
	"g_strdup*",  "g_strndup",     "g_memdup*",	 NULL};

bool pp_callers_count(const struct pp_callers *callers, size_t class)
{
	const char *unit = pp_class_unit(&callers->session->classes.items[class]);

	return !strcmp(unit, "bytes") || !strcmp(unit, "calls");
}

static bool matches(const char *const *globs, const char *name)
{
	for (size_t i = 0; globs[i]; i++)
		if (!fnmatch(globs[i], name, 0))
			return true;
	return false;
}

bool pp_callers_is_allocator(const struct pp_callers *callers, const char *shown, const char *raw)
{
	char base[256];
	size_t len = strcspn(shown, "(");

	if (matches(raw_allocators, raw) || pp_values_match(callers->allocators, shown) ||
	    pp_values_match(callers->allocators, raw))
		return true;
	if (len >= sizeof(base))
		return false;
	memcpy(base, shown, len);
	base[len] = '\0';
	return matches(allocators, base) || pp_values_match(callers->allocators, base);
}

uint32_t pp_callers_node(const struct pp_callers *callers, const struct pp_profile *profile,
			 uint32_t node)
{
	const struct pp_paths *paths = profile->paths;

	for (; node != PP_PATH_ROOT; node = paths->nodes[node].parent) {
		const struct pp_place *place = pp_path_place(paths, node);
		const struct pp_code *code =
			place->code == PP_NO_CODE ? NULL : &profile->codes[place->code];
		bool is_inlined = place->kind == PP_PLACE_INLINED;
		const char *shown = is_inlined ? place->name : code ? code->name : NULL;
		const char *raw = is_inlined ? place->raw : code ? code->raw : NULL;

		if (shown && place->file && place->line &&
		    !pp_callers_is_allocator(callers, shown, raw ? raw : shown))
			break;
	}
	return node;
}

uint32_t pp_callers_binary(const struct pp_profile *profile, uint32_t node)
{
	const struct pp_paths *paths = profile->paths;

	for (; node != PP_PATH_ROOT; node = paths->nodes[node].parent) {
		const struct pp_place *place = pp_path_place(paths, node);

		if (place->code != PP_NO_CODE)
			return profile->codes[place->code].binary;
		for (size_t i = 0; place->kind == PP_PLACE_PROGRAM && i < profile->nr_groups; i++)
			if (!strcmp(profile->groups[i].app, place->name))
				return profile->groups[i].binary;
	}
	return 0;
}
