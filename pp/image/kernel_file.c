// SPDX-License-Identifier: GPL-2.0-or-later
/* kernel_file.c -- searches the directories in which distributions install kernel files, and checks
 * that a file belongs to the profiled kernel. */
#include "config.h"
#include "pp/image/kernel_file.h"

#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/search.h"
#include "pp/image/debug_file.h"

/* value in .bases for a section whose address is unknown */
#define NO_BASE		(UINT64_MAX / 2)
/* minimum number of functions that must have the same addresses in the file and in the session */
#define MIN_AGREEING	8

/* The kernel functions in the session's symbols, sorted by name. Ambiguous names are omitted. */
struct names {
	const struct op_ksym **items;
	size_t nr;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(const struct op_ksym *const *)a)->name,
		      (*(const struct op_ksym *const *)b)->name);
}

static int names_make(struct names *ret, const struct op_kimage *image)
{
	size_t nr = 0, kept = 0;
	const struct op_ksym **items = malloc((image->nr_syms + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < image->nr_syms; i++)
		if (image->syms[i].type && strchr("tT", image->syms[i].type))
			items[nr++] = &image->syms[i];
	qsort(items, nr, sizeof(*items), compare_names);
	for (size_t i = 0, j; i < nr; i = j) {
		for (j = i + 1; j < nr && !strcmp(items[i]->name, items[j]->name); j++)
			;
		if (j == i + 1)
			items[kept++] = items[i];
	}
	*ret = (struct names){ items, kept };
	return 0;
}

static const struct op_ksym *find_name(const struct names *names, const char *name)
{
	size_t at = op_partition_point(i, names->nr, strcmp(names->items[i]->name, name) < 0);

	return at < names->nr && !strcmp(names->items[at]->name, name) ? names->items[at] : NULL;
}

/* Result of comparing the addresses of functions in a file with the addresses in the session. */
struct agreement {
	size_t same, other;
};

static void compare_kernel(struct agreement *ret, const struct pp_elf_symbols *symbols,
			   const struct names *names, uint64_t stext)
{
	for (size_t i = 0; i < symbols->nr; i++) {
		const struct pp_elf_symbol *s = &symbols->items[i];
		const struct op_ksym *known;

		if (s->type != STT_FUNC || !s->defined)
			continue;
		known = find_name(names, s->name);
		if (known && known->offset == s->value - stext)
			ret->same++;
		else if (known)
			ret->other++;
	}
}

/* Compute the start of each section from the section's first function. Count how many other
 * functions agree or disagree with that start. */
static void place_sections(struct agreement *ret, struct pp_kernel_file *file,
			   const struct pp_elf_symbols *symbols, const struct names *names)
{
	for (size_t i = 0; i < symbols->nr; i++) {
		const struct pp_elf_symbol *s = &symbols->items[i];
		const struct op_ksym *known;
		uint64_t *base;

		if (s->type != STT_FUNC || !s->defined || s->section >= file->nr_bases)
			continue;
		known = find_name(names, s->name);
		if (!known)
			continue;
		base = &file->bases[s->section];
		if (*base == NO_BASE)
			*base = known->offset - s->value;
		if (*base == known->offset - s->value)
			ret->same++;
		else
			ret->other++;
	}
}

static int find_stext(const struct pp_elf_symbols *symbols, uint64_t *ret)
{
	for (size_t i = 0; i < symbols->nr; i++) {
		if (!strcmp(symbols->items[i].name, "_stext")) {
			*ret = symbols->items[i].value;
			return 0;
		}
	}
	return -ENOENT;
}

static int make_bases(struct pp_kernel_file *file)
{
	file->bases = malloc((file->elf.nr_sections + 1) * sizeof(*file->bases));
	if (!file->bases)
		return -ENOMEM;
	file->nr_bases = file->elf.nr_sections;
	for (size_t i = 0; i < file->nr_bases; i++) {
		const struct pp_elf_section *s = &file->elf.sections[i];

		/* Base 0 for sections that are not loaded keeps references between debug sections
		 * unchanged. */
		file->bases[i] = s->flags & SHF_ALLOC ? NO_BASE : 0;
	}
	return 0;
}

/* Check that the file belongs to the profiled kernel, and set .bias (vmlinux) or .bases (module).
 * Return 0, -ENOENT or -ENOMEM. */
static int fits(struct pp_kernel_file *file, const struct pp_kernel_file_options *options)
{
	const struct pp_elf_section *section = pp_elf_section_by_type(&file->elf, SHT_SYMTAB);
	bool is_core = !strcmp(options->image->name, OP_KERNEL_IMAGE);
	const char *build_id = is_core ? options->syms->build_id : NULL;
	struct agreement agreement = { 0 };
	struct pp_elf_symbols symbols;
	struct names names;
	int err;

	if (!section || (file->elf.type == ET_REL) == is_core)
		return -ENOENT;
	err = pp_elf_symbols_read(&symbols, &file->elf, section);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	err = names_make(&names, options->image);
	if (err)
		goto release_symbols;
	err = is_core ? find_stext(&symbols, &file->bias) : make_bases(file);
	if (err)
		goto free_names;
	if (is_core)
		compare_kernel(&agreement, &symbols, &names, file->bias);
	else
		place_sections(&agreement, file, &symbols, &names);
	/* If both build-ids are known, compare them. Otherwise nearly all functions must have the
	 * same addresses. */
	if (build_id) {
		char *own = pp_elf_build_id(&file->elf);

		err = own && strcmp(own, build_id) ? -ENOENT : 0;
		free(own);
	}
	if (!agreement.same || agreement.other > agreement.same / 50 ||
	    (agreement.same < MIN_AGREEING && agreement.same < names.nr / 2))
		err = -ENOENT;
free_names:
	free(names.items);
release_symbols:
	pp_elf_symbols_release(&symbols);
	return err;
}

/* Use the file @path if it belongs to the profiled kernel. Free or store @path. */
static int try_file(struct pp_kernel_file *ret, char *path,
		    const struct pp_kernel_file_options *options, struct pp_log *log)
{
	struct pp_kernel_file file = { .path = path, .fd = -1 };
	int fd = path ? pp_open_regular(path) : -ENOMEM;
	int err = fd < 0 ? fd : pp_elf_read(&file.elf, fd);

	if (err) {
		if (fd >= 0)
			close(fd);
		free(path);
		return err == -ENOMEM ? err : -ENOENT;
	}
	file.fd = fd;
	err = fits(&file, options);
	if (err) {
		if (err == -ENOENT)
			pp_verbose(log, "%s: is not of the profiled kernel", path);
		pp_kernel_file_close(&file);
		return err;
	}
	*ret = file;
	return 0;
}

/* Try the file at a path that is given by a printf() format and its arguments. */
#define TRY(ret, options, log, ...)								\
	({											\
		char *path_;									\
												\
		if (asprintf(&path_, __VA_ARGS__) < 0)						\
			path_ = NULL;								\
		try_file(ret, path_, options, log);						\
	})

static int open_core(struct pp_kernel_file *ret, const struct pp_kernel_file_options *o,
		     struct pp_log *log)
{
	static const char *const places[] = {
		"%s/usr/lib/debug/boot/vmlinux-%s",
		"%s/usr/lib/debug/lib/modules/%s/vmlinux",
		"%s/lib/modules/%s/build/vmlinux",
		"%s/boot/vmlinux-%s",
	};
	const char *dir = o->image_path, *release = o->syms->release, *id = o->syms->build_id;
	int err = -ENOENT;

	while (err == -ENOENT && dir && *dir) {
		int len = strcspn(dir, ",");

		if (len)
			err = TRY(ret, o, log, "%.*s/vmlinux-%s", len, dir, release);
		if (err == -ENOENT && len)
			err = TRY(ret, o, log, "%.*s/vmlinux", len, dir);
		dir += len + (dir[len] == ',');
	}
	if (err == -ENOENT && id && strlen(id) > 2)
		err = TRY(ret, o, log, "%s" PP_DEBUG_DIR "/.build-id/%.2s/%s.debug", o->root, id,
			  id + 2);
	for (size_t i = 0; err == -ENOENT && i < sizeof(places) / sizeof(places[0]); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		err = TRY(ret, o, log, places[i], o->root, release);
#pragma GCC diagnostic pop
	}
	return err;
}

/* Return whether @file is the name of a file that contains the module @module. '-' and '_' are
 * equal in names of modules. */
static bool is_module(const char *file, const char *module)
{
	size_t i;

	for (i = 0; module[i]; i++)
		if (file[i] != module[i] && !(file[i] == '-' && module[i] == '_'))
			return false;
	return !strcmp(file + i, ".ko") || !strcmp(file + i, ".ko.debug");
}

/* Search a directory tree for the module's file. Free @dir. */
static int search_tree(struct pp_kernel_file *ret, char *dir,
		       const struct pp_kernel_file_options *options, struct pp_log *log)
{
	char *roots[] = { dir, NULL };
	FTS *fts = dir ? fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL) : NULL;
	int err = -ENOENT;
	FTSENT *entry;

	while (err == -ENOENT && fts && (entry = fts_read(fts)))
		if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
		    is_module(entry->fts_name, options->image->name))
			err = try_file(ret, strdup(entry->fts_path), options, log);
	if (fts)
		fts_close(fts);
	free(dir);
	return err;
}

