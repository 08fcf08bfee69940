// SPDX-License-Identifier: GPL-2.0-or-later
/* variant_kernel.c -- symbols and lines of addresses in the kernel or a module. */
#include "config.h"
#include "pp/image/variant.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/session/kernel_syms.h"
#include "libop/session/paths.h"
#include "pp/image/debug_data.h"
#include "pp/image/debug_file.h"
#include "pp/image/kernel_code.h"
#include "pp/image/kernel_file.h"
#include "pp/image/symtab.h"

/*
 * Symbols of the running kernel, for sessions of OProfile 1.4's operf. Such a session has no kernel
 * symbols and does not identify the kernel. It attributes kernel samples to the file
 * /proc/kallsyms, by offsets from _text.
 */

#define FILE_OF_OPERF	"/{root}/proc/kallsyms/"
#define MAX_LINES	(4u << 20)

/* Return whether the sample file @path is attributed to /proc/kallsyms. */
static bool is_running_kernel(const char *path)
{
	return path && strstr(path, FILE_OF_OPERF);
}

struct symbol {
	unsigned long long address;
	char type;
	char name[512];
};

/* Parse "ADDRESS TYPE NAME", a symbol of the kernel itself. Refuse a line with a fourth word, a
 * symbol of a module. */
static bool parse(const char *line, struct symbol *ret)
{
	return sscanf(line, "%llx %c %511s", &ret->address, &ret->type, ret->name) == 3 &&
	       !strchr(line, '[');
}

static int find_bounds(FILE *f, uint64_t *ret_text, uint64_t *ret_end)
{
	uint64_t text = 0, end = 0;
	struct symbol symbol;
	char line[1024];

	for (size_t i = 0; i < MAX_LINES && fgets(line, sizeof(line), f); i++) {
		if (!parse(line, &symbol))
			continue;
		if (!strcmp(symbol.name, "_text"))
			text = symbol.address;
		if (!strcmp(symbol.name, "_etext"))
			end = symbol.address;
	}
	if (!text || end <= text)
		return text || end ? -ENOEXEC : -EACCES;
	*ret_text = text;
	*ret_end = end;
	return 0;
}

static int read_symbols(struct op_kernel_syms *syms, FILE *f)
{
	uint64_t text, end;
	struct symbol symbol;
	char line[1024];
	int err = find_bounds(f, &text, &end);

	if (!err)
		err = op_kernel_syms_add_image(syms, OP_KERNEL_IMAGE, end - text);
	rewind(f);
	for (size_t i = 0; !err && i < MAX_LINES && fgets(line, sizeof(line), f); i++)
		if (parse(line, &symbol) && symbol.address >= text && symbol.address < end)
			err = op_kernel_syms_add_symbol(syms, symbol.address - text, symbol.type,
							symbol.name);
	if (!err)
		op_kernel_syms_sort(syms);
	return err;
}

/* Read @root/proc/kallsyms as a single image, OP_KERNEL_IMAGE. Return 0, -EACCES if the file shows
 * no addresses, -ENOMEM, or another negative errno. */
static int running_kernel_read(struct op_kernel_syms *ret, const char *root)
{
	struct op_kernel_syms syms = { 0 };
	char *path;
	FILE *f;
	int fd, err;

	if (asprintf(&path, "%s/proc/kallsyms", root) < 0)
		return -ENOMEM;
	fd = pp_open_regular(path);
	free(path);
	if (fd < 0)
		return fd;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	err = read_symbols(&syms, f);
	fclose(f);
	if (err)
		op_kernel_syms_release(&syms);
	else
		*ret = syms;
	return err;
}

/* maximum length of code that the kernel generates at run time, outside its image */
#define MAX_RUNTIME_CODE	(1u << 20)

static bool is_code(const struct op_ksym *sym)
{
	return sym->type && strchr("tTwW", sym->type) && pp_symbol_name_usable(sym->name);
}

static void convert(struct pp_symbol *ret, const struct op_kimage *image, const struct op_ksym *sym)
{
	ret->start = ret->end = sym->offset;
	ret->name = sym->name;
	ret->kind = PP_SYMBOL_FUNCTION;
	ret->bind = sym->type == 't' ? PP_BIND_LOCAL :
		    sym->type == 'T' ? PP_BIND_GLOBAL :
				       PP_BIND_WEAK;
	if (sym->offset < image->size)
		ret->limit = image->size;
	else if (sym->offset > UINT64_MAX - MAX_RUNTIME_CODE)
		ret->limit = UINT64_MAX;
	else
		ret->limit = sym->offset + MAX_RUNTIME_CODE;
}

