// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c -- opens images of every kind and answers for their addresses. */
#include "config.h"
#include "pp/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/session/build_ids.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/paths.h"
#include "pp/image/build.h"
#include "pp/image/debug_data.h"
#include "pp/image/elf.h"
#include "pp/image/jit.h"
#include "pp/image/jo_files.h"
#include "pp/image/kernel.h"
#include "pp/image/kernel_code.h"
#include "pp/image/kernel_file.h"
#include "pp/image/lines.h"
#include "pp/image/symbol_cache.h"
#include "pp/image/vdso.h"

struct pp_images {
	struct pp_images_options options;
	struct pp_log *log;
	struct op_kernel_syms kernel;
	int has_kernel;
	atomic_flag warned_kernel;
	struct op_build_ids build_ids;
	struct pp_debuginfod *debuginfod;	/* NULL: not to be asked */
	struct pp_symbol_cache *cache;		/* NULL: none */
	pthread_mutex_t jo_lock;	/* of the next two */
	struct pp_jo_files jo_files;
	int has_jo_files;		/* were they looked for? */
	pthread_mutex_t bfd;	/* held by whoever is inside libbfd, which knows no threads */
};

struct pp_image {
	struct pp_images *images;
	const struct op_image_name *name;
	struct pp_log *log;
	struct pp_build **builds;	/* those that samples were of so far; processes, without a file */
	size_t nr_builds;
	struct pp_build *now;	/* of the samples begun; NULL: no file, or none asked for yet */
	struct pp_symtab own_symtab;	/* the kernel's */
	const struct pp_symtab *symtab;	/* the one above, or NULL */
	uint64_t symtab_end;	/* offsets from here on are not for symtab */
	const struct op_kimage *kimage;		/* kernel and modules: what the session knows */
	struct pp_kernel_file kernel_file;	/* ... and the file, if there is one here */
	struct pp_kernel_code kernel_code;	/* ... or without one, its code alone */
	struct pp_debug_data kernel_debug;
	int has_kernel_debug;	/* were the two above looked for? */
	int warned_no_text;
	/* of the samples begun */
	int no_text;		/* a vmlinux without .text */
	int is_kernel;
	uint64_t anon_start;
};

/* The kernel of several sessions is taken to be the first one's. */
static int read_kernel(struct pp_images *images, int dirfd, const char *dir)
{
	int err;

	if (images->has_kernel)
		return 0;
	err = op_kernel_syms_read(&images->kernel, dirfd);
	if (err == -ENOMEM)
		return err;
	if (!err)
		images->has_kernel = 1;
	else if (err != -ENOENT)
		pp_warn(images->log, "%s/%s: %s", dir, OP_KERNEL_SYMS_FILE, op_strerror(err));
	return 0;
}

static int read_build_ids(struct pp_images *images, int dirfd, const char *dir)
{
	int err = op_build_ids_read(&images->build_ids, dirfd);

	if (err && err != -ENOENT && err != -ENOMEM)
		pp_warn(images->log, "%s/%s: %s", dir, OP_BUILD_IDS_FILE, op_strerror(err));
	return err == -ENOMEM ? err : 0;
}

/* What lies beside the sample files. */
static int read_neighbours(struct pp_images *images)
{
	int err = 0;

	for (size_t i = 0; i < images->options.nr_samples_dirs && !err; i++) {
		const char *dir = images->options.samples_dirs[i];
		int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dirfd < 0)
			continue;
		err = read_kernel(images, dirfd, dir);
		if (!err)
			err = read_build_ids(images, dirfd, dir);
		close(dirfd);
	}
	return err ? pp_oom(images->log) : 0;
}

int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log)
{
	struct pp_images *images = calloc(1, sizeof(*images));
	int err;

	if (!images)
		return pp_oom(log);
	pp_lines_init();
	images->options = *options;
	images->log = log;
	pthread_mutex_init(&images->bfd, NULL);
	pthread_mutex_init(&images->jo_lock, NULL);
	if (options->debuginfod)
		images->debuginfod = pp_debuginfod_create(log);
	images->cache = pp_symbol_cache_open(options->cache_dir);
	err = read_neighbours(images);
	if (err) {
		pp_images_destroy(images);
		return err;
	}
	*ret = images;
	return 0;
}