static char *join(const char *root, const char *dir, const char *release)
{
	char *path;

	return asprintf(&path, "%s%s/%s", root, dir, release) < 0 ? NULL : path;
}

static int open_module(struct pp_kernel_file *ret, const struct pp_kernel_file_options *o,
		       struct pp_log *log)
{
	const char *dir = o->image_path;
	int err = -ENOENT;

	while (err == -ENOENT && dir && *dir) {
		size_t len = strcspn(dir, ",");

		if (len)
			err = search_tree(ret, strndup(dir, len), o, log);
		dir += len + (dir[len] == ',');
	}
	if (err == -ENOENT)
		err = search_tree(ret, join(o->root, PP_DEBUG_DIR "/lib/modules", o->syms->release),
				  o, log);
	if (err == -ENOENT)
		err = search_tree(ret, join(o->root, "/lib/modules", o->syms->release), o, log);
	return err;
}

int pp_kernel_file_open(struct pp_kernel_file *ret, const struct pp_kernel_file_options *options,
			struct pp_log *log)
{
	const char *release = options->syms->release;

	if (strchr(release, '/') || !strcmp(release, ".."))
		return -ENOENT;
	if (!strcmp(options->image->name, OP_KERNEL_IMAGE))
		return open_core(ret, options, log);
	return open_module(ret, options, log);
}

void pp_kernel_file_close(struct pp_kernel_file *file)
{
	free(file->bases);
	if (file->fd >= 0) {
		pp_elf_release(&file->elf);
		close(file->fd);
	}
	free(file->path);
	*file = (struct pp_kernel_file){ .fd = -1 };
}

size_t pp_kernel_file_code(const struct pp_kernel_file *file, uint64_t key, void *buf, size_t size)
{
	if (!file->bases)
		return pp_elf_code(&file->elf, key + file->bias, buf, size);
	for (size_t i = 0; i < file->nr_bases; i++) {
		const struct pp_elf_section *s = &file->elf.sections[i];
		uint64_t at = key - file->bases[i];

		if (s->type != SHT_PROGBITS || !(s->flags & SHF_EXECINSTR) ||
		    file->bases[i] == NO_BASE || key < file->bases[i] || at >= s->size)
			continue;
		if (size > s->size - at)
			size = s->size - at;
		return pp_elf_pread(&file->elf, buf, size, s->offset + at) ? 0 : size;
	}
	return 0;
}
