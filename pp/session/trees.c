// SPDX-License-Identifier: GPL-2.0-or-later
/* trees.c -- finds the trees of call paths that match a specification. */
#include "config.h"
#include "pp/session/trees.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libdb/odb.h"
#include "libop/base/error.h"
#include "pp/session/profiles.h"

/* Tags whose result depends on the image (binary) of a sample. Tags of the program are included:
 * if an image's samples are not separated by program, the image counts as their program. */
static const enum pp_tag image_tags[] = {
	PP_TAG_BINARY,	    PP_TAG_LIB_IMAGE, PP_TAG_LIB_IMAGE_EXCLUDE,
	PP_TAG_SAMPLE_FILE, PP_TAG_IMAGE,     PP_TAG_IMAGE_EXCLUDE,
};

/* Read the list of images of session @i. A missing list (-ENOENT) is not an error here: the frames
 * then have no names, and pp_path_sources_read() warns. */
static int read_images(struct pp_session *session, size_t i, struct pp_log *log)
{
	struct pp_session_images *images = &session->path_images[i];
	const struct pp_source *source = session->sources[i];
	int err = source->ops->images(source, &images->list);

	if (err == -ENOMEM)
		return err;
	if (err && err != -ENOENT)
		pp_warn(log, "%s/%s: %s; the functions in call paths are shown without names",
			session->samples_dirs[i], OP_PATH_IMAGES_FILE, op_strerror(err));
	images->titles = calloc(images->list.nr + 1, sizeof(*images->titles));
	if (!images->titles ||
	    asprintf(&images->path, "%s/%s", session->samples_dirs[i], OP_PATH_IMAGES_FILE) < 0)
		return -ENOMEM;
	for (size_t n = 0; n < images->list.nr; n++) {
		const struct op_image_name *name = &images->list.images[n].name;

		if (!name->path)
			continue;
		images->titles[n] = pp_files_title(&session->files, name);
		if (!images->titles[n])
			return -ENOMEM;
	}
	return 0;
}

static bool same_image(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && a->anon_tgid == b->anon_tgid &&
	       a->anon_program == b->anon_program && a->anon_start == b->anon_start &&
	       a->anon_end == b->anon_end && !strcmp(a->path, b->path);
}

/* Return whether the tag selects programs. The program of a sample is known even if its image is
 * unknown. */
static bool is_of_program(enum pp_tag tag)
{
	return tag == PP_TAG_IMAGE || tag == PP_TAG_IMAGE_EXCLUDE;
}

bool pp_trees_match_all(const struct pp_session *session)
{
	for (size_t i = 0; i < sizeof(image_tags) / sizeof(image_tags[0]); i++)
		if (session->spec->tags[image_tags[i]].nr)
			return false;
	return !session->exclude_dependent;
}

/* Return whether the report includes those samples of @tree whose image is unknown. */
static bool want_unknown(const struct pp_session *session, const struct pp_sample_file *tree)
{
	for (size_t i = 0; i < sizeof(image_tags) / sizeof(image_tags[0]); i++) {
		enum pp_tag tag = image_tags[i];

		if (is_of_program(tag) &&
		    !pp_spec_tag_matches(session->spec, tag, &tree->name, tree->relative))
			return false;
		if (!is_of_program(tag) && session->spec->tags[tag].nr)
			return false;
	}
	return !session->exclude_dependent;
}

/* Return 1 if samples of @tree in @image match the specification, else 0 or -ENOMEM. The result is
 * the same as for a sample file of this program and image. */
static int tree_matches(const struct pp_session *session, const struct pp_sample_file *tree,
			const struct op_image_name *image)
{
	struct op_sample_name name = tree->name;
	char *path;
	int err, ret;

	if (pp_trees_match_all(session))
		return 1;
	/* If samples of the image are not separated by program, the sample files have the image as
	 * their program, so test this name, too. */
	if (pp_apart_merged(&session->apart, tree->session, tree->name.app.path, image->path))
		name.app = *image;
	name.app.unit = tree->name.app.unit;
	if (session->exclude_dependent && !same_image(&name.app, image))
		return 0;
	name.image = *image;
	err = op_mangle(&path, &name);
	if (err)
		return err == -ENOMEM ? err : 0;
	ret = pp_spec_matches(session->spec, &name, path);
	free(path);
	return ret;
}

