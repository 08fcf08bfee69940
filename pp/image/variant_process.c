// SPDX-License-Identifier: GPL-2.0-or-later
/* variant_process.c -- symbols and lines of addresses in a process's memory without a file. */
#include "config.h"
#include "pp/image/variant.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/plural.h"
#include "pp/image/elf.h"
#include "pp/image/jit.h"
#include "pp/image/vdso.h"

struct jit_variant {
	struct pp_variant v;
	struct pp_jit jit;
};

static const struct pp_jit *jit_of(const struct pp_variant *v)
{
	return &((const struct jit_variant *)v)->jit;
}

static void destroy(struct pp_variant *v)
{
	pp_jit_close(&((struct jit_variant *)v)->jit);
	free(v);
}

static bool line(struct pp_variant *v, uint64_t vma, bool first, struct pp_frame *ret)
{
	(void)first;
	return pp_jit_line(jit_of(v), vma, ret);
}

static unsigned int frames(struct pp_variant *v, uint64_t vma, struct pp_frame *frames,
			   unsigned int max)
{
	return max ? pp_jit_line(jit_of(v), vma, frames) : 0;
}

static size_t code(struct pp_variant *v, uint64_t vma, void *buf, size_t size)
{
	return pp_jit_code(jit_of(v), vma, buf, size);
}

/* Describe code made at run time, from the files that the program wrote to the session. The user
 * who profiled owns these files. If root owns a file, its author is unknown. */
