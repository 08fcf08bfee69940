// SPDX-License-Identifier: GPL-2.0-or-later
/* image.c -- opens images of every kind and answers for their addresses. */
#include "config.h"
#include "pp/image/image.h"

#include <elf.h>
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
#include "libop/build_ids.h"
#include "libop/kernel_syms.h"
#include "libop/session_paths.h"
#include "pp/image/debug_data.h"
#include "pp/image/elf.h"
#include "pp/image/elf_symtab.h"
#include "pp/image/jit.h"
#include "pp/image/jo_files.h"
#include "pp/image/kernel.h"
#include "pp/image/kernel_file.h"
#include "pp/image/lines.h"
#include "pp/image/locate.h"
#include "pp/image/plt.h"
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
	char *path;		/* where it was found; NULL: not a file */
	int fd;			/* -1: none */
	struct pp_elf elf;	/* when fd >= 0 */
	uint64_t mtime;
	char *build_id;		/* hex, or NULL */
	struct pp_elf_symtab elf_symtab;
	struct pp_symtab kernel_symtab;
	struct pp_jit jit;
	int is_process;		/* addresses are a process': elf is its .jo file, or jit is used */
	const struct pp_symtab *symtab;	/* one of the three, or NULL */
	uint64_t symtab_end;	/* offsets from here on are not for symtab */
	uint64_t plt_start, plt_end;
	struct pp_plt plt;
	int has_plt;
	const struct op_kimage *kimage;		/* kernel and modules: what the session knows */
	struct pp_kernel_file kernel_file;	/* ... and the file, if there is one here */
	struct pp_debug_data debug;
	int has_debug;		/* were the two above looked for? */
	enum { BUILD_UNKNOWN, BUILD_SAME, BUILD_OTHER } build;	/* than the one profiled */
	int unusable;		/* missing, unreadable, damaged: told already */
	int warned_changed;
	/* of the samples begun */
	int changed;
	int is_kernel;
	uint64_t text_vma;	/* of .text, when is_kernel */
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

static int ends_with(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && !strcmp(text + n - m, suffix);
}

static void tell_missing(struct pp_image *image, int err)
{
	const char *path = image->name->path;

	image->unusable = 1;
	if (ends_with(path, " (deleted)"))
		pp_warn(image->log,
			"%s: the file was gone when it was profiled, so its samples have no symbols",
			path);
	else if (strstr(path, " (version of "))
		pp_warn(image->log,
			"%s: the file was replaced while it was profiled, so samples of the "
			"older one have no symbols",
			path);
	else if (err == -ENOENT || err == -ENOTDIR)
		pp_warn(image->log,
			"%s: not there any more, so its samples have no symbols; --image-path or "
			"--root "
			"can name where it is now",
			path);
	else
		pp_warn(image->log, "%s: %s, so its samples have no symbols", path,
			err == -EINVAL ? "not a regular file" : strerror(-err));
}

static const char *root_of(const struct pp_image *image)
{
	return image->images->options.root ? image->images->options.root : "";
}

static struct pp_debug_places places_of(const struct pp_image *image)
{
	return (struct pp_debug_places){
		.root = root_of(image),
		.server = image->images->debuginfod,
		.log = image->log,
	};
}

static int read_symtab(struct pp_image *image)
{
	struct pp_symbol_cache *cache = image->images->cache;
	struct pp_debug_places places = places_of(image);
	int err = pp_symbol_cache_read(cache, &image->elf, &image->elf_symtab);

	if (!err || err == -ENOMEM)
		return err;
	err = pp_elf_symtab_read(&image->elf_symtab, &image->elf, image->path, &places);
	if (!err && image->elf_symtab.from)
		pp_symbol_cache_write(cache, &image->elf, &image->elf_symtab);
	return err;
}

