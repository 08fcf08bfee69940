// SPDX-License-Identifier: GPL-2.0-or-later
/* archive_paths.c -- copies of parts of trees of call paths, with new lists of frames and
 * images. */
#include "config.h"
#include "pp/archive/archive_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "libdb/frames.h"
#include "libdb/tree.h"
#include "libop/base/fs.h"
#include "libop/session/path_files.h"
#include "pp/archive/copy.h"
#include "pp/session/trees.h"

struct part {
	const struct pp_archive_paths *job;
	const struct op_path_images *images;
	const char *samples_dir;
	/* descriptor of the new samples directory; -1: do not write files */
	int samples;
	bool *leads;
	struct frames *from, *to;
	struct op_path_images_writer *to_images;
	/* for each frame in .from: its number in .to; 0: not looked up yet */
	uint32_t *numbers;
	/* The members below change with each tree that is copied. */
	struct pp_tree_wants wants;
	uint8_t *nodes;			/* flags of each node: HAS_PATH, IS_WANTED and LEADS */
	/* for each node of the session's tree: number of the node in the new tree */
	uint32_t *map;
};

enum {
	HAS_PATH = 1,			/* the path from the root to the node is complete */
	/* the user's specification selects the samples of the node */
	IS_WANTED = 2,
	/* the node is wanted, or an ancestor of a wanted node */
	LEADS = 4,
};

static int fail(const struct part *p, const char *path, int err)
{
	return op_fail(&p->job->log->error, err, "cannot archive %s: %s", path, odb_strerror(err));
}

bool pp_archive_paths_are_part(const struct pp_session *session)
{
	return session->is_filtered || !pp_trees_match_all(session);
}