void pp_images_destroy(struct pp_images *images)
{
	if (!images)
		return;
	pp_symbol_cache_close(images->cache);
	pp_debuginfod_destroy(images->debuginfod);
	op_build_ids_release(&images->build_ids);
	op_kernel_syms_release(&images->kernel);
	pthread_mutex_destroy(&images->jo_lock);
	pthread_mutex_destroy(&images->bfd);
	pp_jo_files_release(&images->jo_files);
	free(images);
}

static const char *root_of(const struct pp_image *image)
{
	return image->images->options.root ? image->images->options.root : "";
}

static struct pp_debug_places debug_places_of(const struct pp_image *image)
{
	return (struct pp_debug_places){
		.root = root_of(image),
		.server = image->images->debuginfod,
		.log = image->log,
	};
}

static struct pp_build_places places_of(const struct pp_image *image)
{
	struct pp_images *images = image->images;

	return (struct pp_build_places){
		.image_path = images->options.image_path,
		.debug = debug_places_of(image),
		.cache = images->cache,
		.build_ids = &images->build_ids,
		.samples_dirs = images->options.samples_dirs,
		.nr_samples_dirs = images->options.nr_samples_dirs,
		.force = images->options.force,
	};
}

static uint32_t nr_symbols_of(const struct pp_build *build)
{
	return (build->symtab ? build->symtab->nr : 0) + build->plt.symtab.nr;
}

static int read_plt(struct pp_image *image, struct pp_build *build)
{
	struct pp_symbol_cache *cache = image->images->cache;
	const char *base = strrchr(image->name->path, '/');
	struct pp_elf_symtab kept;
	int err = pp_symbol_cache_read(cache, PP_CACHED_PLT, &build->elf, &kept);

	if (!err) {
		build->plt = (struct pp_plt){ kept.symtab, kept.strings };
		return 0;
	}
	pthread_mutex_lock(&image->images->bfd);
	err = pp_plt_read(&build->plt, &build->elf, base ? base + 1 : image->name->path);
	pthread_mutex_unlock(&image->images->bfd);
	kept = (struct pp_elf_symtab){ .symtab = build->plt.symtab, .from = ".plt" };
	if (!err)
		pp_symbol_cache_write(cache, PP_CACHED_PLT, &build->elf, &kept);
	return err;
}

/* Names of stubs are only looked for when a sample fell into one. */
static int want_plt(struct pp_image *image, struct pp_build *build)
{
	int err;

	if (build->has_plt || build->plt_start == build->plt_end)
		return 0;
	err = read_plt(image, build);
	build->has_plt = !err;
	return err;
}

static int add_build(struct pp_image *image, struct pp_build *build)
{
	struct pp_build *last = image->nr_builds ? image->builds[image->nr_builds - 1] : NULL;

	/* The numbers of the one before must not grow any more. */
	if (last && want_plt(image, last))
		return -ENOMEM;
	if (op_grow(&image->builds, image->nr_builds))
		return -ENOMEM;
	build->first_symbol = last ? last->first_symbol + nr_symbols_of(last) : 0;
	image->builds[image->nr_builds++] = image->now = build;
	return 0;
}

static int is_wanted(const struct pp_build *build, const struct pp_build_wanted *wanted)
{
	if (!wanted->identity.build && !wanted->mtime)
		return 1;
	if (build->identity.build != wanted->identity.build ||
	    build->identity.owner != wanted->identity.owner)
		return 0;
	return wanted->identity.build || build->mtime == wanted->mtime;
}

/* Of a file: the build that the samples are of. */
static int choose_build(struct pp_image *image, const struct pp_image_samples *samples)
{
	const struct pp_build_wanted wanted = {
		.path = image->name->path,
		.identity = samples->identity,
		.mtime = samples->mtime,
	};
	const struct pp_build_places places = places_of(image);
	struct pp_build *build;
	int err;

	for (size_t i = 0; i < image->nr_builds; i++) {
		if (is_wanted(image->builds[i], &wanted)) {
			image->now = image->builds[i];
			return 0;
		}
	}
	err = pp_build_find(&build, &wanted, &places, image->log);
	if (!err) {
		err = add_build(image, build);
		if (err)
			pp_build_close(build);
	}
	return err;
}

