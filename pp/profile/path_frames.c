// SPDX-License-Identifier: GPL-2.0-or-later
/* path_frames.c -- looks through trees of call paths for the frames they name. */
#include "config.h"
#include "pp/profile/path_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/frames.h"
#include "libdb/tree.h"
#include "libop/base/grow.h"
#include "libop/session/path_files.h"
#include "pp/profile/part.h"
#include "pp/profile/samples.h"

static int open_plain(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int pp_path_file_open(struct tree **ret, const struct pp_path_sources *sources, const struct pp_sample_file *file)
{
	int fd = open_plain(file->path), err;

	if (fd < 0)
		return fd;
	err = tree_open(ret, fd, ODB_READ, sources->sources[file->session].generation);
	if (err)
		close(fd);
	return err;
}

static void tell_bad(struct pp_path_sources *s, const char *path, int err, struct pp_log *log)
{
	if (s->nr_named_bad++ < PP_MAX_BAD_FILES)
		pp_warn(log, "%s: left out: %s", path, pp_samples_strerror(err));
}

/* The state of a look through all trees. */
struct look {
	struct pp_path_sources *ret;
	const struct pp_session *session;
	struct frames *frames;			/* of the current session; NULL: it has none */
	/* by image of the session: number of the last tree with frames there + 1 */
	uint32_t *seen;
};

static int open_frames(struct look *look, size_t session, struct pp_log *log)
{
	struct pp_frame_source *source = &look->ret->sources[session];
	char *path;
	int err, fd;

	if (asprintf(&path, "%s/%s", look->session->samples_dirs[session], OP_PATHS_FRAMES) < 0)
		return -ENOMEM;
	fd = open_plain(path);
	err = fd < 0 ? fd : frames_open(&look->frames, fd, ODB_READ, 0);
	if (err && fd >= 0)
		close(fd);
	if (!err) {
		source->end = frames_end(look->frames);
		source->generation = frames_generation(look->frames);
		source->by_number = calloc(source->end + 1, sizeof(*source->by_number));
		look->seen = calloc(look->session->path_images[session].list.nr + 1, sizeof(*look->seen));
	} else if (err != -ENOMEM) {
		tell_bad(look->ret, path, err, log);
	}
	free(path);
	if (err == -ENOMEM || (!err && (!source->by_number || !look->seen)))
		return -ENOMEM;
	return 0;
}

/* Notes that the tree's program has frames in the image. */
static int note_image(struct look *look, const struct pp_sample_file *file, uint32_t image, uint32_t tree)
{
	const struct pp_session_images *images = &look->session->path_images[file->session];
	struct pp_path_sources *ret = look->ret;
	const char *title = images->titles[image];

	if (look->seen[image] == tree + 1)
		return 0;
	look->seen[image] = tree + 1;
	if (op_grow(&ret->groups, ret->nr_groups))
		return -ENOMEM;
	ret->groups[ret->nr_groups++] = (struct pp_path_group){
		title, look->session->libs_merged ? title : file->app, &images->list.images[image].name
	};
	return 0;
}

static int note_frame(struct look *look, const struct pp_sample_file *file, uint32_t number, uint32_t tree)
{
	const struct pp_session_images *images = &look->session->path_images[file->session];
	struct pp_frame_source *source = &look->ret->sources[file->session];
	struct pp_path_frame *found;
	struct frame frame;

	if (number < FRAME_FIRST || number >= source->end)
		return 0;
	if (!source->by_number[number]) {
		if (!frames_get(look->frames, number, &frame))
			return 0;
		if (op_grow(&source->frames, source->nr))
			return -ENOMEM;
		source->frames[source->nr++] = (struct pp_path_frame){
			.offset = frame.offset,
			.image = op_path_image(&images->list, frame.image) ? frame.image - 1 : OP_PATH_IMAGES_MAX,
			.session = file->session,
			.how = frame.how,
		};
		source->by_number[number] = source->nr;
	}
	found = &source->frames[source->by_number[number] - 1];
	return found->image < images->list.nr ? note_image(look, file, found->image, tree) : 0;
}

static int look_through(struct look *look, uint32_t tree, struct pp_log *log)
{
	const struct pp_sample_file *file = &look->session->files.trees[tree];
	struct tree_node node;
	struct tree *t;
	uint32_t end;
	int err = pp_path_file_open(&t, look->ret, file);

	if (err == -ENOMEM)
		return err;
	if (err) {
		if (err != ODB_ERR_EMPTY)
			tell_bad(look->ret, file->path, err, log);
		return 0;
	}
	end = tree_end(t);
	for (uint32_t i = TREE_FIRST; i < end && !err; i++)
		if (tree_node(t, i, &node))
			err = note_frame(look, file, node.frame, tree);
	tree_close(t);
	return err;
}

int pp_path_sources_read(struct pp_path_sources *ret, const struct pp_session *session, struct pp_log *log)
{
	struct pp_path_sources sources = { .nr = session->nr_samples_dirs };
	struct look look = { .ret = &sources, .session = session };
	const struct pp_files *files = &session->files;
	size_t tree = 0;
	int err = 0;

	sources.sources = calloc(sources.nr + 1, sizeof(*sources.sources));
	if (!sources.sources)
		return -ENOMEM;
	/* Trees of one session follow each other. */
	while (tree < files->nr_trees && !err) {
		size_t of = files->trees[tree].session;

		err = open_frames(&look, of, log);
		for (; tree < files->nr_trees && files->trees[tree].session == of && !err; tree++)
			if (look.frames)
				err = look_through(&look, tree, log);
		frames_close(look.frames);
		free(look.seen);
		look.frames = NULL;
		look.seen = NULL;
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

struct pp_path_frame *pp_path_frame_find(const struct pp_path_sources *sources, size_t session, uint32_t number)
{
	const struct pp_frame_source *source = &sources->sources[session];

	if (number >= source->end || !source->by_number[number])
		return NULL;
	return &source->frames[source->by_number[number] - 1];
}
