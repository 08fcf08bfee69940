// SPDX-License-Identifier: GPL-2.0-or-later
/* follow_paths.c -- reads new samples from the trees of call paths of a session while a daemon is
 * writing them. */
#include "config.h"
#include "pp/top/follow_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdb/tree.h"
#include "libop/base/grow.h"
#include "libop/session/path_files.h"
#include "pp/profile/paths.h"
#include "pp/top/follow.h"

struct pp_top_tree {
	/* .path: path of the file with this tree; .program: title of the tree's program */
	const char *path, *program;
	struct tree *open;
	/* for each node of the tree: .seen: its count at the last read; .node: number of its node
	 * in the live profile, 0: none yet */
	uint64_t *seen;
	uint32_t *node;
	size_t room;			/* length of .seen and .node */
};

/* A binary that contains frames of call paths. */
struct pp_top_path_image {
	struct op_image_name name;
	struct pp_image_samples samples;
	uint32_t binary;
};

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* Open the file of a tree of call paths. Return 0, or an error of libdb or errno. */
static int open_tree(struct tree **ret, const char *path)
{
	int fd = open_file(path), err;

	if (fd < 0)
		return fd;
	err = tree_open(ret, fd, ODB_READ, 0);
	if (err)
		close(fd);
	return err;
}

static void tree_destroy(struct pp_top_tree *tree)
{
	tree_close(tree->open);
	free(tree->seen);
	free(tree->node);
	free(tree);
}

int pp_top_tree_add(struct pp_top_follow *f, const struct pp_sample_file *from, bool begin)
{
	struct pp_top_tree *tree = calloc(1, sizeof(*tree));
	size_t before = f->paths.nr;
	uint32_t ignored;
	int err = -ENOMEM;

	if (!tree || op_grow(&f->trees, f->nr_trees))
		goto free_tree;
	tree->path = pp_top_string(&f->live->functions, from->path);
	tree->program = pp_top_string(&f->live->functions, from->app);
	if (!tree->path || !tree->program)
		goto free_tree;
	err = open_tree(&tree->open, tree->path);
	if (err)
		goto free_tree;
	if (pp_top_set_add(&f->paths, (uintptr_t)tree->path, &ignored)) {
		tree_destroy(tree);
		return -ENOMEM;
	}
	f->trees[f->nr_trees++] = tree;
	if (begin || f->paths.nr == before)
		return pp_top_tree_read(f, tree, true);
	return 0;

free_tree:
	free(tree);
	return err == ODB_ERR_EMPTY || err == -ENOMEM ? err : 0;
}

static int make_room(struct pp_top_tree *tree, size_t nr)
{
	size_t room = tree->room ? tree->room : 256;
	uint64_t *seen;
	uint32_t *node;

	if (nr <= tree->room)
		return 0;
	while (room < nr)
		room *= 2;
	seen = reallocarray(tree->seen, room, sizeof(*seen));
	if (seen)
		tree->seen = seen;
	node = reallocarray(tree->node, room, sizeof(*node));
	if (node)
		tree->node = node;
	if (!seen || !node)
		return -ENOMEM;
	memset(seen + tree->room, 0, (room - tree->room) * sizeof(*seen));
	memset(node + tree->room, 0, (room - tree->room) * sizeof(*node));
	tree->room = room;
	return 0;
}

/* If the daemon has added nodes, map the tree again. */
static void follow_growth(struct pp_top_tree *tree)
{
	struct tree *longer;

	if (!tree_more(tree->open) || open_tree(&longer, tree->path))
		return;
	/* The daemon may have replaced the tree by a new one with other node numbers. */
	if (tree_id(longer) != tree_id(tree->open)) {
		tree_close(longer);
		return;
	}
	tree_close(tree->open);
	tree->open = longer;
}

/* Read frame @number of the list of frames. If the list is not open or has grown, open it (again).
 * Return whether the frame could be read. */
static bool frame_read(struct pp_top_follow *f, uint32_t number, struct frame *ret)
{
	struct frames *longer;
	char *path;
	int fd;

	if (f->frames && number >= frames_end(f->frames))
		frames_more(f->frames);
	if (f->frames && number < frames_end(f->frames))
		return frames_get(f->frames, number, ret);
	if (asprintf(&path, "%s/%s", f->dir, OP_PATHS_FRAMES) < 0)
		return false;
	fd = open_file(path);
	free(path);
	if (fd < 0)
		return false;
	if (frames_open(&longer, fd, ODB_READ, 0)) {
		close(fd);
		return false;
	}
	if (f->frames && frames_generation(longer) != frames_generation(f->frames)) {
		frames_close(longer);
		return false;
	}
	frames_close(f->frames);
	f->frames = longer;
	return frames_get(f->frames, number, ret);
}

