// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c -- a samples directory as a source: sample files, trees of call paths, and their
 * frames. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/session/path_files.h"
#include "pp/source/samples.h"
#include "pp/source/source.h"

static void close_session(struct pp_source *source)
{
	(void)source;
}

static int addresses(const struct pp_source *source, const struct pp_source_part *part,
		     struct pp_source_taker *taker)
{
	struct pp_samples samples;
	int err = pp_samples_open(&samples, part->path);
	uint32_t nr;

	(void)source;
	if (err)
		return err;
	err = taker->begin(taker->arg, &(struct pp_source_facts){
		.identity = { samples.header.build, samples.header.owner },
		.mtime = samples.header.mtime,
		.is_kernel = samples.header.is_kernel != 0,
		.anon_start = samples.header.anon_start,
		.cpu_type = samples.header.cpu_type,
		.cpu_speed = samples.header.cpu_speed,
	});
	nr = odb_nr_nodes(samples.db);
	for (uint32_t i = odb_next_node(samples.db, 0); i < nr && !err;
	     i = odb_next_node(samples.db, i + 1)) {
		uint64_t key;
		uint32_t count;

		odb_node(samples.db, i, &key, &count);
		if (count)
			err = taker->address(taker->arg, key, count);
	}
	taker->shortened = pp_samples_shortened(&samples);
	pp_samples_close(&samples);
	return err;
}

static int images(const struct pp_source *source, struct op_path_images *ret)
{
	int dirfd = open(source->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;

	err = dirfd < 0 ? -errno : op_path_images_read(ret, dirfd);
	if (dirfd >= 0)
		close(dirfd);
	return err;
}

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

static int open_frames(struct pp_source *source)
{
	char *path;
	int err, fd;

	if (asprintf(&path, "%s/%s", source->path, OP_PATHS_FRAMES) < 0)
		return -ENOMEM;
	fd = open_plain(path);
	free(path);
	err = fd < 0 ? fd : frames_open(&source->frames, fd, ODB_READ, 0);
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	source->frames_end = frames_end(source->frames);
	source->generation = frames_generation(source->frames);
	return 0;
}

static bool frame(const struct pp_source *source, uint32_t number, struct frame *ret)
{
	return frames_get(source->frames, number, ret);
}

static void close_frames(struct pp_source *source)
{
	frames_close(source->frames);
	source->frames = NULL;
}

static int open_paths(const struct pp_source *source, const struct pp_source_part *part,
		      struct pp_source_paths *ret)
{
	int fd = open_plain(part->path), err;

	if (fd < 0)
		return fd;
	*ret = (struct pp_source_paths){ .source = source };
	err = tree_open(&ret->tree, fd, ODB_READ, source->generation);
	if (err)
		close(fd);
	else
		ret->end = tree_end(ret->tree);
	return err;
}

static bool node(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret)
{
	return tree_node(paths->tree, number, ret);
}

static void close_paths(struct pp_source_paths *paths)
{
	tree_close(paths->tree);
	paths->tree = NULL;
}

static const struct pp_source_ops session_ops = {
	.name = "session",
	.close = close_session,
	.addresses = addresses,
	.images = images,
	.frames_open = open_frames,
	.frame = frame,
	.frames_close = close_frames,
	.paths_open = open_paths,
	.node = node,
	.paths_close = close_paths,
};

int pp_source_of_session(struct pp_source **ret, const char *samples_dir)
{
	struct pp_source *source = calloc(1, sizeof(*source));

	if (!source)
		return -ENOMEM;
	source->ops = &session_ops;
	source->path = strdup(samples_dir);
	if (!source->path) {
		free(source);
		return -ENOMEM;
	}
	*ret = source;
	return 0;
}