/* Make a symbol table for @image, which owns the names. Return 0 or -ENOMEM. */
static int kernel_symtab_make(struct pp_symtab *ret, const struct op_kimage *image)
{
	struct pp_symbol *symbols = malloc((image->nr_syms + 1) * sizeof(*symbols));
	size_t nr = 0;
	int err;

	if (!symbols)
		return -ENOMEM;
	for (size_t i = 0; i < image->nr_syms; i++)
		if (is_code(&image->syms[i]))
			convert(&symbols[nr++], image, &image->syms[i]);
	err = pp_symtab_make(ret, symbols, nr);
	if (err)
		free(symbols);
	return err;
}

struct kernel_variant {
	struct pp_variant v;
	struct pp_symtab symtab;
	uint64_t symtab_end; /* sample keys at and above this number are outside the symbol table */
	/* kernel symbols of the session; NULL: the session has no kernel symbols */
	const struct op_kernel_syms *syms;
	/* the session's data about the kernel image or module; NULL: no data */
	const struct op_kimage *kimage;
	struct pp_kernel_file file; /* the vmlinux or module file, if it exists on this machine */
	struct pp_kernel_code code; /* the kernel's code, for use if .file does not exist */
	struct pp_debug_data debug;
	bool has_files;			/* .file and .code were searched, successfully or not */
	/* symbols of the running kernel, used for a session without kernel symbols */
	struct op_kernel_syms running;
};

static struct kernel_variant *kernel_of(const struct pp_variant *v)
{
	return (struct kernel_variant *)v;
}

static void destroy(struct pp_variant *v)
{
	struct kernel_variant *k = kernel_of(v);

	pp_debug_data_close(&k->debug);
	pp_kernel_file_close(&k->file);
	pp_kernel_code_close(&k->code);
	pp_symtab_release(&k->symtab);
	op_kernel_syms_release(&k->running);
	free(k);
}

static int to_vma(const struct pp_variant *v, uint64_t key, uint64_t *vma)
{
	(void)v;
	*vma = key;
	return 0;
}

static uint32_t lookup(struct pp_variant *v, uint64_t vma)
{
	return v->symtab && vma < kernel_of(v)->symtab_end ? pp_symtab_lookup(v->symtab, vma) :
							     PP_NO_SYMBOL;
}

static void open_files(struct kernel_variant *k)
{
	const struct pp_variants *among = k->v.among;
	struct pp_images *images = among->images;
	struct pp_debug_places places = pp_images_debug_places(images, among->log);
	const struct pp_kernel_file_options options = {
		.syms = k->syms,
		.image = k->kimage,
		.root = places.root,
		.image_path = images->options.image_path,
	};
	struct pp_section_bases bases;
	char **dirs;

	if (pp_kernel_file_open(&k->file, &options, among->log)) {
		pp_verbose(among->log,
			   "%s: cannot find a vmlinux or module file of kernel %s, so no "
			   "source lines",
			   among->name->path, k->syms->release);
		dirs = calloc(images->options.nr_samples_dirs + 1, sizeof(*dirs));
		pp_kernel_code_open(&k->code, k->syms, k->kimage, dirs,
				    dirs ? pp_images_kernel_dirs(images, k->syms, dirs) : 0);
		free(dirs);
		return;
	}
	bases = (struct pp_section_bases){ k->file.bases, k->file.nr_bases };
	pp_debug_data_open(&k->debug, &k->file.elf, k->file.path, &places, &bases);
}

/* Return the kernel variant of @v. At the first call, search its vmlinux or module file, or its
 * code. */
static struct kernel_variant *want_files(struct pp_variant *v)
{
	struct kernel_variant *k = kernel_of(v);

	if (k->kimage && !k->has_files && !k->running.nr_images)
		open_files(k);
	k->has_files = 1;
	return k;
}

static bool line(struct pp_variant *v, uint64_t vma, bool first, struct pp_frame *ret)
{
	const struct kernel_variant *k = want_files(v);

	return k->debug.lines && pp_lines_line(k->debug.lines, vma + k->file.bias, first, ret);
}

static unsigned int frames(struct pp_variant *v, uint64_t vma, struct pp_frame *frames,
			   unsigned int max)
{
	const struct kernel_variant *k = want_files(v);

	return pp_variant_frames(v, k->debug.lines, vma, k->file.bias, frames, max);
}

