// SPDX-License-Identifier: GPL-2.0-or-later
/* export.c -- writes an interval to a samples directory. */
#include "config.h"
#include "intervals/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/sample_names.h"
#include "libdb/frames.h"
#include "libdb/odb.h"
#include "libdb/tree.h"
#include "libop/base/fs.h"
#include "libop/session/build_ids.h"
#include "libop/session/identity.h"
#include "libop/session/path_files.h"
#include "libop/session/paths.h"
#include "libop/session/sample_header.h"

#define SETTINGS_FILE	OP_STATS_DIR "/settings"

/* Open the file @path for writing. Create the file and its directories if they are missing. @flags:
 * O_EXCL to fail if the file exists, or 0. Return a descriptor or a negative errno. */
static int open_file(int dirfd, const char *path, int flags)
{
	const char *leaf;
	int dir = op_open_parent(dirfd, path, &leaf, 1, 0755), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, leaf, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0644);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

/* Create the empty file @path and its directories. Return a descriptor or a negative errno. */
static int make_file(int dirfd, const char *path)
{
	return open_file(dirfd, path, O_EXCL);
}

static void fill_header(struct op_sample_header *h, const struct itv_event *event,
			const struct op_path_image *image)
{
	op_sample_header_init(h);
	h->cpu_type = event->cpu_type;
	h->ctr_event = event->ctr_event;
	h->ctr_um = event->um;
	h->ctr_count = (uint32_t)event->count;
	h->cpu_speed = event->cpu_speed;
	h->build = image->identity.build;
	h->owner = image->identity.owner;
	h->mtime = image->mtime;
	h->is_kernel = image->is_kernel;
	if (image->name.kind == OP_IMAGE_ANON)
		h->anon_start = image->name.anon_start;
}

/* Add @count to the count of @key in a sample file. If @count exceeds 32 bits, call odb_update()
 * several times. */
static int add_count(struct odb *db, uint64_t key, uint64_t count)
{
	const uint64_t most = 1ULL << 40;
	int err = 0;

	for (; !err && count > most; count -= most)
		err = odb_update(db, key, most);
	return err ? err : odb_update(db, key, count);
}

static int export_group(const struct itv *v, const struct itv_group *group,
			const struct itv_versions *versions, int dirfd)
{
	const struct itv_event *event = &v->events[group->event];
	const struct itv_image *image = &v->images[group->image];
	struct odb *db;
	char *path;
	int err = itv_group_path(&path, v, group, versions), fd;

	if (err)
		return err;
	fd = open_file(dirfd, path, 0);
	free(path);
	if (fd < 0)
		return fd;
	err = odb_open(&db, fd, sizeof(struct op_sample_header), ODB_WRITE, NULL);
	if (err) {
		close(fd);
		return err;
	}
	if (op_sample_header_check(odb_header(db)))
		fill_header(odb_header(db), event, &image->image);
	for (uint32_t i = 0; i < group->nr_cells && !err; i++) {
		const struct itv_cell *cell = &v->cells[group->cell + i];

		err = add_count(db, cell->key, cell->count);
	}
	odb_close(db);
	return err;
}

static int export_groups(const struct itv *v, int dirfd)
{
	struct itv_versions versions;
	int err = itv_versions_init(&versions, v);

	for (uint32_t i = 0; i < v->nr_groups && !err; i++)
		err = export_group(v, &v->groups[i], &versions, dirfd);
	itv_versions_release(&versions);
	return err;
}

/* For each image and frame of the interval: its number in the session's files; 0: not added yet. */
struct numbers {
	struct op_path_images_writer *images;
	struct frames *frames;
	uint32_t *image, *frame;
};

static int session_frame(struct numbers *n, const struct itv *v, uint32_t number, uint32_t *ret)
{
	const struct itv_frame *from;
	struct frame frame = { 0 };
	int err = 0;

	*ret = number == ITV_FRAME_FOLDED ? FRAME_FOLDED : FRAME_LOST;
	if (number < ITV_FRAME_FIRST)
		return 0;
	number -= ITV_FRAME_FIRST;
	from = &v->frames[number];
	*ret = n->frame[number];
	if (*ret)
		return 0;
	frame.offset = from->offset;
	frame.how = from->how;
	if (from->image) {
		if (!n->image[from->image - 1])
			err = op_path_images_number(n->images, &v->images[from->image - 1].image,
						    &n->image[from->image - 1]);
		frame.image = n->image[from->image - 1];
	}
	if (!err)
		err = frames_number(n->frames, &frame, ret);
	n->frame[number] = *ret;
	return err;
}