static void describe(struct pp_variant *v, bool with_debug, struct pp_image_info *info)
{
	const struct pp_jit *jit = jit_of(v);
	struct stat st;

	(void)with_debug;
	info->symbols = "the program itself";
	info->symbols_path = jit->path;
	if (jit->nr_lines)
		info->debug_path = jit->path;
	if (!lstat(jit->path, &st) && st.st_uid)
		info->owner = st.st_uid;
	info->machine = jit->machine;
	info->is64 = sizeof(void *) == 8;
	info->has_elf = info->machine != 0;
	info->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static const struct pp_variant_ops jit_ops = {
	.destroy = destroy,
	.to_vma = pp_variant_process_vma,
	.line = line,
	.frames = frames,
	.code = code,
	.describe = describe,
};

/* Return the directory with the files about a process's generated code, malloc'd: in the session,
 * or beside a file that a program wrote about itself. Return NULL if out of memory. */
static char *kept_in(const char *samples)
{
	const char *base = strrchr(samples, '/');
	struct stat st;

	if (stat(samples, &st) || !S_ISREG(st.st_mode))
		return strdup(samples);
	return base ? strndup(samples, base - samples + 1) : strdup(".");
}

/* Create the variant from the files that the program wrote about its generated code. Return 0 or a
 * negative errno. */
static int open_jit(struct pp_variant **ret, struct pp_variants *variants, pid_t tgid,
		    unsigned int program, size_t session)
{
	const struct pp_images_options *options = &variants->images->options;
	size_t nr = options->nr_samples_dirs;
	char *dir = session < nr ? kept_in(options->samples_dirs[session]) : NULL;
	const struct pp_jit_places places = {
		.samples_dirs = dir ? &dir : options->samples_dirs,
		.nr_samples_dirs = session < nr ? 1 : nr,
		.with_tmp = !options->root,
	};
	struct jit_variant *j = calloc(1, sizeof(*j));
	int err = j && (dir || session >= nr)
			  ? pp_jit_open(&j->jit, &places, tgid, program, variants->log)
			  : -ENOMEM;

	free(dir);
	if (err) {
		free(j);
		return err == -ENOMEM ? err : pp_variant_unknown(ret, variants);
	}
	j->v.ops = &jit_ops;
	if (j->jit.nr_codes)
		j->v.symtab = &j->jit.symtab;
	pp_verbose(variants->log, "process %d: %zu %s from %s", (int)tgid, j->jit.nr_codes,
		   op_plural(j->jit.nr_codes, "function", "functions"), j->jit.path);
	err = pp_variants_add(variants, &j->v);
	if (!err)
		*ret = &j->v;
	return err;
}

static int open_jo(struct pp_variant **ret, struct pp_variants *variants, int fd, const char *jo)
{
	char *path = strdup(jo);

	if (!path) {
		close(fd);
		return -ENOMEM;
	}
	return pp_variant_open_file(ret, variants, fd, path, 1);
}

int pp_variant_process(struct pp_variant **ret, struct pp_variants *variants,
		       const struct pp_image_samples *samples)
{
	const struct op_image_name *name = samples->name ? samples->name : variants->name;
	const unsigned int program = name->anon_program;
	const pid_t tgid = name->anon_tgid;
	size_t session = pp_images_session(variants->images, samples->path);
	struct pp_variant *v = pp_variants_find_process(variants, tgid, program, session);
	const char *jo;
	int fd, err;

	if (!v) {
		jo = pp_images_jo_file(variants->images, tgid);
		fd = jo ? pp_open_regular(jo) : -ENOENT;
		err = fd >= 0 ? open_jo(&v, variants, fd, jo) :
				open_jit(&v, variants, tgid, program, session);
		if (err)
			return err;
		v->tgid = tgid;
		v->program = program;
		v->session = session;
	}
	*ret = v;
	return 0;
}

/* Return whether the file @fd has a build-id with the hash @build. A probe records this hash
 * instead of the kernel's release. */
static bool is_build(int fd, uint32_t build)
{
	struct pp_elf elf = { .fd = -1 };
	bool ret = false;
	uint8_t id[4];
	char *hex;

	if (pp_elf_read(&elf, fd))
		return false;
	hex = pp_elf_build_id(&elf);
	if (hex && sscanf(hex, "%2hhx%2hhx%2hhx%2hhx", &id[0], &id[1], &id[2], &id[3]) == 4)
		ret = op_identity_of_build_id(id, sizeof(id)) == build;
	free(hex);
	pp_elf_release(&elf);
	return ret;
}

static int open_own_vdso(const struct op_kernel_syms *kernel, uint32_t build)
{
	struct utsname uts;
	int fd;

	if (!build && (!kernel || uname(&uts) || strcmp(uts.release, kernel->release)))
		return -ENOENT;
	fd = pp_vdso_open();
	if (fd < 0 || !build || is_build(fd, build))
		return fd;
	close(fd);
	return -ENOENT;
}

/* Open a copy of the vdso: of @session, or of a session with the same kernel. Return a descriptor
 * or a negative errno. */
static int open_kept_vdso(const struct pp_images *images, size_t session,
			  const struct op_kernel_syms *kernel)
{
	const struct pp_images_options *options = &images->options;
	char **dirs = kernel ? calloc(options->nr_samples_dirs + 1, sizeof(*dirs)) : NULL;
	int fd = -ENOENT;

	if (!kernel)
		return pp_vdso_open_kept(options->samples_dirs, options->nr_samples_dirs);
	if (!dirs)
		return -ENOMEM;
	if (session < options->nr_samples_dirs)
		fd = pp_vdso_open_kept(&options->samples_dirs[session], 1);
	if (fd == -ENOENT)
		fd = pp_vdso_open_kept(dirs, pp_images_kernel_dirs(images, kernel, dirs));
	free(dirs);
	return fd;
}

int pp_variant_vdso(struct pp_variant **ret, struct pp_variants *variants,
		    const struct pp_image_samples *samples)
{
	const struct pp_images *images = variants->images;
	const struct op_image_name *name = samples->name ? samples->name : variants->name;
	pid_t wide = name->anon_start > UINT32_MAX && sizeof(void *) == 8;
	/* Use the session of the samples, because sessions may have been recorded with different
	 * kernels. */
	size_t session = pp_images_session(images, samples->path);
	struct pp_variant *v = pp_variants_find_process(variants, wide, 0, session);
	const struct op_kernel_syms *kernel = pp_images_kernel(images, samples->path);
	int fd = -ENOENT, err;

	if (!v) {
		if (wide)
			fd = open_kept_vdso(images, session, kernel);
		if (wide && fd == -ENOENT)
			fd = open_own_vdso(kernel, samples->identity.build);
		if (fd == -ENOMEM)
			return fd;
		err = fd < 0 ? pp_variant_unknown(&v, variants) :
			       pp_variant_open_file(&v, variants, fd, NULL, 0);
		if (err)
			return err;
		v->tgid = wide;
		v->session = session;
	}
	*ret = v;
	return 0;
}