/* Takes over fd; errors other than -ENOMEM are told and leave an unusable image. */
static int read_elf(struct pp_image *image, int fd)
{
	struct stat st;
	int err = pp_elf_read(&image->elf, fd);

	if (err) {
		close(fd);
		if (err == -ENOMEM)
			return err;
		image->unusable = 1;
		pp_warn(image->log,
			"%s: not an ELF file, or damaged, so its samples have no symbols",
			image->name->path);
		return 0;
	}
	image->fd = fd;
	pp_plt_bounds(&image->elf, &image->plt_start, &image->plt_end);
	if (!fstat(fd, &st))
		image->mtime = st.st_mtime;
	image->build_id = pp_elf_build_id(&image->elf);
	err = read_symtab(image);
	if (err)
		return err;
	if (image->elf_symtab.from)
		image->symtab = &image->elf_symtab.symtab;
	pp_verbose(image->log, "%s: %zu symbols from %s%s%s", image->name->path,
		   image->elf_symtab.symtab.nr,
		   image->elf_symtab.from ? image->elf_symtab.from : "nowhere",
		   image->elf_symtab.debug_path ? " of " : "",
		   image->elf_symtab.debug_path ? image->elf_symtab.debug_path : "");
	return 0;
}

static int same_id(const struct op_build_id *id, const char *hex)
{
	char text[2 * OP_BUILD_ID_MAX + 1] = "";

	for (size_t i = 0; i < id->len && i < OP_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id->id[i]);
	return hex && !strcmp(text, hex);
}

/* Of several builds profiled under this path the file may be any. */
static void compare_build(struct pp_image *image)
{
	const struct op_build_id *ids;
	size_t nr = op_build_ids_find(&image->images->build_ids, image->name->path, &ids);

	if (!nr || image->fd < 0)
		return;
	image->build = BUILD_OTHER;
	for (size_t i = 0; i < nr; i++)
		if (same_id(&ids[i], image->build_id))
			image->build = BUILD_SAME;
}

static int open_file(struct pp_image *image)
{
	const struct pp_images_options *options = &image->images->options;
	int fd = pp_locate(&image->path, image->name->path, options->root, options->image_path);
	int err;

	if (fd == -ENOMEM)
		return fd;
	if (fd < 0) {
		tell_missing(image, fd);
		return 0;
	}
	err = read_elf(image, fd);
	if (!err)
		compare_build(image);
	return err;
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
	err = pp_kernel_symtab_make(&image->kernel_symtab, kimage);
	if (err)
		return err;
	if (image->kernel_symtab.nr)
		image->symtab = &image->kernel_symtab;
	/* Without a vmlinux everything in kernel mode is one image, modules too: only what is
	 * inside the core can be named. */
	if (no_vmlinux)
		image->symtab_end = kimage->size;
	return 0;
}

/* The vdso of 64-bit processes: the one kept with the session, or ours when the kernel is the same.
 */
static int open_vdso(struct pp_image *image)
{
	const struct pp_images_options *options = &image->images->options;
	const struct op_image_name *name = image->name;
	struct utsname uts;
	int fd;

	if (name->anon_start <= UINT32_MAX || sizeof(void *) < 8)
		return 0;
	fd = pp_vdso_open_kept(options->samples_dirs, options->nr_samples_dirs);
	if (fd == -ENOENT && image->images->has_kernel && !uname(&uts) &&
	    !strcmp(uts.release, image->images->kernel.release))
		fd = pp_vdso_open();
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	return read_elf(image, fd);
}

/* The .jo file of the process; NULL: none. The files are looked for once. */
static const char *find_jo(struct pp_image *image)
{
	struct pp_images *images = image->images;

	pthread_mutex_lock(&images->jo_lock);
	if (!images->has_jo_files)
		pp_jo_files_find(&images->jo_files, images->options.samples_dirs,
				 images->options.nr_samples_dirs);
	images->has_jo_files = 1;
	pthread_mutex_unlock(&images->jo_lock);
	return pp_jo_files_of(&images->jo_files, image->name->anon_tgid);
}