/* A process of which nothing is known. */
static int add_process(struct pp_image *image)
{
	struct pp_build *build = pp_build_new();
	int err = build ? add_build(image, build) : -ENOMEM;

	if (err)
		pp_build_close(build);
	return err;
}

/* Takes over @fd and @path. A damaged file leaves an image without symbols. */
static int open_file(struct pp_image *image, int fd, char *path)
{
	const struct pp_build_places places = places_of(image);
	struct pp_build *build;
	int err = pp_build_of_file(&build, fd, path, &places);

	if (err == -ENOMEM)
		return err;
	if (err) {
		pp_warn(image->log, "%s: not an ELF file, or damaged, so its samples have no "
				    "symbols", image->name->path);
		return 0;
	}
	err = add_build(image, build);
	if (err)
		pp_build_close(build);
	return err;
}

const char *pp_images_kernel_hindrance(const struct pp_images *images)
{
	return images->has_kernel ? pp_kernel_code_hindrance(&images->kernel) : NULL;
}

static int open_kernel(struct pp_image *image)
{
	struct pp_images *images = image->images;
	const char *name = image->name->path;
	const struct op_kimage *kimage;
	int no_vmlinux = !strcmp(name, OP_KERNEL_NO_VMLINUX);
	int err;

	if (!images->has_kernel) {
		if (!atomic_flag_test_and_set(&images->warned_kernel))
			pp_warn(image->log, "no kernel symbols were kept with this session, so "
					     "the kernel's and its "
					     "modules' samples have no symbols");
		return 0;
	}
	kimage = op_kernel_syms_image(&images->kernel, no_vmlinux ? OP_KERNEL_IMAGE : name);
	if (!kimage)
		return 0;
	image->kimage = kimage;
	err = pp_kernel_symtab_make(&image->own_symtab, kimage);
	if (err)
		return err;
	if (image->own_symtab.nr)
		image->symtab = &image->own_symtab;
	/* Without a vmlinux everything in kernel mode is one image, modules too: only what is
	 * inside the core can be named. */
	if (no_vmlinux)
		image->symtab_end = kimage->size;
	return 0;
}

static int open_own(const struct pp_images *images)
{
	struct utsname uts;

	if (!images->has_kernel || uname(&uts) || strcmp(uts.release, images->kernel.release))
		return -ENOENT;
	return pp_vdso_open();
}

/* The vdso of 64-bit processes: the one kept with the session, or ours when the kernel is the same. All
 * of them are one build, and those of 32-bit processes another, without symbols. */
static int choose_vdso(struct pp_image *image, const struct op_image_name *name)
{
	const struct pp_images_options *options = &image->images->options;
	pid_t wide = name->anon_start > UINT32_MAX && sizeof(void *) == 8;
	int fd = -ENOENT, err;

	for (size_t i = 0; i < image->nr_builds; i++) {
		if (image->builds[i]->tgid == wide) {
			image->now = image->builds[i];
			return 0;
		}
	}
	if (wide)
		fd = pp_vdso_open_kept(options->samples_dirs, options->nr_samples_dirs);
	if (wide && fd == -ENOENT)
		fd = open_own(image->images);
	if (fd == -ENOMEM)
		return fd;
	err = fd < 0 ? add_process(image) : open_file(image, fd, NULL);
	if (!err && image->now)
		image->now->tgid = wide;
	return err;
}

/* The .jo file of the process; NULL: none. The files are looked for once. */
static const char *find_jo(struct pp_image *image, pid_t tgid)
{
	struct pp_images *images = image->images;

	pthread_mutex_lock(&images->jo_lock);
	if (!images->has_jo_files)
		pp_jo_files_find(&images->jo_files, images->options.samples_dirs,
				 images->options.nr_samples_dirs);
	images->has_jo_files = 1;
	pthread_mutex_unlock(&images->jo_lock);
	return pp_jo_files_of(&images->jo_files, tgid);
}

static int open_jo(struct pp_image *image, int fd, const char *jo)
{
	char *path = strdup(jo);
	int err;

	if (!path) {
		close(fd);
		return -ENOMEM;
	}
	image->now = NULL;
	err = open_file(image, fd, path);
	/* A damaged one is told; the process is without symbols. */
	if (!err && !image->now)
		err = add_process(image);
	return err;
}