/* Create an empty file below the new samples directory, and open it. */
static int make_file(const struct part *p, const char *path)
{
	const char *leaf;
	int dir = op_open_parent(p->samples, path, &leaf, 1, 0755), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, leaf, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int open_frames(struct part *p)
{
	int dir = open(p->samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, err;

	if (dir < 0)
		return -errno;
	fd = pp_open_below(dir, OP_PATHS_FRAMES);
	close(dir);
	err = fd < 0 ? fd : frames_open(&p->from, fd, ODB_READ, 0);
	if (err && fd >= 0)
		close(fd);
	return err;
}

static int make_frames(struct part *p)
{
	int fd = make_file(p, OP_PATHS_FRAMES),
	    err = fd < 0 ? fd : frames_open(&p->to, fd, ODB_WRITE, 1);

	if (err && fd >= 0)
		close(fd);
	if (!err)
		err = op_path_images_open(&p->to_images, p->samples, frames_generation(p->to), 0);
	return err ? fail(p, OP_PATHS_FRAMES, err) : 0;
}

static bool has_image(const struct part *p, const struct frame *frame)
{
	return op_path_image(p->images, frame->image) != NULL;
}

/* Set *@ret to the new number of a frame. If the old file has no frame @number, add a frame without
 * an image. */
static int new_number(void *context, uint32_t number, uint32_t *ret)
{
	struct part *p = context;
	struct frame frame = { 0 };
	int err = 0;

	if (number < frames_end(p->from) && p->numbers[number]) {
		*ret = p->numbers[number];
		return 0;
	}
	if (!frames_get(p->from, number, &frame))
		frame = (struct frame){ 0 };
	if (has_image(p, &frame)) {
		p->leads[frame.image - 1] = true;
		if (p->samples >= 0)
			err = op_path_images_number(
				p->to_images, op_path_image(p->images, frame.image), &frame.image);
	} else {
		frame.image = 0;
	}
	*ret = number;
	if (!err && p->samples >= 0)
		err = frames_number(p->to, &frame, ret);
	if (!err && number < frames_end(p->from))
		p->numbers[number] = *ret;
	return err;
}

static int is_wanted(struct part *p, uint32_t number)
{
	struct frame frame = { 0 };

	if (!frames_get(p->from, number, &frame) || !has_image(p, &frame))
		return pp_tree_wants_image(&p->wants, OP_PATH_IMAGES_MAX);
	return pp_tree_wants_image(&p->wants, frame.image - 1);
}

/* Set the flags HAS_PATH, IS_WANTED and LEADS of all nodes. Return 1 if the tree has wanted
 * samples, else 0 or -ENOMEM. */
static int mark(struct part *p, const struct tree *tree)
{
	uint32_t end = tree_end(tree);
	struct tree_node node;
	int ret = 0;

	p->nodes[TREE_ROOT] = HAS_PATH;
	for (uint32_t i = TREE_FIRST; i < end; i++) {
		int wanted;

		if (!tree_node(tree, i, &node))
			continue;
		/* The path of a node to the root is complete if its parent has a complete path.
		 * Samples without a complete path are copied only with the whole tree. */
		p->nodes[i] = p->nodes[node.parent] & HAS_PATH;
		if (!node.count || (!p->nodes[i] && !p->wants.unknown))
			continue;
		wanted = is_wanted(p, node.frame);
		if (wanted < 0)
			return wanted;
		if (wanted)
			p->nodes[i] |= IS_WANTED | LEADS;
		ret |= wanted;
	}
	for (uint32_t i = end; i-- > TREE_FIRST;)
		if (p->nodes[i] & LEADS && tree_node(tree, i, &node))
			p->nodes[node.parent] |= LEADS;
	return ret;
}

/* Copy a node to @to. If @to is NULL (no files are written), only find the images that the node
 * uses. */
static int copy_node(struct part *p, struct tree *to, uint32_t i, const struct tree_node *node)
{
	uint32_t frame = node->frame;
	int err = frame < FRAME_FIRST ? 0 : new_number(p, frame, &frame);

	if (!err && to)
		err = tree_child(to, p->map[node->parent], frame, &p->map[i]);
	if (!err && to && p->nodes[i] & IS_WANTED)
		err = tree_add(to, p->map[i], node->count);
	return err;
}

/* Add the count of a node without a complete path to the node FRAME_LOST below the root, as
 * tree_merge() does. */
static int copy_orphan(struct tree *to, const struct tree_node *node)
{
	uint32_t lost;
	int err = tree_child(to, TREE_ROOT, FRAME_LOST, &lost);

	return err ? err : tree_add(to, lost, node->count);
}

static int copy_nodes(struct part *p, struct tree *to, const struct tree *tree)
{
	uint32_t end = tree_end(tree);
	struct tree_node node;
	int err = 0;

	/* the whole tree is copied, so also copy counts without a call path */
	if (to && p->wants.all)
		return tree_merge(to, tree, new_number, p);
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		if (!(p->nodes[i] & LEADS) || !tree_node(tree, i, &node))
			continue;
		if (p->nodes[i] & HAS_PATH)
			err = copy_node(p, to, i, &node);
		else if (to && p->nodes[i] & IS_WANTED)
			err = copy_orphan(to, &node);
	}
	return err;
}

static int write_tree(struct part *p, const char *path, const struct tree *tree)
{
	struct tree *to;
	int fd = make_file(p, path), err;

	if (fd < 0)
		return fd;
	err = tree_open(&to, fd, ODB_WRITE, frames_generation(p->to));
	if (err) {
		close(fd);
		return err;
	}
	err = copy_nodes(p, to, tree);
	tree_close(to);
	return err;
}

static int copy_tree(struct part *p, const struct pp_sample_file *file, const struct tree *tree)
{
	const struct pp_archive_paths *job = p->job;
	int err = pp_tree_wants_init(&p->wants, job->session, file);

	p->nodes = calloc(tree_end(tree), sizeof(*p->nodes));
	p->map = calloc(tree_end(tree), sizeof(*p->map));
	if (!p->nodes || !p->map)
		err = -ENOMEM;
	if (!err)
		err = mark(p, tree);
	if (err > 0) {
		if (job->report)
			job->report(job->context, file->path);
		err = p->samples < 0 ? copy_nodes(p, NULL, tree)
				     : write_tree(p, file->relative, tree);
		if (err)
			fail(p, file->path, err);
	}
	free(p->nodes);
	free(p->map);
	pp_tree_wants_release(&p->wants);
	return err;
}

/* Copy the wanted part of one tree. Skip trees that cannot be read, as reports do. */
static int copy_tree_part(struct part *p, const struct pp_sample_file *file)
{
	int dir = open(p->samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, err;
	struct tree *tree;

	if (dir < 0)
		return fail(p, file->path, -errno);
	fd = pp_open_below(dir, file->relative);
	close(dir);
	err = fd < 0 ? fd : tree_open(&tree, fd, ODB_READ, frames_generation(p->from));
	if (err && fd >= 0)
		close(fd);
	if (err) {
		if (err != ODB_ERR_EMPTY && err != -ENOMEM)
			pp_warn(p->job->log, "%s: skipped: %s", file->path, odb_strerror(err));
		return err == -ENOMEM ? err : 0;
	}
	tree_limit(tree, file->end);
	err = copy_tree(p, file, tree);
	tree_close(tree);
	return err;
}

static int copy_part(struct part *p, size_t samples_dir)
{
	const struct pp_files *files = &p->job->session->files;
	int err = open_frames(p);

	if (err) {
		if (err != -ENOENT && err != ODB_ERR_EMPTY && err != -ENOMEM)
			pp_warn(p->job->log, "%s/" OP_PATHS_FRAMES ": %s; call paths are skipped",
				p->samples_dir, odb_strerror(err));
		return err == -ENOMEM ? err : 0;
	}
	p->numbers = calloc(frames_end(p->from), sizeof(*p->numbers));
	if (!p->numbers)
		return -ENOMEM;
	if (p->samples >= 0)
		err = make_frames(p);
	for (size_t i = 0; i < files->nr_trees && !err; i++)
		if (files->trees[i].session == samples_dir)
			err = copy_tree_part(p, &files->trees[i]);
	return err;
}

int pp_archive_paths(const struct pp_archive_paths *job, size_t samples_dir, int samples,
		     bool **leads)
{
	struct part p = {
		.job = job, .images = &job->session->path_images[samples_dir].list,
		.samples_dir = job->session->samples_dirs[samples_dir], .samples = samples,
	};
	int err = 0;

	p.leads = calloc(p.images->nr + 1, sizeof(*p.leads));
	if (!p.leads)
		return -ENOMEM;
	if (pp_session_has_trees(job->session, samples_dir))
		err = copy_part(&p, samples_dir);
	op_path_images_close(p.to_images);
	frames_close(p.to);
	frames_close(p.from);
	free(p.numbers);
	if (err)
		free(p.leads);
	else
		*leads = p.leads;
	return err;
}