/* Code made at run time: what the program, or an agent in it, told about it. */
static int open_process(struct pp_image *image)
{
	const struct pp_images_options *options = &image->images->options;
	struct pp_jit_places places = {
		.samples_dirs = options->samples_dirs,
		.nr_samples_dirs = options->nr_samples_dirs,
		.with_tmp = !options->root,
	};
	const char *jo = find_jo(image);
	int fd = jo ? pp_open_regular(jo) : -ENOENT;
	int err;

	if (fd >= 0) {
		image->is_process = 1;
		image->path = strdup(jo);
		if (!image->path) {
			close(fd);
			return -ENOMEM;
		}
		return read_elf(image, fd);
	}
	err = pp_jit_open(&image->jit, &places, image->name->anon_tgid, image->log);
	if (err)
		return err == -ENOMEM ? err : 0;
	image->is_process = 1;
	if (image->jit.nr_codes)
		image->symtab = &image->jit.symtab;
	pp_verbose(image->log, "process %d: %zu functions from %s", (int)image->name->anon_tgid,
		   image->jit.nr_codes, image->jit.path);
	return 0;
}

static int open_anon(struct pp_image *image)
{
	if (!strcmp(image->name->path, "[vdso]"))
		return open_vdso(image);
	if (!strcmp(image->name->path, "[stack]"))
		return 0;
	return open_process(image);
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
	image->fd = -1;
	image->kernel_file.fd = -1;
	image->symtab_end = UINT64_MAX;
	switch (name->kind) {
	case OP_IMAGE_ROOT:
		err = open_file(image);
		break;
	case OP_IMAGE_KERN:
		err = open_kernel(image);
		break;
	case OP_IMAGE_ANON:
		err = open_anon(image);
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
	pp_debug_data_close(&image->debug);
	pp_jit_close(&image->jit);
	pp_kernel_file_close(&image->kernel_file);
	pp_plt_release(&image->plt);
	pp_symtab_release(&image->kernel_symtab);
	pp_elf_symtab_release(&image->elf_symtab);
	if (image->fd >= 0) {
		pp_elf_release(&image->elf);
		close(image->fd);
	}
	free(image->build_id);
	free(image->path);
	free(image);
}

static int find_text(struct pp_image *image)
{
	const struct pp_elf_section *text = pp_elf_section_by_name(&image->elf, ".text");

	if (!text)
		return -ENOENT;
	image->text_vma = text->addr;
	return 0;
}

/* A build-id tells for sure; else a time of last change that differs counts as another file. */
static int is_changed(const struct pp_image *image, const struct pp_image_samples *samples)
{
	if (image->build != BUILD_UNKNOWN)
		return image->build == BUILD_OTHER;
	return samples->mtime && samples->mtime != image->mtime;
}

int pp_image_begin(struct pp_image *image, const struct pp_image_samples *samples)
{
	int is_file = image->name->kind == OP_IMAGE_ROOT && image->fd >= 0;

	image->anon_start = samples->anon_start;
	image->is_kernel = samples->is_kernel && is_file;
	image->changed = 0;
	if (is_file && is_changed(image, samples)) {
		image->changed = 1;
		if (!image->warned_changed)
			pp_warn(image->log,
				"%s: is not the file that was profiled, so its samples have no "
				"symbols",
				image->name->path);
		image->warned_changed = 1;
	}
	if (image->is_kernel && find_text(image)) {
		image->changed = 1;
		if (!image->warned_changed)
			pp_warn(image->log,
				"%s: has no .text section, so it is no vmlinux, and its samples "
				"have no symbols",
				image->name->path);
		image->warned_changed = 1;
	}
	return 0;
}

static int to_vma(const struct pp_image *image, uint64_t key, uint64_t *vma)
{
	if (image->is_kernel) {
		*vma = image->text_vma + key;
		return 0;
	}
	if (image->is_process) {
		*vma = image->anon_start + key;
		return 0;
	}
	if (image->fd >= 0)
		return pp_elf_offset_to_vma(&image->elf, key, vma);
	*vma = key;
	return 0;
}

uint64_t pp_image_vma(const struct pp_image *image, uint64_t key)
{
	uint64_t vma;

	if (image->name->kind == OP_IMAGE_ANON && (image->fd < 0 || image->is_process))
		return image->anon_start + key;
	if (image->unusable || image->changed || to_vma(image, key, &vma))
		return key;
	return vma;
}

static const char *file_name(const struct pp_image *image)
{
	const char *base = strrchr(image->name->path, '/');

	return base ? base + 1 : image->name->path;
}

/* Names of stubs are only looked for when a sample fell into one. */
static uint32_t lookup_plt(struct pp_image *image, uint64_t vma)
{
	uint32_t symbol;
	int err = 0;

	if (vma < image->plt_start || vma >= image->plt_end)
		return PP_NO_SYMBOL;
	if (!image->has_plt) {
		pthread_mutex_lock(&image->images->bfd);
		err = pp_plt_read(&image->plt, &image->elf, file_name(image));
		pthread_mutex_unlock(&image->images->bfd);
	}
	if (err)
		return PP_NO_SYMBOL;
	image->has_plt = 1;
	symbol = pp_symtab_lookup(&image->plt.symtab, vma);
	return symbol == PP_NO_SYMBOL ? symbol : (image->symtab ? image->symtab->nr : 0) + symbol;
}

uint32_t pp_image_lookup_vma(struct pp_image *image, uint64_t vma)
{
	uint32_t symbol = PP_NO_SYMBOL;

	if (image->symtab && vma < image->symtab_end)
		symbol = pp_symtab_lookup(image->symtab, vma);
	if (symbol == PP_NO_SYMBOL)
		symbol = lookup_plt(image, vma);
	if (symbol != PP_NO_SYMBOL)
		return symbol;
	return image->symtab ? PP_UNCOVERED : PP_NO_NAME;
}

uint32_t pp_image_lookup(struct pp_image *image, uint64_t key)
{
	uint64_t vma;

	if (image->unusable || image->changed)
		return PP_RAW;
	if (to_vma(image, key, &vma))
		return image->symtab ? PP_UNCOVERED : PP_NO_NAME;
	return pp_image_lookup_vma(image, vma);
}

void pp_image_symbol(const struct pp_image *image, uint32_t symbol, struct pp_symbol_info *ret)
{
	uint32_t nr = image->symtab ? image->symtab->nr : 0;
	const struct pp_symbol *s = symbol < nr ? &image->symtab->symbols[symbol] :
						  &image->plt.symtab.symbols[symbol - nr];

	ret->name = s->name;
	ret->vma = s->start;
	ret->size = s->end - s->start;
	ret->is_local = s->bind == PP_BIND_LOCAL;
}

uint32_t pp_image_nr_symbols(const struct pp_image *image)
{
	return (image->symtab ? image->symtab->nr : 0) + image->plt.symtab.nr;
}

static enum pp_image_state state_of(const struct pp_image *image)
{
	if (image->unusable)
		return PP_IMAGE_MISSING;
	if (image->changed)
		return PP_IMAGE_CHANGED;
	return image->symtab ? PP_IMAGE_OK : PP_IMAGE_NO_SYMBOLS;
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
	struct pp_debug_places places = places_of(image);
	struct pp_section_bases bases;

	if (pp_kernel_file_open(file, &options, image->log)) {
		pp_verbose(image->log, "%s: no vmlinux or module file of kernel %s here, so no "
				       "source lines",
			   image->name->path, image->images->kernel.release);
		return;
	}
	bases = (struct pp_section_bases){ file->bases, file->nr_bases };
	pp_debug_data_open(&image->debug, &file->elf, file->path, &places, &bases);
}

/* Looks for debug data, and for the kernel's code, once. */
static void want_debug(struct pp_image *image)
{
	struct pp_debug_places places = places_of(image);

	if (image->has_debug || image->unusable || image->changed)
		return;
	image->has_debug = 1;
	if (image->kimage) {
		open_kernel_debug(image);
	} else if (image->fd >= 0 && image->path) {
		places.known = image->elf_symtab.debug_path;
		pp_debug_data_open(&image->debug, &image->elf, image->path, &places, NULL);
	}
}

/* The lines of the binary; NULL: there are none. */
static struct pp_lines *lines_of(struct pp_image *image)
{
	want_debug(image);
	return image->changed ? NULL : image->debug.lines;
}

/* Who decided what the debug data says. A program's own words about code it made at run time are
 * kept with the session, in files of whoever profiled: of root's nobody can know whose they are. */
static uid_t owner_of(const struct pp_image *image)
{
	int is_file = image->fd >= 0;
	struct stat st = { 0 };

	if (is_file && fstat(image->fd, &st))
		return PP_NOBODY;
	if (image->jit.path && lstat(image->jit.path, &st))
		return PP_NOBODY;
	if (image->jit.path || image->is_process)
		return st.st_uid ? st.st_uid : PP_NOBODY;
	return st.st_uid ? st.st_uid : image->debug.lines ? image->debug.owner : 0;
}

void pp_image_info(struct pp_image *image, int with_debug, struct pp_image_info *ret)
{
	struct pp_image_info info = {
		.state = state_of(image),
		.path = image->path,
		.symbols = image->symtab ? image->elf_symtab.from : NULL,
		.symbols_path = image->elf_symtab.debug_path,
		.build_id = image->build_id,
	};
	const struct pp_elf *elf = NULL;

	if (with_debug)
		want_debug(image);
	info.owner = owner_of(image);
	if (image->kimage && image->symtab)
		info.symbols = OP_KERNEL_SYMS_FILE;
	if (image->jit.path) {
		info.symbols = "the program itself";
		info.symbols_path = image->jit.path;
		if (image->jit.nr_lines)
			info.debug_path = image->jit.path;
		info.machine = image->jit.machine;
		info.is64 = sizeof(void *) == 8;
		info.has_elf = info.machine != 0;
		info.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	}
	if (image->debug.lines)
		info.debug_path = image->debug.path;
	if (image->fd >= 0)
		elf = &image->elf;
	else if (image->kernel_file.fd >= 0)
		elf = &image->kernel_file.elf;
	if (elf) {
		info.has_elf = 1;
		info.machine = elf->machine;
		info.is64 = elf->is64;
		info.big_endian = elf->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	}
	*ret = info;
}

int pp_image_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_lines *lines = lines_of(image);

	if (image->jit.path)
		return pp_jit_line(&image->jit, vma, ret);
	return lines && pp_lines_line(lines, vma + image->kernel_file.bias, 0, ret);
}