/* A node of the new tree whose children are being added to the tree. */
struct level {
	uint32_t number;		/* index of the node in the new tree */
	uint32_t left;			/* number of children of the node that are not added yet */
};

static int add_nodes(struct numbers *n, const struct itv *v, const struct itv_tree *tree,
		     struct tree *to)
{
	struct level *levels = calloc(tree->nr_nodes + 1ul, sizeof(*levels));
	uint32_t depth = 0, frame;
	int err = levels ? 0 : -ENOMEM;

	if (levels)
		levels[0] = (struct level){ TREE_ROOT, tree->nr_roots };
	for (uint32_t i = 0; i < tree->nr_nodes && !err; i++) {
		const struct itv_node *node = &v->nodes[tree->node + i];
		uint32_t number;

		while (!levels[depth].left)
			depth--;
		levels[depth].left--;
		err = session_frame(n, v, node->frame, &frame);
		if (!err)
			err = tree_child(to, levels[depth].number, frame, &number);
		if (!err && node->count)
			err = tree_add(to, number, node->count);
		levels[++depth] = (struct level){ err ? 0 : number, node->nr_children };
	}
	free(levels);
	return err;
}

static int export_tree(struct numbers *n, const struct itv *v, const struct itv_tree *tree,
		       int dirfd)
{
	struct tree *to;
	char *path;
	int err = itv_tree_path(&path, v, tree), fd;

	if (err)
		return err;
	fd = open_file(dirfd, path, 0);
	free(path);
	if (fd < 0)
		return fd;
	err = tree_open(&to, fd, ODB_WRITE, frames_generation(n->frames));
	if (err) {
		close(fd);
		return err;
	}
	err = add_nodes(n, v, tree, to);
	tree_close(to);
	return err;
}

static int export_paths(const struct itv *v, int dirfd)
{
	struct numbers n = {
		.image = calloc(v->nr_images + 1ul, sizeof(*n.image)),
		.frame = calloc(v->nr_frames + 1ul, sizeof(*n.frame)),
	};
	int err = n.image && n.frame ? 0 : -ENOMEM, fd = -1;

	if (!err)
		err = fd = make_file(dirfd, OP_PATHS_FRAMES);
	if (fd >= 0) {
		err = frames_open(&n.frames, fd, ODB_WRITE, 1);
		if (err)
			close(fd);
	}
	if (!err)
		err = op_path_images_open(&n.images, dirfd, frames_generation(n.frames), 0);
	if (!err)
		op_path_images_copy(n.images);
	for (uint32_t i = 0; i < v->nr_trees && !err; i++)
		err = export_tree(&n, v, &v->trees[i], dirfd);
	op_path_images_close(n.images);
	frames_close(n.frames);
	free(n.image);
	free(n.frame);
	return err;
}

static int export_file(int dirfd, const char *name, const char *data, size_t len)
{
	int fd = make_file(dirfd, name), err;

	if (fd < 0)
		return fd;
	err = op_write_all(fd, data, len);
	close(fd);
	return err;
}

static int export_names(const struct itv *v, int dirfd)
{
	struct op_build_ids ids = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < v->nr_images && !err; i++) {
		const struct itv_image *image = &v->images[i];

		if (image->build_id_len)
			err = op_build_ids_add(&ids, image->image.name.path, image->build_id,
					       image->build_id_len);
		/* skip an image whose path contains a newline, because the list stores one image
		 * per line */
		if (err == -EINVAL)
			err = 0;
	}
	if (!err && ids.nr)
		err = op_build_ids_write(&ids, dirfd);
	op_build_ids_release(&ids);
	return err;
}

int itv_export_companions(const struct itv *v, int dirfd)
{
	const struct itv_accounting *a = &v->accounting;
	int err = op_session_stats_write(&a->stats, dirfd);

	if (!err)
		err = op_session_about_write(&a->about, dirfd);
	if (!err && a->settings)
		err = export_file(dirfd, SETTINGS_FILE, a->settings, strlen(a->settings));
	for (uint32_t i = 0; i < v->nr_files && !err; i++)
		err = export_file(dirfd, v->files[i].name, v->files[i].data, v->files[i].len);
	return err ? err : export_names(v, dirfd);
}

int itv_export(const struct itv *v, int dirfd)
{
	int err = export_groups(v, dirfd);

	if (!err && v->nr_trees)
		err = export_paths(v, dirfd);
	return err ? err : itv_export_companions(v, dirfd);
}
