// SPDX-License-Identifier: GPL-2.0-or-later
/* variant_elf.c -- symbols and lines of addresses in an ELF file. */
#include "config.h"
#include "pp/image/variant.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pp/image/build.h"
#include "pp/image/debug_data.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/plt.h"
#include "pp/image/symbol_cache.h"

/* Meaning of a sample's key: a file offset, an offset in .text, or a virtual address of the
 * file. */
enum keys { KEYS_OFFSET, KEYS_TEXT, KEYS_LINKED };

struct elf_variant {
	struct pp_variant v;
	enum keys keys;
	struct pp_build *build;
	struct pp_plt plt;
	struct pp_elf_symtab data; /* symbols of data objects, read for disassembly */
	bool has_data;
	struct pp_debug_data debug;
	bool has_debug;			/* the debug data was searched, successfully or not */
};

static struct elf_variant *elf_of(const struct pp_variant *v)
{
	return (struct elf_variant *)v;
}

static void destroy(struct pp_variant *v)
{
	struct elf_variant *e = elf_of(v);

	pp_debug_data_close(&e->debug);
	pp_plt_release(&e->plt);
	pp_elf_symtab_release(&e->data);
	pp_build_close(e->build);
	free(e);
}

static int to_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	return pp_elf_offset_to_vma(&elf_of(v)->build->elf, key, vma);
}

static int text_to_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	*vma = elf_of(v)->build->text_vma + key;
	return 0;
}

static int linked_to_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	(void)v;
	*vma = key;
	return 0;
}

static int read_plt(struct pp_plt *plt, const struct pp_variants *variants,
		    const struct pp_elf *elf)
{
	struct pp_images *images = variants->images;
	const char *path = variants->name->path, *base = strrchr(path, '/');
	struct pp_elf_symtab kept;
	int err = pp_symbol_cache_read(images->cache, PP_CACHED_PLT, elf, &kept);

	if (!err) {
		*plt = (struct pp_plt){ kept.symtab, kept.strings };
		return 0;
	}
	pthread_mutex_lock(&images->bfd);
	err = pp_plt_read(plt, elf, base ? base + 1 : path);
	pthread_mutex_unlock(&images->bfd);
	kept = (struct pp_elf_symtab){ .symtab = plt->symtab, .from = ".plt" };
	if (!err)
		pp_symbol_cache_write(images->cache, PP_CACHED_PLT, elf, &kept);
	return err;
}

/* At the first lookup in a PLT stub, read the names of the stubs. */
static int want_plt(struct pp_variant *v)
{
	struct elf_variant *e = elf_of(v);
	int err;

	if (v->stubs || e->build->plt_start == e->build->plt_end)
		return 0;
	err = read_plt(&e->plt, v->among, &e->build->elf);
	if (!err)
		v->stubs = &e->plt.symtab;
	return err;
}

static uint32_t lookup(struct pp_variant *v, uint64_t vma)
{
	const struct pp_build *build = elf_of(v)->build;
	uint32_t symbol = v->symtab ? pp_symtab_lookup(v->symtab, vma) : PP_NO_SYMBOL;

	if (symbol != PP_NO_SYMBOL)
		return symbol;
	if (vma < build->plt_start || vma >= build->plt_end || want_plt(v))
		return PP_NO_SYMBOL;
	symbol = pp_symtab_lookup(v->stubs, vma);
	return symbol == PP_NO_SYMBOL ? symbol : (v->symtab ? v->symtab->nr : 0) + symbol;
}

/* Return the source lines from the debug data, or NULL if no lines exist. Search the debug data at
 * the first call. */
static struct pp_lines *want_lines(struct pp_variant *v)
{
	struct elf_variant *e = elf_of(v);
	struct pp_debug_places places;

	if (!e->has_debug && e->build->state == PP_BUILD_FOUND && e->build->path) {
		places = pp_images_debug_places(v->among->images, v->among->log);
		places.known = e->build->elf_symtab.debug_path;
		pp_debug_data_open(&e->debug, &e->build->elf, e->build->path, &places, NULL);
		e->has_debug = 1;
	}
	return e->debug.lines;
}