int pp_image_symbol_line(struct pp_image *image, uint64_t vma, struct pp_frame *ret)
{
	struct pp_lines *lines = lines_of(image);

	if (image->jit.path)
		return pp_jit_line(&image->jit, vma, ret);
	return lines && pp_lines_line(lines, vma + image->kernel_file.bias, 1, ret);
}

unsigned int pp_image_frames(struct pp_image *image, uint64_t vma, struct pp_frame *frames,
			     unsigned int max)
{
	struct pp_lines *lines = lines_of(image);
	unsigned int nr = 0;

	if (image->jit.path)
		return max ? pp_jit_line(&image->jit, vma, frames) : 0;
	if (lines)
		nr = pp_lines_frames(lines, vma + image->kernel_file.bias, frames, max);

	/* Debug data has no name for the parts a compiler splits off: main.cold is main there. */
	if (nr && nr < max && image->symtab &&
	    pp_symtab_lookup(image->symtab, vma) != PP_NO_SYMBOL)
		frames[nr - 1].function = NULL;
	return nr;
}

size_t pp_image_code(struct pp_image *image, uint64_t vma, void *buf, size_t size)
{
	if (image->kimage)
		want_debug(image);
	if (image->jit.path)
		return pp_jit_code(&image->jit, vma, buf, size);
	if (image->kernel_file.fd >= 0)
		return pp_kernel_file_code(&image->kernel_file, vma, buf, size);
	if (image->fd < 0 || image->changed)
		return 0;
	return pp_elf_code(&image->elf, vma, buf, size);
}
