// SPDX-License-Identifier: GPL-2.0-or-later
/* images.c -- data beside the sample files, read once for all images. */
#include "config.h"
#include "pp/image/images.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/error.h"
#include "libop/base/grow.h"
#include "libop/session/paths.h"
#include "pp/image/kernel_code.h"
#include "pp/image/lines.h"
#include "pp/image/symbol_cache.h"

/* Search for .jo files (code compiled at run time) in the session's directories. */

/* Return the pid in a name like "123.jo", or 0. */
static pid_t owner_of(const char *name)
{
	char *end;
	long tgid = strtol(name, &end, 10);

	return end != name && !strcmp(end, ".jo") && tgid > 0 && tgid == (pid_t)tgid ? tgid : 0;
}

static int add(struct pp_jo_files *files, pid_t tgid, const char *path)
{
	if (op_grow(&files->items, files->nr))
		return -ENOMEM;
	files->items[files->nr] = (struct pp_jo_file){ tgid, strdup(path) };
	if (!files->items[files->nr].path)
		return -ENOMEM;
	files->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct pp_jo_file *x = a, *y = b;

	return x->tgid < y->tgid ? -1 : x->tgid > y->tgid;
}

static int walk(struct pp_jo_files *files, char *dir)
{
	char *roots[] = { dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int err = 0;

	while (!err && fts && (entry = fts_read(fts)))
		if (entry->fts_info == FTS_F && owner_of(entry->fts_name))
			err = add(files, owner_of(entry->fts_name), entry->fts_path);
	if (fts)
		fts_close(fts);
	return err;
}

static void jo_files_release(struct pp_jo_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		free(files->items[i].path);
	free(files->items);
	*files = (struct pp_jo_files){ 0 };
}

static int jo_files_find(struct pp_jo_files *ret, char *const *samples_dirs, size_t nr_dirs)
{
	struct pp_jo_files files = { 0 };
	int err = 0;

	for (size_t i = 0; i < nr_dirs && !err; i++)
		err = walk(&files, samples_dirs[i]);
	if (err) {
		jo_files_release(&files);
		return err;
	}
	if (files.nr)
		qsort(files.items, files.nr, sizeof(*files.items), compare);
	*ret = files;
	return 0;
}

/* Return the path of the .jo file of process @tgid, or NULL. */
static const char *jo_files_of(const struct pp_jo_files *files, pid_t tgid)
{
	const struct pp_jo_file key = { .tgid = tgid }, *found = NULL;

	if (files->nr)
		found = bsearch(&key, files->items, files->nr, sizeof(key), compare);
	return found ? found->path : NULL;
}

/* .kernel_of value of a samples directory without kernel symbols */
#define NO_KERNEL	SIZE_MAX

static bool are_same(const char *a, const char *b)
{
	return !a || !b ? a == b : !strcmp(a, b);
}

/* Read the kernel symbols in samples directory @i. If an earlier session has the same kernel, use
 * that session's symbols. */
static int read_kernel(struct pp_images *images, int dirfd, size_t i)
{
	struct op_kernel_syms *kernel;
	size_t n = 0;
	int err;

	if (op_grow(&images->kernels, images->nr_kernels))
		return -ENOMEM;
	kernel = &images->kernels[images->nr_kernels];
	*kernel = (struct op_kernel_syms){ .release = NULL };
	err = op_kernel_syms_read(kernel, dirfd);
	if (err && err != -ENOENT && err != -ENOMEM)
		pp_warn(images->log, "%s/%s: %s", images->options.samples_dirs[i],
			OP_KERNEL_SYMS_FILE, op_strerror(err));
	if (err)
		return err == -ENOMEM ? err : 0;
	while (!are_same(images->kernels[n].build_id, kernel->build_id) ||
	       !are_same(images->kernels[n].release, kernel->release))
		n++;
	images->kernel_of[i] = n;
	if (n == images->nr_kernels)
		images->nr_kernels++;
	else
		op_kernel_syms_release(kernel);
	return 0;
}

static int read_build_ids(struct pp_images *images, int dirfd, const char *dir)
{
	int err = op_build_ids_read(&images->build_ids, dirfd);

	if (err && err != -ENOENT && err != -ENOMEM)
		pp_warn(images->log, "%s/%s: %s", dir, OP_BUILD_IDS_FILE, op_strerror(err));
	return err == -ENOMEM ? err : 0;
}

/* Read the kernel symbols and the build-ids from files beside the sample files. */
static int read_neighbours(struct pp_images *images)
{
	size_t nr = images->options.nr_samples_dirs;
	int err = 0;

	images->kernel_of = calloc(nr + 1, sizeof(*images->kernel_of));
	if (!images->kernel_of)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		images->kernel_of[i] = NO_KERNEL;
	for (size_t i = 0; i < nr && !err; i++) {
		const char *dir = images->options.samples_dirs[i];
		int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dirfd < 0)
			continue;
		err = read_kernel(images, dirfd, i);
		if (!err)
			err = read_build_ids(images, dirfd, dir);
		close(dirfd);
	}
	return err;
}

