// SPDX-License-Identifier: GPL-2.0-or-later
/* arc_files.c -- writing of call-graph files from the calls in trees of call paths. */
#include "config.h"
#include "pp/archive/arc_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdb/odb.h"
#include "libop/base/fs.h"
#include "libop/base/hash.h"
#include "libop/base/plural.h"
#include "libop/base/search.h"
#include "pp/join/make.h"
#include "pp/paths/arcs.h"
#include "pp/source/samples.h"

#define PART	".%.240s.part"	/* temporary name of a new file until all files are complete */

/* A file that is being written. The hash table finds files by path, because the trees of several
 * programs may have calls that belong in the same file. */
struct file {
	/* must be the first member, because pointers to the link are cast to struct file */
	struct op_hash_link link;
	size_t session;
	char path[]; /* path of the call-graph file, relative to the samples directory */
};

struct writer {
	struct pp_arc_files *job;
	const int *samples;
	struct op_hash_table files;
	/* Header to write to new files. It was read from a sample file with the session and event
	 * of the tree .header_of. */
	struct op_sample_header header;
	const struct pp_sample_file *header_of;
};

static int fail(const struct writer *w, const char *path, int err)
{
	return op_fail(&w->job->log->error, err, "cannot write %s: %s", path, odb_strerror(err));
}

static bool same_event(const struct op_sample_name *a, const struct op_sample_name *b)
{
	return a->count == b->count && a->um == b->um && !strcmp(a->event, b->event);
}

/* Read the header for new files from a sample file with the session, event and CPU of @tree. */
static void find_header(struct writer *w, const struct pp_sample_file *tree)
{
	const struct pp_files *files = &w->job->session->files;

	if (w->header_of && w->header_of->session == tree->session &&
	    same_event(&w->header_of->name, &tree->name))
		return;
	op_sample_header_init(&w->header);
	w->header_of = tree;
	for (size_t i = 0; i < files->nr; i++) {
		struct pp_samples samples;

		if (files->items[i].session != tree->session ||
		    !same_event(&files->items[i].name, &tree->name) ||
		    pp_samples_open(&samples, files->items[i].path))
			continue;
		w->header = samples.header;
		pp_samples_close(&samples);
		return;
	}
}

static bool has_samples(const struct pp_files *files, const char *image, const char *app)
{
	size_t i = op_partition_point(k, files->nr,
				      strcmp(files->items[k].image, image) < 0 ||
					      (!strcmp(files->items[k].image, image) &&
					       strcmp(files->items[k].app, app) < 0));

	return i < files->nr && !strcmp(files->items[i].image, image) &&
	       !strcmp(files->items[i].app, app);
}

/* Return whether the session merges the image's samples of all programs. Then sample files and
 * call-graph files of the image name the image as the program. */
static bool is_its_own_app(const struct writer *w, const struct pp_sample_file *tree,
			   uint32_t image)
{
	const char *title = w->job->session->path_images[tree->session].titles[image];
	const struct pp_files *files = &w->job->session->files;

	return !has_samples(files, title, tree->app) && has_samples(files, title, title);
}

static struct file *find_file(const struct writer *w, size_t session, const char *path)
{
	struct op_hash_link *link;

	for (link = op_hash_first(&w->files, op_hash_text(session, path)); link;
	     link = op_hash_next(link)) {
		struct file *file = (struct file *)link;

		if (file->session == session && !strcmp(file->path, path))
			return file;
	}
	return NULL;
}

static int add_file(struct writer *w, size_t session, const char *path)
{
	struct file *file = malloc(sizeof(*file) + strlen(path) + 1);

	if (!file)
		return -ENOMEM;
	file->session = session;
	strcpy(file->path, path);
	op_hash_add(&w->files, &file->link, op_hash_text(session, path));
	return 0;
}

/* Open the new file at @path under its temporary name. Return a descriptor or a negative errno. */
static int open_part(struct writer *w, size_t session, const char *path)
{
	const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
	const char *leaf;
	char part[300];
	int dir = op_open_parent(w->samples[session], path, &leaf, 1, 0755), fd, err = 0;

	if (dir < 0)
		return dir;
	snprintf(part, sizeof(part), PART, leaf);
	if (find_file(w, session, path)) {
		fd = openat(dir, part, flags);
	} else {
		/* remove a temporary file that a killed process left behind */
		unlinkat(dir, part, 0);
		fd = openat(dir, part, flags | O_CREAT | O_EXCL, 0644);
	}
	if (fd < 0)
		err = -errno;
	else if (!find_file(w, session, path))
		err = add_file(w, session, path);
	if (err && fd >= 0) {
		unlinkat(dir, part, 0);
		close(fd);
	}
	close(dir);
	return err ? err : fd;
}

static int write_arcs(struct writer *w, size_t session, const char *path,
		      const struct op_sample_header *header, const struct pp_tree_arc *arcs,
		      size_t nr)
{
	int fd = open_part(w, session, path), err;
	struct odb *db;

	if (fd < 0)
		return fd;
	err = odb_open(&db, fd, sizeof(*header), ODB_WRITE, NULL);
	if (err) {
		close(fd);
		return err;
	}
	*(struct op_sample_header *)odb_header(db) = *header;
	for (size_t i = 0; i < nr && !err; i++)
		err = odb_update(db, (uint64_t)arcs[i].from << 32 | arcs[i].to, arcs[i].count);
	odb_close(db);
	return err;
}