static size_t code(struct pp_variant *v, uint64_t vma, void *buf, size_t size)
{
	const struct kernel_variant *k = want_files(v);

	if (k->file.fd >= 0)
		return pp_kernel_file_code(&k->file, vma, buf, size);
	return k->code.fd >= 0 ? pp_kernel_code_read(&k->code, vma, buf, size) : 0;
}

static void describe(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	const struct kernel_variant *k = with_debug ? want_files(v) : kernel_of(v);

	if (v->symtab)
		info->symbols = k->running.nr_images ? "/proc/kallsyms" : OP_KERNEL_SYMS_FILE;
	if (k->debug.lines)
		info->debug_path = k->debug.path;
	info->owner = k->debug.lines ? k->debug.owner : 0;
	info->has_elf = k->file.fd >= 0 || k->code.fd >= 0;
	if (k->file.fd >= 0) {
		info->machine = k->file.elf.machine;
		info->is64 = k->file.elf.is64;
		info->big_endian = k->file.elf.swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	} else if (k->code.fd >= 0) {
		info->machine = k->code.machine;
		info->is64 = k->code.is64;
		info->big_endian = k->code.big_endian;
	}
}

static const struct pp_variant_ops kernel_ops = {
	.destroy = destroy,
	.to_vma = to_vma,
	.lookup = lookup,
	.line = line,
	.frames = frames,
	.code = code,
	.describe = describe,
};

/* Use the running kernel's symbols, for samples of OProfile 1.4's operf. Return 0 or -ENOMEM. */
static int use_running(struct kernel_variant *k, const struct pp_variants *variants)
{
	struct pp_debug_places places = pp_images_debug_places(variants->images, variants->log);
	bool is_first = !atomic_flag_test_and_set(&variants->images->warned_kernel);
	int err = running_kernel_read(&k->running, places.root);

	if (err == -ENOMEM)
		return err;
	if (err && is_first)
		pp_warn(variants->log,
			"cannot read the kernel's symbols in %s/proc/kallsyms: %s; its samples "
			"have no symbols",
			places.root,
			err == -EACCES	  ? "only root can read the addresses"
			: err == -ENOEXEC ? "it has no _text"
					  : strerror(-err));
	if (!err && is_first)
		pp_warn(variants->log,
			"the session does not name its kernel: samples in the kernel are "
			"named by %s/proc/kallsyms, which may be of another kernel; --root=DIR "
			"uses DIR/proc/kallsyms",
			places.root);
	return 0;
}

static int find_symbols(struct kernel_variant *k, const struct pp_variants *variants,
			const char *path)
{
	const struct op_kernel_syms *syms = k->syms;
	struct pp_images *images = variants->images;
	const char *name = variants->name->path;
	bool no_vmlinux = !strcmp(name, OP_KERNEL_NO_VMLINUX);
	int err;

	if (!syms && is_running_kernel(path)) {
		err = use_running(k, variants);
		if (err || !k->running.nr_images)
			return err;
		syms = &k->running;
	} else if (!syms) {
		if (!atomic_flag_test_and_set(&images->warned_kernel))
			pp_warn(variants->log, "this session has no kernel symbols, so samples in "
					       "the kernel and its modules have no symbols");
		return 0;
	}
	k->kimage = op_kernel_syms_image(syms, no_vmlinux ? OP_KERNEL_IMAGE : name);
	if (!k->kimage)
		return 0;
	err = kernel_symtab_make(&k->symtab, k->kimage);
	if (err)
		return err;
	if (k->symtab.nr)
		k->v.symtab = &k->symtab;
	/* Without a vmlinux, the kernel and its modules are one image, and only the kernel's own
	 * symbols are known. */
	k->symtab_end = no_vmlinux ? k->kimage->size : UINT64_MAX;
	return 0;
}

int pp_variant_kernel(struct pp_variant **ret, struct pp_variants *variants, const char *path)
{
	const struct op_kernel_syms *syms = pp_images_kernel(variants->images, path);
	struct kernel_variant *k;
	int err;

	for (size_t i = 0; i < variants->nr; i++) {
		if (kernel_of(variants->items[i])->syms != syms)
			continue;
		*ret = variants->items[i];
		return 0;
	}
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->v.ops = &kernel_ops;
	k->syms = syms;
	k->file.fd = k->code.fd = -1;
	err = find_symbols(k, variants, path);
	if (err) {
		destroy(&k->v);
		return err;
	}
	err = pp_variants_add(variants, &k->v);
	if (!err)
		*ret = &k->v;
	return err;
}