/* What the program told about code it made. */
static int open_jit(struct pp_image *image, pid_t tgid, size_t session)
{
	const struct pp_images_options *options = &image->images->options;
	size_t nr = options->nr_samples_dirs;
	struct pp_jit_places places = {
		.samples_dirs = options->samples_dirs + (session < nr ? session : 0),
		.nr_samples_dirs = session < nr ? 1 : nr,
		.with_tmp = !options->root,
	};
	int err = add_process(image);
	struct pp_build *build = image->now;

	if (!err)
		err = pp_jit_open(&build->jit, &places, tgid, image->log);
	if (err)
		return err == -ENOMEM ? err : 0;
	if (build->jit.nr_codes)
		build->symtab = &build->jit.symtab;
	pp_verbose(image->log, "process %d: %zu functions from %s", (int)tgid, build->jit.nr_codes,
		   build->jit.path);
	return 0;
}

/* The session that a sample file is in; how many there are when that is not known. */
static size_t session_of(const struct pp_image *image, const char *path)
{
	const struct pp_images_options *options = &image->images->options;
	size_t i = 0;

	for (; path && i < options->nr_samples_dirs; i++) {
		size_t n = strlen(options->samples_dirs[i]);

		if (!strncmp(path, options->samples_dirs[i], n) && path[n] == '/')
			return i;
	}
	return options->nr_samples_dirs;
}

/* Code made at run time: what the program, or an agent in it, told about it. Another run's process of
 * the same number is another one. */
static int choose_process(struct pp_image *image, const struct op_image_name *name, const char *path)
{
	size_t session = session_of(image, path);
	const char *jo;
	int fd, err;

	for (size_t i = 0; i < image->nr_builds; i++) {
		const struct pp_build *build = image->builds[i];

		if (build->tgid == name->anon_tgid && build->session == session) {
			image->now = image->builds[i];
			return 0;
		}
	}
	jo = find_jo(image, name->anon_tgid);
	fd = jo ? pp_open_regular(jo) : -ENOENT;
	err = fd >= 0 ? open_jo(image, fd, jo) : open_jit(image, name->anon_tgid, session);
	if (err)
		return err;
	image->now->is_process = 1;
	image->now->tgid = name->anon_tgid;
	image->now->session = session;
	return 0;
}

static int choose(struct pp_image *image, const struct pp_image_samples *samples)
{
	const struct op_image_name *name = samples->name ? samples->name : image->name;

	if (image->name->kind == OP_IMAGE_ROOT)
		return choose_build(image, samples);
	if (image->name->kind == OP_IMAGE_KERN || !strcmp(image->name->path, "[stack]"))
		return 0;
	if (!strcmp(image->name->path, "[vdso]"))
		return choose_vdso(image, name);
	return choose_process(image, name, samples->path);
}

/* Who asks before any samples are begun means whatever is here. */
static struct pp_build *build_of(struct pp_image *image)
{
	static const struct pp_image_samples any;

	if (!image->now && choose(image, &any))
		pp_oom(image->log);
	return image->now;
}

int pp_image_open(struct pp_image **ret, struct pp_images *images, const struct op_image_name *name,
		  struct pp_log *log)
{
	struct pp_image *image = calloc(1, sizeof(*image));
	int err = 0;

	if (!image)
		return pp_oom(log);
	image->images = images;
	image->name = name;
	image->log = log;
	image->kernel_file.fd = image->kernel_code.fd = -1;
	image->symtab_end = UINT64_MAX;
	switch (name->kind) {
	case OP_IMAGE_ROOT:
	case OP_IMAGE_ANON:
		break;		/* which build or process is wanted, the samples tell */
	case OP_IMAGE_KERN:
		err = open_kernel(image);
		break;
	}
	if (err) {
		pp_image_close(image);
		return pp_oom(log);
	}
	*ret = image;
	return 0;
}

void pp_image_close(struct pp_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->nr_builds; i++)
		pp_build_close(image->builds[i]);
	free(image->builds);
	pp_debug_data_close(&image->kernel_debug);
	pp_kernel_file_close(&image->kernel_file);
	pp_kernel_code_close(&image->kernel_code);
	pp_symtab_release(&image->own_symtab);
	free(image);
}