int pp_images_update(struct pp_images *images)
{
	int err = 0;

	for (size_t i = 0; i < images->options.nr_samples_dirs && !err; i++) {
		const char *dir = images->options.samples_dirs[i];
		int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dirfd < 0)
			continue;
		if (images->kernel_of[i] == NO_KERNEL)
			err = read_kernel(images, dirfd, i);
		if (!err)
			err = read_build_ids(images, dirfd, dir);
		close(dirfd);
	}
	return err;
}

int pp_images_create(struct pp_images **ret, const struct pp_images_options *options,
		     struct pp_log *log)
{
	struct pp_images *images = calloc(1, sizeof(*images));
	int err;

	if (!images)
		return -ENOMEM;
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
	while (images->nr_kernels)
		op_kernel_syms_release(&images->kernels[--images->nr_kernels]);
	free(images->kernels);
	free(images->kernel_of);
	pthread_mutex_destroy(&images->jo_lock);
	pthread_mutex_destroy(&images->bfd);
	jo_files_release(&images->jo_files);
	free(images);
}

size_t pp_images_session(const struct pp_images *images, const char *path)
{
	const struct pp_images_options *options = &images->options;
	size_t i = 0;

	for (; path && i < options->nr_samples_dirs; i++) {
		size_t n = strlen(options->samples_dirs[i]);

		if (!strncmp(path, options->samples_dirs[i], n) && (path[n] == '/' || !path[n]))
			return i;
	}
	return options->nr_samples_dirs;
}

const char *pp_images_samples_dir(const struct pp_images *images, const char *name)
{
	for (size_t i = 0; i < images->options.nr_samples_dirs; i++) {
		const char *dir = images->options.samples_dirs[i], *last = strrchr(dir, '/');

		if (!strcmp(last ? last + 1 : dir, name))
			return dir;
	}
	return NULL;
}

const struct op_kernel_syms *pp_images_kernel(const struct pp_images *images, const char *path)
{
	size_t session = pp_images_session(images, path), kernel = 0;

	if (session < images->options.nr_samples_dirs)
		kernel = images->kernel_of[session];
	return kernel < images->nr_kernels ? &images->kernels[kernel] : NULL;
}

size_t pp_images_kernel_dirs(const struct pp_images *images, const struct op_kernel_syms *kernel,
			     char **dirs)
{
	size_t nr = 0;

	for (size_t i = 0; i < images->options.nr_samples_dirs; i++)
		if (images->kernel_of[i] < images->nr_kernels &&
		    &images->kernels[images->kernel_of[i]] == kernel)
			dirs[nr++] = images->options.samples_dirs[i];
	return nr;
}

const char *pp_images_kernel_hindrance(const struct pp_images *images)
{
	const char *hindrance = NULL;

	for (size_t i = 0; i < images->nr_kernels && !hindrance; i++)
		hindrance = pp_kernel_code_hindrance(&images->kernels[i]);
	return hindrance;
}

struct pp_debug_places pp_images_debug_places(const struct pp_images *images, struct pp_log *log)
{
	return (struct pp_debug_places){
		.root = images->options.root ? images->options.root : "",
		.server = images->debuginfod,
		.log = log,
	};
}

/* At the first call, search the sessions for .jo files. */
const char *pp_images_jo_file(struct pp_images *images, pid_t tgid)
{
	pthread_mutex_lock(&images->jo_lock);
	if (!images->has_jo_files)
		jo_files_find(&images->jo_files, images->options.samples_dirs,
				 images->options.nr_samples_dirs);
	images->has_jo_files = 1;
	pthread_mutex_unlock(&images->jo_lock);
	return jo_files_of(&images->jo_files, tgid);
}