static bool line(struct pp_variant *v, uint64_t vma, bool first, struct pp_frame *ret)
{
	want_lines(v);
	return pp_debug_data_line(&elf_of(v)->debug, vma, first, ret);
}

static unsigned int frames(struct pp_variant *v, uint64_t vma, struct pp_frame *frames,
			   unsigned int max)
{
	struct pp_lines *lines = want_lines(v);

	if (!lines && max && pp_debug_data_line(&elf_of(v)->debug, vma, 0, frames))
		return 1;
	return pp_variant_frames(v, lines, vma, 0, frames, max);
}

static void each_split(struct pp_variant *v, void (*fn)(void *arg, int fd, const char *path),
		       void *arg)
{
	if (want_lines(v))
		pp_debug_data_each_split(&elf_of(v)->debug, fn, arg);
}

static size_t code(struct pp_variant *v, uint64_t vma, void *buf, size_t size)
{
	const struct pp_build *build = elf_of(v)->build;

	return build->fd < 0 ? 0 : pp_elf_code(&build->elf, vma, buf, size);
}

static const char *data_at(struct pp_variant *v, uint64_t vma, uint64_t *offset)
{
	struct elf_variant *e = elf_of(v);
	uint32_t i;

	if (e->build->fd < 0)
		return NULL;
	if (!e->has_data)
		pp_elf_data_symtab_read(&e->data, &e->build->elf, e->build->elf_symtab.debug_path);
	e->has_data = 1;
	i = pp_symtab_lookup(&e->data.symtab, vma);
	if (i == PP_NO_SYMBOL)
		return NULL;
	*offset = vma - e->data.symtab.symbols[i].start;
	return e->data.symtab.symbols[i].name;
}

static void describe_gone(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	const struct elf_variant *e = elf_of(v);
	const struct pp_build *build = e->build;
	struct stat st = { 0 };

	(void)with_debug;
	info->state = build->state == PP_BUILD_MISSING ? PP_IMAGE_MISSING : PP_IMAGE_CHANGED;
	info->path = build->path;
	info->symbols = build->symbols_from;
	info->symbols_path = build->elf_symtab.debug_path;
	info->build_id = build->build_id;
	info->missing_id = build->missing_id;
	if (e->debug.lines)
		info->debug_path = e->debug.path;
	if (build->fd < 0 || !fstat(build->fd, &st))
		info->owner = st.st_uid ? st.st_uid : e->debug.lines ? e->debug.owner : 0;
	if (!build->elf.machine)
		return;
	info->has_elf = 1;
	info->machine = build->elf.machine;
	info->is64 = build->elf.is64;
	info->big_endian = build->elf.swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	info->load_vma = build->elf.nr_segments ? build->elf.segments[0].vaddr : 0;
}

static void describe(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	enum pp_image_state state = info->state;

	if (with_debug)
		want_lines(v);
	describe_gone(v, 0, info);
	info->state = elf_of(v)->build->state == PP_BUILD_KEPT ? PP_IMAGE_KEPT : state;
}

/* Describe code made at run time, from the files that the program wrote to the session. The user
 * who profiled owns these files. If root owns a file, its author is unknown. */
static void describe_process(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	struct stat st;

	describe(v, with_debug, info);
	info->owner = fstat(elf_of(v)->build->fd, &st) || !st.st_uid ? PP_NO_OWNER : st.st_uid;
}

static const struct pp_variant_ops elf_ops = {
	.destroy = destroy,
	.to_vma = to_vma,
	.lookup = lookup,
	.read_all = want_plt,
	.line = line,
	.frames = frames,
	.code = code,
	.data_at = data_at,
	.each_split = each_split,
	.describe = describe,
};

static const struct pp_variant_ops linked_ops = {
	.destroy = destroy,
	.to_vma = linked_to_vma,
	.lookup = lookup,
	.read_all = want_plt,
	.line = line,
	.frames = frames,
	.code = code,
	.data_at = data_at,
	.each_split = each_split,
	.describe = describe,
};

static const struct pp_variant_ops vmlinux_ops = {
	.destroy = destroy,
	.to_vma = text_to_vma,
	.lookup = lookup,
	.read_all = want_plt,
	.line = line,
	.frames = frames,
	.code = code,
	.data_at = data_at,
	.each_split = each_split,
	.describe = describe,
};