/* If the list of images has grown, read it again. Return whether it was read. */
static bool read_list(struct pp_top_follow *f)
{
	struct op_path_images list = { 0 };
	int fd = open(f->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	bool read = false;

	if (fd < 0)
		return false;
	if (!fstatat(fd, OP_PATH_IMAGES_FILE, &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_size != f->list_size && !op_path_images_read(&list, fd)) {
		op_path_images_release(&f->list);
		f->list = list;
		f->list_size = st.st_size;
		read = true;
	}
	close(fd);
	return read;
}

/* Return image number @number of the session's list of images, or NULL if the number is unknown. */
static const struct op_path_image *find_image(struct pp_top_follow *f, uint32_t number)
{
	const struct op_path_image *image = op_path_image(&f->list, number);

	return image || !read_list(f) ? image : op_path_image(&f->list, number);
}

/* Describe the image for lookups of its functions. */
static int make_image(struct pp_top_follow *f, const struct op_path_image *image,
		      struct pp_top_path_image **ret)
{
	struct pp_top_path_image *new = calloc(1, sizeof(*new));
	const char *title = pp_files_title(&f->titles, &image->name);
	char *path;
	int err = -ENOMEM;

	if (!new || !title || asprintf(&path, "%s/%s", f->dir, OP_PATH_IMAGES_FILE) < 0)
		goto free_image;
	new->name = image->name;
	new->name.path = (char *)pp_top_string(&f->live->functions, image->name.path);
	new->samples = (struct pp_image_samples){
		.identity = image->identity,
		.mtime = image->mtime,
		.name = &new->name,
		.path = pp_top_string(&f->live->functions, path),
		.is_kernel = image->is_kernel,
		.anon_start = image->name.kind == OP_IMAGE_ANON ? image->name.anon_start : 0,
	};
	free(path);
	if (new->name.path && new->samples.path)
		err = pp_top_binary(&f->live->functions, title, &new->name, &new->binary);
	if (err)
		goto free_image;
	*ret = new;
	return 0;

free_image:
	free(new);
	return err;
}

/* Set *@ret to the description of image number @number, or to NULL if the number is unknown. */
static int image_of(struct pp_top_follow *f, uint32_t number, struct pp_top_path_image **ret)
{
	const struct op_path_image *image = find_image(f, number);
	int err = 0;

	*ret = NULL;
	if (!image)
		return 0;
	while (!err && f->nr_path_images <= number) {
		err = op_grow(&f->path_images, f->nr_path_images);
		if (!err)
			f->path_images[f->nr_path_images++] = NULL;
	}
	if (!err && !f->path_images[number])
		err = make_image(f, image, &f->path_images[number]);
	if (!err)
		*ret = f->path_images[number];
	return err;
}

/* Look up the function at frame @number, and set *@ret to its number in the live profile. */
static int look_up(struct pp_top_follow *f, uint32_t number, uint32_t *ret)
{
	struct pp_top_functions *functions = &f->live->functions;
	struct pp_top_path_image *image;
	struct frame frame;
	const char *words;
	char text[200];
	int err;

	if (number == FRAME_FOLDED)
		return pp_top_reason(functions, pp_place_word(PP_PLACE_FOLDED), ret);
	if (number == FRAME_LOST)
		return pp_top_reason(functions, pp_place_word(PP_PLACE_LOST), ret);
	if (!frame_read(f, number, &frame))
		return pp_top_reason(functions, "[frame not known]", ret);
	if (op_path_is_end(frame.how)) {
		words = op_path_end_words(frame.how);
		snprintf(text, sizeof(text), "[path ends: %s]", words ? words : "unknown");
		return pp_top_reason(functions, text, ret);
	}
	err = image_of(f, frame.image, &image);
	if (err)
		return err;
	if (!image)
		return pp_top_reason(functions, "[frame not known]", ret);
	return pp_top_function(functions, image->binary, &image->samples, frame.offset, ret);
}

static int function_of(struct pp_top_follow *f, uint32_t frame, uint32_t *ret)
{
	struct frame unused;
	int err = 0;

	/* A damaged tree may have invalid numbers. */
	if (frame >= f->nr_function_of && frame != FRAME_FOLDED && frame != FRAME_LOST &&
	    !frame_read(f, frame, &unused))
		return pp_top_reason(&f->live->functions, "[frame not known]", ret);
	while (!err && f->nr_function_of <= frame) {
		err = op_grow(&f->function_of, f->nr_function_of);
		if (!err)
			f->function_of[f->nr_function_of++] = 0;
	}
	if (!err && !f->function_of[frame]) {
		err = look_up(f, frame, ret);
		if (!err)
			f->function_of[frame] = *ret + 1;
	}
	if (!err)
		*ret = f->function_of[frame] - 1;
	return err;
}

/* Maximum depth of a path. Samples of deeper frames are counted at the last frame within this
 * depth. */
#define MAX_DEPTH	2048

/* Find the node of the live profile for node @number of the tree, and store its number in *@ret. If
 * it does not exist yet, create it and its missing ancestors, without recursion. */
static int find_node(struct pp_top_follow *f, struct pp_top_tree *tree, uint32_t number,
		     uint32_t *ret)
{
	uint32_t way[MAX_DEPTH], depth = 0, live, function, program;
	struct tree_node node;
	int err = 0;

	while (number != TREE_ROOT && !tree->node[number]) {
		if (!tree_node(tree->open, number, &node))
			break;
		if (depth == MAX_DEPTH)
			depth--;
		way[depth++] = number;
		number = node.parent;
	}
	if (number != TREE_ROOT && tree->node[number]) {
		live = tree->node[number];
	} else {
		err = pp_top_program(f->live, tree->program, &program);
		if (!err)
			err = pp_top_program_node(f->live, program, &live);
	}
	while (depth && !err) {
		number = way[--depth];
		if (!tree_node(tree->open, number, &node))
			break;
		err = function_of(f, node.frame, &function);
		if (!err)
			err = pp_top_node(f->live, live, function, &live);
		if (!err)
			tree->node[number] = live;
	}
	if (!err)
		*ret = live;
	return err;
}

int pp_top_tree_read(struct pp_top_follow *f, struct pp_top_tree *tree, bool begin)
{
	uint32_t end;
	int err;

	follow_growth(tree);
	end = tree_end(tree->open);
	err = make_room(tree, end);
	for (uint32_t i = TREE_FIRST; i < end && !err; i++) {
		struct tree_node node;
		uint64_t more;

		/* Compare the count first, which is cheap: checking a node is expensive, and few
		 * nodes have new samples. */
		if (tree_count(tree->open, i) <= tree->seen[i] ||
		    !tree_node(tree->open, i, &node) || node.count <= tree->seen[i])
			continue;
		more = node.count - tree->seen[i];
		tree->seen[i] = node.count;
		if (begin)
			continue;
		err = op_grow(&f->unnamed, f->nr_unnamed);
		if (!err)
			f->unnamed[f->nr_unnamed++] = (struct pp_top_unnamed){ tree, i, more };
	}
	return err;
}

int pp_top_follow_paths(struct pp_top_follow *f)
{
	int err = 0;

	for (size_t i = 0; i < f->nr_unnamed && !err; i++) {
		const struct pp_top_unnamed *u = &f->unnamed[i];
		uint32_t live;

		err = find_node(f, u->tree, u->node, &live);
		if (!err)
			err = pp_top_add_node(f->live, live, u->count);
	}
	f->nr_unnamed = 0;
	return err;
}

void pp_top_trees_close(struct pp_top_follow *f)
{
	f->nr_unnamed = 0;
	for (size_t i = 0; i < f->nr_trees; i++)
		tree_destroy(f->trees[i]);
	free(f->trees);
	f->trees = NULL;
	f->nr_trees = 0;
	for (size_t i = 0; i < f->nr_path_images; i++)
		free(f->path_images[i]);
	free(f->path_images);
	f->path_images = NULL;
	f->nr_path_images = 0;
	free(f->function_of);
	f->function_of = NULL;
	f->nr_function_of = 0;
	op_path_images_release(&f->list);
	f->list_size = 0;
	frames_close(f->frames);
	f->frames = NULL;
}