int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples)
{
	int is_file = image->name->kind == OP_IMAGE_ROOT;

	image->anon_start = samples->anon_start;
	image->is_kernel = samples->is_kernel && is_file;
	image->no_text = 0;
	if (choose(image, samples))
		return pp_oom(image->log);
	if (!image->is_kernel || image->now->has_text || image->now->state == PP_BUILD_MISSING)
		return 0;
	image->no_text = 1;
	if (!image->warned_no_text)
		pp_warn(image->log,
			"%s: has no .text section, so it is no vmlinux, and its samples have no "
			"symbols",
			image->name->path);
	image->warned_no_text = 1;
	return 0;
}

uint32_t pp_image_build(const struct pp_image *image)
{
	uint32_t i = 0;

	while (i < image->nr_builds && image->builds[i] != image->now)
		i++;
	return i < image->nr_builds ? i : 0;
}

uint32_t pp_image_first_symbol(const struct pp_image *image)
{
	return image->now ? image->now->first_symbol : 0;
}

/* Nothing is known but the address: there is no file, or another one. */
static int is_raw(const struct pp_image *image)
{
	return image->no_text || (image->now && (image->now->state == PP_BUILD_OTHER ||
						 image->now->state == PP_BUILD_MISSING));
}

static int to_vma(const struct pp_image *image, uint64_t key, uint64_t *vma)
{
	if (image->is_kernel) {
		*vma = image->now->text_vma + key;
		return 0;
	}
	if (image->now && image->now->is_process) {
		*vma = image->anon_start + key;
		return 0;
	}
	if (image->now)
		return pp_elf_offset_to_vma(&image->now->elf, key, vma);
	*vma = key;
	return 0;
}

uint64_t pp_image_vma(const struct pp_image *image, uint64_t key)
{
	uint64_t vma;

	if (image->name->kind == OP_IMAGE_ANON && (!image->now || image->now->is_process || image->now->fd < 0))
		return image->anon_start + key;
	if (is_raw(image) || to_vma(image, key, &vma))
		return key;
	return vma;
}

static const struct pp_symtab *symtab_of(const struct pp_image *image)
{
	return image->now ? image->now->symtab : image->symtab;
}

static uint32_t lookup_build(struct pp_image *image, struct pp_build *build, uint64_t vma)
{
	uint32_t symbol = build->symtab ? pp_symtab_lookup(build->symtab, vma) : PP_NO_SYMBOL;

	if (symbol != PP_NO_SYMBOL)
		return build->first_symbol + symbol;
	if (vma < build->plt_start || vma >= build->plt_end || want_plt(image, build))
		return PP_NO_SYMBOL;
	symbol = pp_symtab_lookup(&build->plt.symtab, vma);
	if (symbol == PP_NO_SYMBOL)
		return symbol;
	return build->first_symbol + (build->symtab ? build->symtab->nr : 0) + symbol;
}

uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma)
{
	struct pp_build *build = build_of(image);
	uint32_t symbol = PP_NO_SYMBOL;

	if (build)
		symbol = lookup_build(image, build, vma);
	else if (image->symtab && vma < image->symtab_end)
		symbol = pp_symtab_lookup(image->symtab, vma);
	if (symbol != PP_NO_SYMBOL)
		return symbol;
	return symtab_of(image) ? PP_UNCOVERED : PP_NO_NAME;
}

uint32_t pp_image_lookup(struct pp_image *image, uint64_t key)
{
	uint64_t vma;

	build_of(image);
	if (is_raw(image))
		return PP_RAW;
	if (to_vma(image, key, &vma))
		return symtab_of(image) ? PP_UNCOVERED : PP_NO_NAME;
	return pp_image_lookup_vma(image, vma);
}

static const struct pp_symbol *find_symbol(const struct pp_image *image, uint32_t symbol)
{
	const struct pp_build *build = NULL;
	uint32_t nr;

	for (size_t i = image->nr_builds; i && !build; i--)
		if (symbol >= image->builds[i - 1]->first_symbol)
			build = image->builds[i - 1];
	if (!build)
		return &image->symtab->symbols[symbol];
	symbol -= build->first_symbol;
	nr = build->symtab ? build->symtab->nr : 0;
	return symbol < nr ? &build->symtab->symbols[symbol] :
			     &build->plt.symtab.symbols[symbol - nr];
}

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret)
{
	const struct pp_symbol *s = find_symbol(image, symbol);

	ret->name = s->name;
	ret->vma = s->start;
	ret->size = s->end - s->start;
	ret->is_local = s->bind == PP_BIND_LOCAL;
}