/* Functions for a missing or changed file. Only the addresses in such a file are known. */
static const struct pp_variant_ops gone_ops = {
	.destroy = destroy,
	.describe = describe_gone,
};

static const struct pp_variant_ops process_ops = {
	.destroy = destroy,
	.to_vma = pp_variant_process_vma,
	.lookup = lookup,
	.read_all = want_plt,
	.line = line,
	.frames = frames,
	.code = code,
	.describe = describe_process,
};

/* Add a variant for @build. The variant owns @build; on failure @build is closed. Return 0 or
 * -ENOMEM. */
static int add(struct pp_variant **ret, struct pp_variants *variants, struct pp_build *build,
	       const struct pp_variant_ops *ops, enum keys keys)
{
	struct elf_variant *e = calloc(1, sizeof(*e));
	int err;

	if (!e) {
		pp_build_close(build);
		return -ENOMEM;
	}
	e->v.ops = ops;
	e->v.symtab = ops == &gone_ops ? NULL : build->symtab;
	e->keys = keys;
	e->build = build;
	err = pp_variants_add(variants, &e->v);
	if (!err)
		*ret = &e->v;
	return err;
}

static bool is_wanted(const struct elf_variant *e, const struct pp_build_wanted *wanted,
		      enum keys keys)
{
	if (e->keys != keys)
		return false;
	if (!wanted->identity.build && !wanted->mtime)
		return true;
	if (e->build->identity.build != wanted->identity.build ||
	    e->build->identity.owner != wanted->identity.owner)
		return false;
	return wanted->identity.build || e->build->mtime == wanted->mtime;
}

static struct pp_build_places places_of(const struct pp_variants *variants)
{
	const struct pp_images *images = variants->images;

	return (struct pp_build_places){
		.image_path = images->options.image_path,
		.debug = pp_images_debug_places(images, variants->log),
		.cache = images->cache,
		.build_ids = &images->build_ids,
		.samples_dirs = images->options.samples_dirs,
		.nr_samples_dirs = images->options.nr_samples_dirs,
		.force = images->options.force,
	};
}

static const struct pp_variant_ops *ops_of(const struct pp_build *build, enum keys keys,
					   const char *path, struct pp_log *log)
{
	if (build->state == PP_BUILD_OTHER || build->state == PP_BUILD_MISSING)
		return &gone_ops;
	if (keys != KEYS_TEXT)
		return keys == KEYS_LINKED ? &linked_ops : &elf_ops;
	if (build->has_text)
		return &vmlinux_ops;
	pp_warn(log,
		"%s: has no .text section, so it is not a vmlinux, and its samples have no symbols",
		path);
	return &gone_ops;
}

int pp_variant_file(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples)
{
	const struct pp_build_wanted wanted = {
		.path = variants->name->path,
		.identity = samples->identity,
		.mtime = samples->mtime,
	};
	const struct pp_build_places places = places_of(variants);
	enum keys keys = samples->is_kernel   ? KEYS_TEXT
			 : samples->is_linked ? KEYS_LINKED
					      : KEYS_OFFSET;
	struct pp_build *build;
	int err;

	for (size_t i = 0; i < variants->nr; i++) {
		if (is_wanted(elf_of(variants->items[i]), &wanted, keys)) {
			*ret = variants->items[i];
			return 0;
		}
	}
	err = pp_build_find(&build, &wanted, &places, variants->log);
	return err ? err : add(ret, variants, build,
			       ops_of(build, keys, wanted.path, variants->log), keys);
}

int pp_variant_open_file(struct pp_variant **ret, struct pp_variants *variants, int fd, char *path,
			 bool is_process)
{
	const struct pp_build_places places = places_of(variants);
	struct pp_build *build;
	int err = pp_build_of_file(&build, fd, path, &places);

	if (err == -ENOMEM)
		return err;
	if (!err)
		return add(ret, variants, build, is_process ? &process_ops : &elf_ops, KEYS_OFFSET);
	pp_warn(variants->log, "%s: not an ELF file, or damaged, so its samples have no symbols",
		variants->name->path);
	return pp_variant_unknown(ret, variants);
}