int pp_tree_wants_init(struct pp_tree_wants *wants, const struct pp_session *session,
		       const struct pp_sample_file *tree)
{
	*wants = (struct pp_tree_wants){
		.session = session, .tree = tree, .all = pp_trees_match_all(session),
		.unknown = want_unknown(session, tree),
		.known = calloc(session->path_images[tree->session].list.nr + 1, 1),
	};
	return wants->known ? 0 : -ENOMEM;
}

void pp_tree_wants_release(struct pp_tree_wants *wants)
{
	free(wants->known);
	wants->known = NULL;
}

int pp_tree_wants_image(struct pp_tree_wants *wants, uint32_t image)
{
	const struct op_path_images *list = &wants->session->path_images[wants->tree->session].list;
	int ret;

	if (image >= list->nr || !list->images[image].name.path)
		return wants->unknown;
	if (!wants->known[image]) {
		ret = tree_matches(wants->session, wants->tree, &list->images[image].name);
		if (ret < 0)
			return ret;
		wants->known[image] = ret ? 1 : 2;
	}
	return wants->known[image] == 1;
}

/* Return whether samples of the tree @name may match the specification, for at least some images.
 * @relative: the tree's path below the samples directory. */
static bool may_have(const struct pp_spec *spec, const struct op_sample_name *name,
		     const char *relative)
{
	for (int tag = 0; tag < PP_NR_TAGS; tag++) {
		bool of_image = false;

		for (size_t i = 0; i < sizeof(image_tags) / sizeof(image_tags[0]); i++)
			of_image |= image_tags[i] == (enum pp_tag)tag;
		if (!of_image && !pp_spec_tag_matches(spec, tag, name, relative))
			return false;
	}
	return true;
}

static void filter(struct pp_session *session)
{
	struct pp_files *files = &session->files;
	size_t kept = 0;

	for (size_t i = 0; i < files->nr_trees; i++) {
		if (may_have(session->spec, &files->trees[i].name, files->trees[i].relative))
			files->trees[kept++] = files->trees[i];
		else
			pp_sample_file_release(&files->trees[i]);
	}
	session->is_filtered |= kept < files->nr_trees;
	files->nr_trees = kept;
}

/* Store the current number of nodes of the tree, because a daemon may be adding nodes. The daemon
 * writes frames and images before the nodes that use them. The report reads the lists of frames and
 * images after this call, so they are complete for all nodes that exist now. Errors are reported
 * later, when the tree is read. */
static int note_end(struct pp_session *session, struct pp_sample_file *tree)
{
	const struct pp_source *source = session->sources[tree->session];
	struct pp_source_paths paths;
	int err = source->ops->paths_open(source, &tree->part, &paths);

	tree->end = err == ODB_ERR_EMPTY ? 0 : UINT32_MAX;
	if (err)
		return err == -ENOMEM ? err : 0;
	tree->end = paths.end;
	source->ops->paths_close(&paths);
	return 0;
}

/* Find the trees of session @i. If the report also reads profiles (.nr_profiles), ignore the trees
 * of a samples directory, because only its kernel samples are used. Samples of wakers are in no
 * tree. */
static int find_in(struct pp_session *session, size_t i, struct pp_log *log)
{
	struct pp_files *files = &session->files;
	size_t before = files->nr_trees;
	int err;

	if (session->sources[i]->memory)
		err = pp_profile_add_trees(session, i);
	else if (session->nr_profiles || files->wakers)
		err = 0;
	else if (session->sources[i]->interval)
		err = pp_files_add_interval(files, session->sources[i], true);
	else
		err = pp_files_add_trees(files, session->samples_dirs[i], log);
	for (size_t t = before; t < files->nr_trees && !err; t++) {
		files->trees[t].session = i;
		err = note_end(session, &files->trees[t]);
	}
	return err || files->nr_trees == before ? err : read_images(session, i, log);
}

int pp_trees_find(struct pp_session *session, struct pp_log *log)
{
	struct pp_files *files = &session->files;
	int err = 0;

	session->path_images = calloc(session->nr_samples_dirs + 1, sizeof(*session->path_images));
	if (!session->path_images)
		return -ENOMEM;
	for (size_t i = 0; i < session->nr_samples_dirs && !err; i++)
		err = find_in(session, i, log);
	session->has_trees = files->nr_trees != 0;
	if (!err)
		filter(session);
	return err;
}
