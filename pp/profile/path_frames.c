// SPDX-License-Identifier: GPL-2.0-or-later
/* path_frames.c -- collects the frames that the call paths of a session use. */
#include "config.h"
#include "pp/profile/path_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/session/path_files.h"
#include "pp/profile/part.h"
#include "pp/source/samples.h"

int pp_path_file_open(struct pp_source_paths *ret, const struct pp_session *session,
		      const struct pp_sample_file *file)
{
	const struct pp_source *source = session->sources[file->session];
	int err = source->ops->paths_open(source, &file->part, ret);

	if (!err && ret->end > file->end)
		ret->end = file->end;
	return err;
}

static void report_bad(struct pp_path_sources *s, const char *path, int err, struct pp_log *log)
{
	if (s->nr_named_bad++ < PP_MAX_BAD_FILES)
		pp_warn(log, "%s: skipped: %s", path, pp_samples_strerror(err));
}

/* State while the frames of all trees of call paths are collected. */
struct look {
	struct pp_path_sources *ret;
	const struct pp_session *session;
	/* source of the current session, with its list of frames open; NULL: the session has no
	 * frames */
	struct pp_source *source;
	/* .seen: for each image, the last tree with a frame in the image. .seen_frames: for each
	 * frame, the last tree that contains the frame. Both are indices of trees, plus 1; 0: no
	 * tree yet. */
	uint32_t *seen, *seen_frames;
};

static int report_no_frames(struct look *look, const struct pp_source *source, int err,
			  struct pp_log *log)
{
	char *path;

	if (err == -ENOMEM || asprintf(&path, "%s/%s", source->path, OP_PATHS_FRAMES) < 0)
		return -ENOMEM;
	report_bad(look->ret, path, err, log);
	free(path);
	return 0;
}

static int open_frames(struct look *look, size_t session, struct pp_log *log)
{
	struct pp_frame_source *source = &look->ret->sources[session];
	struct pp_source *from = look->session->sources[session];
	int err = from->ops->frames_open(from);

	if (err)
		return report_no_frames(look, from, err, log);
	look->source = from;
	source->end = from->frames_end;
	source->generation = from->generation;
	source->by_number = calloc(source->end + 1, sizeof(*source->by_number));
	look->seen = calloc(look->session->path_images[session].list.nr + 1, sizeof(*look->seen));
	look->seen_frames = calloc(source->end + 1, sizeof(*look->seen_frames));
	return source->by_number && look->seen && look->seen_frames ? 0 : -ENOMEM;
}

static void close_frames(struct look *look)
{
	if (look->source)
		look->source->ops->frames_close(look->source);
	free(look->seen);
	free(look->seen_frames);
	look->source = NULL;
	look->seen = look->seen_frames = NULL;
}

/* Add the program of the tree @file and the image @image, in which the program has frames, to the
 * list of pairs that become groups of the profile. */
static int note_image(struct look *look, const struct pp_sample_file *file, uint32_t image,
		      uint32_t tree)
{
	const struct pp_session_images *images = &look->session->path_images[file->session];
	struct pp_path_sources *ret = look->ret;
	const char *title = images->titles[image];

	if (look->seen[image] == tree + 1)
		return 0;
	look->seen[image] = tree + 1;
	if (op_grow(&ret->groups, ret->nr_groups))
		return -ENOMEM;
	ret->groups[ret->nr_groups++] =
		(struct pp_path_group){title, look->session->libs_merged ? title : file->app,
				       &images->list.images[image].name};
	return 0;
}

static int note_frame(struct look *look, const struct pp_sample_file *file, uint32_t number,
		      uint32_t tree)
{
	const struct pp_session_images *images = &look->session->path_images[file->session];
	struct pp_frame_source *source = &look->ret->sources[file->session];
	struct pp_path_frame *found;
	struct frame frame;

	if (number < FRAME_FIRST || number >= source->end || look->seen_frames[number] == tree + 1)
		return 0;
	look->seen_frames[number] = tree + 1;
	if (!source->by_number[number]) {
		if (!look->source->ops->frame(look->source, number, &frame))
			return 0;
		if (op_grow(&source->frames, source->nr))
			return -ENOMEM;
		source->frames[source->nr++] = (struct pp_path_frame){
			.offset = frame.offset,
			.image = op_path_image(&images->list, frame.image) ? frame.image - 1
									   : OP_PATH_IMAGES_MAX,
			.session = file->session,
			.how = frame.how,
		};
		source->by_number[number] = source->nr;
	}
	found = &source->frames[source->by_number[number] - 1];
	return found->image < images->list.nr ? note_image(look, file, found->image, tree) : 0;
}

static int scan_tree(struct look *look, uint32_t tree, struct pp_log *log)
{
	const struct pp_sample_file *file = &look->session->files.trees[tree];
	struct pp_source_paths paths;
	struct tree_node node;
	int err = pp_path_file_open(&paths, look->session, file);

	if (err == -ENOMEM)
		return err;
	if (err) {
		if (err != ODB_ERR_EMPTY)
			report_bad(look->ret, file->path, err, log);
		return 0;
	}
	for (uint32_t i = TREE_FIRST; i < paths.end && !err; i++)
		if (look->source->ops->node(&paths, i, &node))
			err = note_frame(look, file, node.frame, tree);
	look->source->ops->paths_close(&paths);
	return err;
}

int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session,
			 struct pp_log *log)
{
	struct pp_path_sources sources = { .nr = session->nr_samples_dirs };
	struct look look = { .ret = &sources, .session = session };
	const struct pp_files *files = &session->files;
	size_t tree = 0;
	int err = 0;

	sources.sources = calloc(sources.nr + 1, sizeof(*sources.sources));
	if (!sources.sources)
		return -ENOMEM;
	/* The trees of one session are adjacent, so open the list of frames once for each
	 * session. */
	while (tree < files->nr_trees && !err) {
		size_t of = files->trees[tree].session;

		err = open_frames(&look, of, log);
		for (; tree < files->nr_trees && files->trees[tree].session == of && !err; tree++)
			if (look.source)
				err = scan_tree(&look, tree, log);
		close_frames(&look);
	}
	if (err)
		pp_path_sources_release(&sources);
	else
		*ret = sources;
	return err;
}

void pp_path_sources_release(struct pp_path_sources *sources)
{
	for (size_t i = 0; sources->sources && i < sources->nr; i++) {
		free(sources->sources[i].frames);
		free(sources->sources[i].by_number);
	}
	free(sources->sources);
	free(sources->groups);
	*sources = (struct pp_path_sources){ 0 };
}

struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session,
					 uint32_t number)
{
	const struct pp_frame_source *source = &sources->sources[session];

	if (number >= source->end || !source->by_number[number])
		return NULL;
	return &source->frames[source->by_number[number] - 1];
}
