// SPDX-License-Identifier: GPL-2.0-or-later
/* subsystems.c -- sums the samples of the kernel's functions by subsystem. */
#include "config.h"
#include "pp/profile/subsystems.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/base/block.h"

#define USER_CODE	"(user code)"
#define OTHER_CODE	"(other)"

/* Top-level directories of the kernel's source. "usr" is omitted, because it also occurs in other
 * paths. */
static const char *const folders[] = {
	"arch", "block", "certs", "crypto", "drivers", "fs", "include", "init", "io_uring", "ipc",
	"kernel", "lib", "mm", "net", "rust", "security", "sound", "virt",
};

static bool is_folder(const char *path)
{
	size_t len = strcspn(path, "/");

	if (path[len] != '/')
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strlen(folders[i]) == len && !memcmp(path, folders[i], len))
			return true;
	return false;
}

/* Return the next component of @path, or NULL if there are no more components. */
static const char *next_part(const char *path)
{
	const char *slash = strchr(path, '/');

	return slash ? slash + 1 : NULL;
}

/* Return the part of @path below the root of the kernel's source. It begins with a top-level
 * directory of the source, preferably one after a component such as "linux-6.1". Modules are below
 * /lib/modules/RELEASE/kernel. Return NULL if the path has no such directory. */
static const char *below_top(const char *path)
{
	const char *module = strstr(path, "/lib/modules/"), *part, *tree = NULL;

	if (module) {
		path = strstr(module, "/kernel/");
		if (!path)
			return NULL;
		path += strlen("/kernel/");
	}
	for (part = path; part; part = next_part(part))
		if (!strncmp(part, "linux", 5) && strchr(part, '/'))
			tree = next_part(part);
	for (part = tree ? tree : path; part; part = next_part(part))
		if (is_folder(part))
			return part;
	return NULL;
}

bool pp_subsystem_of_file(char *buf, size_t size, const char *path)
{
	const char *first = below_top(path), *second, *end;

	if (!first)
		return false;
	second = next_part(first);
	end = second ? strchr(second, '/') : NULL;
	if (!end)	/* the file is directly in the top-level directory */
		end = second ? second - 1 : first + strlen(first);
	snprintf(buf, size, "%.*s", (int)(end - first), first);
	return true;
}

static bool is_kernel(const struct pp_binary *binary)
{
	return binary->name->kind == OP_IMAGE_KERN || binary->samples.is_kernel;
}

const char *pp_subsystem_of_code(char *buf, size_t size, const struct pp_code *code,
				 const struct pp_binary *binary)
{
	const char *name;

	if (!is_kernel(binary))
		return NULL;
	if (code->kind != PP_CODE_SYMBOL)
		return OTHER_CODE;
	if (code->file && pp_subsystem_of_file(buf, size, code->file))
		return buf;
	if (binary->info.path && strstr(binary->info.path, "/lib/modules/") &&
	    pp_subsystem_of_file(buf, size, binary->info.path))
		return buf;
	name = pp_subsystem_of_name(code->name);
	if (!name) {	/* the names of a module's functions often begin with the module's name */
		snprintf(buf, size, "%s_", binary->title);
		name = pp_subsystem_of_name(buf);
	}
	return name ? name : OTHER_CODE;
}

/* A row of the result: the entry that sums the samples of a group (program and binary) in a
 * subsystem. */
struct fold {
	const char *name;	/* name of the subsystem, interned */
	uint32_t group, entry;
};

static int compare_folds(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->name != y->name)
		return (uintptr_t)x->name < (uintptr_t)y->name ? -1 : 1;
	return x->entry < y->entry ? -1 : 1;
}

/* Replace the name of each code (function) by the name of its subsystem. */
static int rename_codes(struct pp_profile *profile)
{
	struct pp_intern names = { .slots = NULL };
	char buf[256];
	int err = 0;

	for (size_t i = 0; i < profile->nr_codes && !err; i++) {
		struct pp_code *code = &profile->codes[i];
		const char *line = pp_subsystem_of_code(buf, sizeof(buf), code,
							&profile->binaries[code->binary]);

		code->name = pp_intern(&names, &profile->strings, line ? line : USER_CODE);
		code->raw = NULL;
		code->file = NULL;
		code->line = 0;
		code->kind = PP_CODE_SUBSYSTEM;
		err = code->name ? 0 : -ENOMEM;
	}
	pp_intern_release(&names);
	return err;
}

int pp_subsystems_fold(struct pp_profile *profile)
{
	struct fold *folds = calloc(profile->nr_entries + 1, sizeof(*folds));
	size_t nr = 0;
	int err = folds ? rename_codes(profile) : -ENOMEM;

	if (err) {
		free(folds);
		return err;
	}
	for (size_t i = 0; i < profile->nr_entries; i++) {
		const struct pp_entry *entry = &profile->entries[i];

		folds[i] = (struct fold){ pp_entry_code(profile, entry)->name, entry->group, i };
	}
	qsort(folds, profile->nr_entries, sizeof(*folds), compare_folds);
	for (size_t i = 0; i < profile->nr_entries; i++) {
		struct pp_entry *first, *entry = &profile->entries[folds[i].entry];

		if (!i || folds[i].group != folds[i - 1].group ||
		    folds[i].name != folds[i - 1].name) {
			folds[nr++] = folds[i];
			continue;
		}
		first = &profile->entries[folds[nr - 1].entry];
		for (size_t c = 0; c < profile->nr_counts; c++)
			first->counts[c] += entry->counts[c];
		entry->counts = NULL;
	}
	nr = 0;
	for (size_t i = 0; i < profile->nr_entries; i++)
		if (profile->entries[i].counts)
			profile->entries[nr++] = profile->entries[i];
	profile->nr_entries = nr;
	free(folds);
	return 0;
}