const char *pp_image_data_at(struct pp_image *image, uint64_t vma, uint64_t *offset)
{
	struct pp_build *build = build_of(image);
	uint32_t i;

	if (!build || build->fd < 0 || build->is_process || is_raw(image))
		return NULL;
	if (!build->has_data)
		pp_elf_data_symtab_read(&build->data, &build->elf, build->elf_symtab.debug_path);
	build->has_data = 1;
	i = pp_symtab_lookup(&build->data.symtab, vma);
	if (i == PP_NO_SYMBOL)
		return NULL;
	*offset = vma - build->data.symtab.symbols[i].start;
	return build->data.symtab.symbols[i].name;
}

uint32_t pp_image_nr_symbols(const struct pp_image *image)
{
	const struct pp_build *last = image->nr_builds ? image->builds[image->nr_builds - 1] : NULL;

	if (last)
		return last->first_symbol + nr_symbols_of(last);
	return image->symtab ? image->symtab->nr : 0;
}

static enum pp_image_state state_of(const struct pp_image *image)
{
	if (image->now && image->now->state == PP_BUILD_MISSING)
		return PP_IMAGE_MISSING;
	if (is_raw(image))
		return PP_IMAGE_CHANGED;
	if (image->now && image->now->state == PP_BUILD_KEPT)
		return PP_IMAGE_KEPT;
	return symtab_of(image) ? PP_IMAGE_OK : PP_IMAGE_NO_SYMBOLS;
}

static void open_kernel_debug(struct pp_image *image)
{
	struct pp_kernel_file *file = &image->kernel_file;
	struct pp_kernel_file_options options = {
		.syms = &image->images->kernel,
		.image = image->kimage,
		.root = root_of(image),
		.image_path = image->images->options.image_path,
	};
	struct pp_debug_places places = debug_places_of(image);
	struct pp_section_bases bases;

	if (pp_kernel_file_open(file, &options, image->log)) {
		pp_verbose(image->log, "%s: no vmlinux or module file of kernel %s here, so no "
				       "source lines",
			   image->name->path, image->images->kernel.release);
		pp_kernel_code_open(&image->kernel_code, &image->images->kernel, image->kimage,
				    image->images->options.samples_dirs,
				    image->images->options.nr_samples_dirs);
		return;
	}
	bases = (struct pp_section_bases){ file->bases, file->nr_bases };
	pp_debug_data_open(&image->kernel_debug, &file->elf, file->path, &places, &bases);
}

/* Looks for debug data, and for the kernel's code, once. */
static void want_debug(struct pp_image *image)
{
	struct pp_debug_places places = debug_places_of(image);
	struct pp_build *build = build_of(image);

	if (image->kimage && !image->has_kernel_debug) {
		image->has_kernel_debug = 1;
		open_kernel_debug(image);
	}
	if (!build || build->has_debug || build->state != PP_BUILD_FOUND || !build->path ||
	    image->no_text)
		return;
	build->has_debug = 1;
	places.known = build->elf_symtab.debug_path;
	pp_debug_data_open(&build->debug, &build->elf, build->path, &places, NULL);
}

/* The lines of the binary; NULL: there are none. */
static struct pp_lines *lines_of(struct pp_image *image)
{
	want_debug(image);
	if (image->kimage)
		return image->kernel_debug.lines;
	return image->now && !is_raw(image) ? image->now->debug.lines : NULL;
}

