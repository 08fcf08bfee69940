// SPDX-License-Identifier: GPL-2.0-or-later
/* gmon_functions.c -- functions that gprof accepts, with the samples of the functions that it
 * ignores. */
#include "config.h"
#include "pp/format/gmon_functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/threshold.h"

static int leave_out(struct pp_gmon_functions *f, const char *name, uint64_t count)
{
	char *names;

	f->left_out += count;
	if (f->nr_left_out++ >= PP_GMON_MAX_NAMED)
		return 0;
	if (asprintf(&names, "%s%s%s", f->left_out_names ? f->left_out_names : "",
		     f->left_out_names ? ", " : "", name) < 0)
		return -ENOMEM;
	free(f->left_out_names);
	f->left_out_names = names;
	return 0;
}

static bool begins_at(struct pp_image *image, uint64_t vma)
{
	uint32_t symbol = pp_image_lookup_vma(image, vma);
	struct pp_symbol_info info;

	if (symbol >= PP_RAW)
		return false;
	pp_image_symbol(image, symbol, &info);
	return info.vma == vma;
}

/* Return whether gprof accepts the function, by its raw name. */
static bool is_known(struct pp_image *image, const struct pp_code *code)
{
	uint32_t symbol = pp_image_lookup_vma(image, code->vma);
	struct pp_symbol_info info;

	if (code->kind != PP_CODE_SYMBOL || symbol >= PP_RAW)
		return false;
	pp_image_symbol(image, symbol, &info);
	return !strstr(info.name, "@plt") && pp_gmon_knows(info.name, info.is_local);
}

/* Find the function of a part that the compiler split off: NAME.part.0, NAME.isra.0, ... */
static int find_whole(struct pp_image *image, const struct pp_code *part,
		      struct pp_symbol_info *ret)
{
	static const char *const suffixes[] = { ".part.", ".isra.", ".constprop.", ".cold" };
	uint32_t nr = pp_image_nr_symbols(image), symbol = pp_image_lookup_vma(image, part->vma);
	struct pp_symbol_info info;
	const char *suffix = NULL;
	char *name;
	int found = 0;

	if (part->kind != PP_CODE_SYMBOL || symbol >= PP_RAW)
		return 0;
	pp_image_symbol(image, symbol, &info);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(info.name, suffixes[i]);

		if (at && (!suffix || at < suffix))
			suffix = at;
	}
	name = suffix ? strndup(info.name, suffix - info.name) : NULL;
	for (uint32_t i = 0; name && i < nr && !found; i++) {
		pp_image_symbol(image, i, ret);
		found = !strcmp(ret->name, name) && pp_gmon_knows(ret->name, ret->is_local);
	}
	free(name);
	return found;
}

/* Add the samples of a part, which gprof ignores, to its function. Return whether the function
 * was found. */
static bool add_part(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	struct pp_symbol_info whole;
	struct pp_gmon_function function;

	if (!find_whole(f->image, pp_entry_code(f->profile, entry), &whole))
		return false;
	for (size_t i = 0; i < f->nr; i++) {
		if (f->items[i].start != whole.vma)
			continue;
		f->samples[f->items[i].samples - f->samples].count +=
			entry->counts[f->samples_class];
		return true;
	}
	function = (struct pp_gmon_function){
		.start = whole.vma,
		.end = whole.vma + whole.size,
		.followed = begins_at(f->image, whole.vma + whole.size),
		.samples = f->samples + f->nr_samples,
		.nr_samples = 1,
	};
	if (!pp_gmon_has_bin(&function))
		return false;
	f->samples[f->nr_samples++] =
		(struct pp_gmon_sample){whole.vma, entry->counts[f->samples_class]};
	f->items[f->nr++] = function;
	return true;
}

static bool is_wanted(const struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	return pp_entry_code(f->profile, entry)->binary == f->binary && entry->counts &&
	       pp_entry_details(f->profile, entry) &&
	       pp_reaches(entry->counts + f->samples_class, f->profile->totals + f->samples_class,
			  1, f->threshold);
}

/* Add an entry. Entries without a function for gprof are left to add_unknown(). */
static int add_entry(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(f->profile, entry);
	const struct pp_details *details = pp_entry_details(f->profile, entry);
	struct pp_gmon_function function = {
		.start = code->vma,
		.end = code->vma + code->size,
		.samples = f->samples + f->nr_samples,
	};

	if (!is_wanted(f, entry) || !is_known(f->image, code))
		return 0;
	function.followed = begins_at(f->image, function.end);
	if (!pp_gmon_has_bin(&function))
		return leave_out(f, code->name, entry->counts[f->samples_class]);
	for (size_t i = 0; i < details->nr; i++)
		f->samples[f->nr_samples++] = (struct pp_gmon_sample){
			details->items[i].vma, details->items[i].counts[f->samples_class]
		};
	function.nr_samples = details->nr;
	f->items[f->nr++] = function;
	return 0;
}

static int add_unknown(struct pp_gmon_functions *f, const struct pp_entry *entry)
{
	const struct pp_code *code = pp_entry_code(f->profile, entry);

	if (!is_wanted(f, entry) || is_known(f->image, code) || add_part(f, entry))
		return 0;
	return leave_out(f, code->name, entry->counts[f->samples_class]);
}

static int compare_functions(const void *a, const void *b)
{
	const struct pp_gmon_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

int pp_gmon_functions_collect(struct pp_gmon_functions *f)
{
	const struct pp_profile *profile = f->profile;
	size_t nr_samples = 0;
	int err = 0;

	for (size_t i = 0; i < profile->nr_details; i++)
		nr_samples += profile->details[i].nr;
	f->items = calloc(profile->nr_entries + 1, sizeof(*f->items));
	f->samples = calloc(nr_samples + 1, sizeof(*f->samples));
	f->arcs = calloc(profile->nr_arcs + 1, sizeof(*f->arcs));
	if (!f->items || !f->samples || !f->arcs)
		return -ENOMEM;
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_entry(f, &profile->entries[i]);
	for (size_t i = 0; i < profile->nr_entries && !err; i++)
		err = add_unknown(f, &profile->entries[i]);
	if (f->nr)
		qsort(f->items, f->nr, sizeof(*f->items), compare_functions);
	for (size_t i = 0; i < profile->nr_arcs; i++) {
		const struct pp_code *caller = &profile->codes[profile->arcs[i].caller.code];
		const struct pp_code *callee = &profile->codes[profile->arcs[i].callee.code];

		if (caller->binary == f->binary && callee->binary == f->binary &&
		    is_known(f->image, caller) && is_known(f->image, callee) &&
		    profile->arcs[i].counts[f->calls_class])
			f->arcs[f->nr_arcs++] = (struct pp_gmon_arc){
				caller->vma, callee->vma, profile->arcs[i].counts[f->calls_class]
			};
	}
	return err;
}

void pp_gmon_functions_release(struct pp_gmon_functions *f)
{
	free(f->items);
	free(f->samples);
	free(f->arcs);
	free(f->left_out_names);
}