/* Write @nr calls from functions of one image to functions of another image. Return 0 or a negative
 * errno. */
static int write_run(struct writer *w, const struct pp_sample_file *tree,
		    const struct pp_tree_arc *arcs, size_t nr)
{
	const struct op_path_image *images =
		w->job->session->path_images[tree->session].list.images;
	const struct op_path_image *caller = &images[arcs->caller], *callee = &images[arcs->callee];
	struct op_sample_name name = tree->name;
	struct op_sample_header header = w->header;
	char *path;
	int err;

	name.image = caller->name;
	name.callee = callee->name;
	if (is_its_own_app(w, tree, arcs->caller)) {
		name.app = caller->name;
		name.app.unit = tree->name.app.unit;
	}
	header.is_kernel = caller->is_kernel;
	header.cg_to_is_kernel = callee->is_kernel;
	header.anon_start = caller->name.kind == OP_IMAGE_ANON ? caller->name.anon_start : 0;
	header.cg_to_anon_start = callee->name.kind == OP_IMAGE_ANON ? callee->name.anon_start : 0;
	header.build = caller->identity.build;
	header.owner = caller->identity.owner;
	header.mtime = caller->mtime;
	err = op_mangle(&path, &name);
	if (err)
		return err;
	err = write_arcs(w, tree->session, path, &header, arcs, nr);
	if (err)
		fail(w, path, err);
	free(path);
	return err;
}

static int add_tree_arcs(void *context, const struct pp_sample_file *tree, struct pp_tree_arc *arcs,
			 size_t nr)
{
	struct writer *w = context;
	size_t same;
	int err = 0;

	find_header(w, tree);
	for (size_t i = 0; i < nr && !err; i += same) {
		for (same = 1; i + same < nr && arcs[i + same].caller == arcs[i].caller &&
		     arcs[i + same].callee == arcs[i].callee;)
			same++;
		err = write_run(w, tree, &arcs[i], same);
	}
	return err;
}

/* Rename the new file to its final name. If @err is negative, remove the file. */
static int end_file(const struct writer *w, const struct file *file, int err)
{
	const char *leaf;
	char part[300];
	int dir = op_open_parent(w->samples[file->session], file->path, &leaf, 0, 0);

	if (dir < 0)
		return err ? err : fail(w, file->path, dir);
	snprintf(part, sizeof(part), PART, leaf);
	if (!err && renameat(dir, part, dir, leaf))
		err = fail(w, file->path, -errno);
	if (err)
		unlinkat(dir, part, 0);
	close(dir);
	return err;
}

static bool free_file(struct op_hash_link *link, void *arg)
{
	(void)arg;
	free(link);
	return true;
}

int pp_arc_files_write(struct pp_arc_files *files, const int *samples)
{
	struct writer w = { .job = files, .samples = samples };
	struct pp_tree_arcs arcs = { .take = add_tree_arcs, .context = &w };
	const struct pp_profile_options options = { .symbols = 1, .paths = 1, .tree_arcs = &arcs };
	struct pp_profile *profile = NULL;
	struct op_hash_link *link;
	size_t i;
	int err;

	if (!files->session->has_trees)
		return op_fail(&files->log->error, -ENODATA,
			       "--arcs: no call paths were recorded in this session; "
			       "opcontrol --callgraph=DEPTH records them");
	if (op_hash_init(&w.files))
		return -ENOMEM;
	err = pp_profile_make(&profile, files->session, files->images, &options, files->log);
	op_hash_for_each(&w.files, i, link) {
		err = end_file(&w, (struct file *)link, err);
		files->nr += !err;
	}
	if (!err && arcs.too_far)
		pp_warn(files->log,
			"%" PRIu64 " %s skipped: their addresses exceed the 32 bits of a "
			"call-graph file",
			arcs.too_far, op_plural(arcs.too_far, "call is", "calls are"));
	pp_profile_destroy(profile);
	op_hash_filter(&w.files, free_file, NULL);
	op_hash_release(&w.files);
	return err;
}

static int check_growing(struct pp_arc_files *files, const char *samples_dir)
{
	char *name = pp_session_name(samples_dir);
	int err = name ? 0 : -ENOMEM;

	if (name && !strcmp(name, "current"))
		err = op_fail(
			&files->log->error, -EINVAL,
			"%s: a daemon is still writing this session, so --arcs cannot write to it: "
			"opcontrol --save=NAME --arcs saves it first, and --output-directory=DIR "
			"makes a copy",
			samples_dir);
	free(name);
	return err;
}

int pp_arc_files_write_here(struct pp_arc_files *files)
{
	const struct pp_session *session = files->session;
	int *samples = calloc(session->nr_samples_dirs + 1, sizeof(*samples)),
	    err = samples ? 0 : -ENOMEM;
	size_t nr = 0;

	for (; nr < session->nr_samples_dirs && !err; nr++) {
		err = check_growing(files, session->samples_dirs[nr]);
		if (err)
			break;
		samples[nr] = open(session->samples_dirs[nr], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (samples[nr] < 0) {
			err = op_fail(&files->log->error, -errno, "%s: %s", session->samples_dirs[nr],
				      strerror(errno));
			break;
		}
	}
	if (!err)
		err = pp_arc_files_write(files, samples);
	while (nr--)
		close(samples[nr]);
	free(samples);
	return err;
}