static void describe_jit(const struct pp_jit *jit, struct pp_image_info *info)
{
	info->symbols = "the program itself";
	info->symbols_path = jit->path;
	if (jit->nr_lines)
		info->debug_path = jit->path;
	info->machine = jit->machine;
	info->is64 = sizeof(void *) == 8;
	info->has_elf = info->machine != 0;
	info->big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static void describe_build(const struct pp_build *build, struct pp_image_info *info)
{
	info->path = build->path;
	info->symbols = build->symbols_from;
	info->symbols_path = build->elf_symtab.debug_path;
	info->build_id = build->build_id;
	if (build->debug.lines)
		info->debug_path = build->debug.path;
}

static void describe_elf(const struct pp_elf *elf, struct pp_image_info *info)
{
	info->has_elf = 1;
	info->machine = elf->machine;
	info->is64 = elf->is64;
	info->big_endian = elf->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
}

/* Who decided what the debug data says. A program's own words about code it made at run time are
 * kept with the session, in files of whoever profiled: of root's nobody can know whose they are. */
static uid_t owner_of(const struct pp_image *image)
{
	const struct pp_build *build = image->now;
	const struct pp_debug_data *debug = build ? &build->debug : &image->kernel_debug;
	struct stat st = { 0 };

	if (build && build->fd >= 0 && fstat(build->fd, &st))
		return PP_NOBODY;
	if (build && build->jit.path && lstat(build->jit.path, &st))
		return PP_NOBODY;
	if (build && build->is_process)
		return st.st_uid ? st.st_uid : PP_NOBODY;
	return st.st_uid ? st.st_uid : debug->lines ? debug->owner : 0;
}

static void describe_kernel_code(const struct pp_kernel_code *code, struct pp_image_info *info)
{
	info->has_elf = 1;
	info->machine = code->machine;
	info->is64 = code->is64;
	info->big_endian = code->big_endian;
}

void pp_image_info(struct pp_image *image, int with_debug, struct pp_image_info *ret)
{
	const struct pp_build *build = build_of(image);
	struct pp_image_info info = { 0 };

	if (with_debug)
		want_debug(image);
	info.state = state_of(image);
	if (build)
		describe_build(build, &info);
	if (image->kimage && image->symtab)
		info.symbols = OP_KERNEL_SYMS_FILE;
	if (build && build->jit.path)
		describe_jit(&build->jit, &info);
	if (image->kernel_debug.lines)
		info.debug_path = image->kernel_debug.path;
	info.owner = owner_of(image);
	if (build && build->elf.machine)
		describe_elf(&build->elf, &info);
	else if (image->kernel_file.fd >= 0)
		describe_elf(&image->kernel_file.elf, &info);
	else if (image->kernel_code.fd >= 0)
		describe_kernel_code(&image->kernel_code, &info);
	*ret = info;
}

/* What the program told of its code; NULL: nothing. */
static const struct pp_jit *jit_of(const struct pp_image *image)
{
	return image->now && image->now->jit.path ? &image->now->jit : NULL;
}

int pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_lines *lines = lines_of(image);
	const struct pp_jit *jit = jit_of(image);

	if (jit)
		return pp_jit_line(jit, vma, ret);
	return lines && pp_lines_line(lines, vma + image->kernel_file.bias, 0, ret);
}

int pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_lines *lines = lines_of(image);
	const struct pp_jit *jit = jit_of(image);

	if (jit)
		return pp_jit_line(jit, vma, ret);
	return lines && pp_lines_line(lines, vma + image->kernel_file.bias, 1, ret);
}

unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max)
{
	struct pp_lines *lines = lines_of(image);
	const struct pp_jit *jit = jit_of(image);
	const struct pp_symtab *symtab;
	unsigned int nr = 0;

	if (jit)
		return max ? pp_jit_line(jit, vma, frames) : 0;
	if (lines)
		nr = pp_lines_frames(lines, vma + image->kernel_file.bias, frames, max);

	/* Debug data has no name for the parts a compiler splits off: main.cold is main there. */
	symtab = symtab_of(image);
	if (nr && nr < max && symtab && pp_symtab_lookup(symtab, vma) != PP_NO_SYMBOL)
		frames[nr - 1].function = NULL;
	return nr;
}

size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size)
{
	const struct pp_build *build = build_of(image);

	if (image->kimage)
		want_debug(image);
	if (build && build->jit.path)
		return pp_jit_code(&build->jit, vma, buf, size);
	if (image->kernel_file.fd >= 0)
		return pp_kernel_file_code(&image->kernel_file, vma, buf, size);
	if (image->kernel_code.fd >= 0)
		return pp_kernel_code_read(&image->kernel_code, vma, buf, size);
	if (!build || build->fd < 0 || is_raw(image))
		return 0;
	return pp_elf_code(&build->elf, vma, buf, size);
}
