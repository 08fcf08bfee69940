// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c -- writer of the packed file of an interval.
 *
 * Only one column of the file is in memory at a time. The header is written last, so that an
 * incomplete file has no magic number.
 */
#include "config.h"
#include "intervals/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "intervals/columns.h"
#include "intervals/format.h"
#include "intervals/private.h"
#include "libop/base/hash.h"

struct writer {
	int fd;
	uint64_t at;		/* file offset at which the next block is written */
	ZSTD_CCtx *zstd;
	uint32_t nr_blocks;
	uint8_t directory[ITV_NR_BLOCK_TYPES * ITV_ENTRY_LEN];
	uint64_t stored[ITV_NR_BLOCK_TYPES];	/* sizes of the packed blocks, indexed by type */
};

static int write_at(int fd, const void *data, size_t len, uint64_t at)
{
	const char *bytes = data;

	while (len) {
		ssize_t n = pwrite(fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		bytes += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_bytes(struct writer *w, enum itv_block_type type, enum itv_packing packing,
		       uint64_t raw, const void *data, size_t len)
{
	uint8_t *entry = w->directory + w->nr_blocks++ * ITV_ENTRY_LEN;
	int err = write_at(w->fd, data, len, w->at);

	itv_put_le32(entry + ITV_ENTRY_TYPE, type);
	itv_put_le32(entry + ITV_ENTRY_PACKING, packing);
	itv_put_le64(entry + ITV_ENTRY_RAW, raw);
	itv_put_le64(entry + ITV_ENTRY_STORED, len);
	itv_put_le64(entry + ITV_ENTRY_OFFSET, w->at);
	itv_put_le64(entry + ITV_ENTRY_CHECK, op_hash_bytes(OP_HASH_BEGIN, data, len));
	w->stored[type] = len;
	w->at += len;
	return err;
}

/* Write a column as a block, compressed if this makes the block shorter, and free the column. Do
 * not write an empty column. */
static int write_block(struct writer *w, enum itv_block_type type, struct itv_out *out)
{
	size_t room = ZSTD_compressBound(out->len), len = 0;
	void *packed = NULL;
	int err = out->failed ? -ENOMEM : 0;

	if (!err && out->len && type != ITV_BLOCK_ACCOUNTING) {
		packed = malloc(room);
		if (packed)
			len = ZSTD_compress2(w->zstd, packed, room, out->bytes, out->len);
		if (!packed || ZSTD_isError(len))
			err = -ENOMEM;
	}
	if (!err && out->len && packed && len < out->len)
		err = write_bytes(w, type, ITV_ZSTD, out->len, packed, len);
	else if (!err && out->len)
		err = write_bytes(w, type, ITV_STORED, out->len, out->bytes, out->len);
	free(packed);
	itv_out_release(out);
	return err;
}

static void put_image(struct itv_out *out, const struct itv_image *image)
{
	const struct op_image_name *name = &image->image.name;

	itv_put_number(out, (uint64_t)name->kind | (uint64_t)image->image.is_kernel << 2 |
			    (uint64_t)(name->unit != NULL) << 3 |
			    (uint64_t)(image->woken != NULL) << 4);
	itv_put_text(out, name->path, strlen(name->path));
	if (name->unit)
		itv_put_text(out, name->unit, strlen(name->unit));
	if (image->woken)
		itv_put_text(out, image->woken, strlen(image->woken));
	if (name->kind == OP_IMAGE_ANON) {
		itv_put_number(out, (uint32_t)name->anon_tgid);
		itv_put_number(out, name->anon_program);
		itv_put_number(out, name->anon_start);
		itv_put_number(out, name->anon_end);
	}
	itv_put_number(out, image->image.identity.build);
	itv_put_number(out, image->image.identity.owner);
	itv_put_number(out, image->image.mtime);
	itv_put_text(out, image->build_id, image->build_id_len);
}

static int write_images(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };

	if (v->nr_images)
		itv_put_number(&out, v->nr_images);
	for (uint32_t i = 0; i < v->nr_images; i++)
		put_image(&out, &v->images[i]);
	return write_block(w, ITV_BLOCK_IMAGES, &out);
}

static int write_events(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };

	if (v->nr_events)
		itv_put_number(&out, v->nr_events);
	for (uint32_t i = 0; i < v->nr_events; i++) {
		const struct itv_event *event = &v->events[i];
		uint64_t speed;
		uint8_t bytes[8];

		memcpy(&speed, &event->cpu_speed, sizeof(speed));
		itv_put_le64(bytes, speed);
		itv_put_text(&out, event->name, strlen(event->name));
		itv_put_number(&out, event->count);
		itv_put_number(&out, event->um);
		itv_put_number(&out, event->cpu_type);
		itv_put_number(&out, event->ctr_event);
		itv_put_bytes(&out, bytes, sizeof(bytes));
	}
	return write_block(w, ITV_BLOCK_EVENTS, &out);
}

/* Write a process, thread or CPU id. OP_ALL is written as 0. */
static void put_id(struct itv_out *out, int32_t id)
{
	itv_put_number(out, (uint64_t)((int64_t)id - OP_ALL));
}

static int write_groups(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };
	uint32_t app = 0;

	if (v->nr_groups)
		itv_put_number(&out, v->nr_groups);
	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *g = &v->groups[i];

		itv_put_number(&out, g->app - app);
		itv_put_number(&out, g->image);
		itv_put_number(&out, g->event);
		put_id(&out, g->tgid);
		put_id(&out, g->tid);
		put_id(&out, g->cpu);
		itv_put_number(&out, g->nr_cells);
		app = g->app;
	}
	return write_block(w, ITV_BLOCK_GROUPS, &out);
}

static int write_cells(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };
	int err;

	for (uint32_t i = 0; i < v->nr_groups; i++) {
		for (uint32_t n = 0; n < v->groups[i].nr_cells; n++) {
			const struct itv_cell *cell = &v->cells[v->groups[i].cell + n];

			itv_put_number(&out, n ? cell->key - cell[-1].key - 1 : cell->key);
		}
	}
	err = write_block(w, ITV_BLOCK_CELL_KEYS, &out);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_cells; i++)
		itv_put_number(&out, v->cells[i].count - 1);
	return write_block(w, ITV_BLOCK_CELL_COUNTS, &out);
}

/* Write the list of frames. Successive frames of one image are written together: the difference to
 * the last image, the number of frames, and the differences between their offsets. */
static int write_frames(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };
	uint32_t image = 0, end;
	int err;

	if (v->nr_frames)
		itv_put_number(&out, v->nr_frames);
	for (uint32_t i = 0; i < v->nr_frames; i = end) {
		uint64_t offset = 0;

		end = i + 1;
		while (end < v->nr_frames && v->frames[end].image == v->frames[i].image)
			end++;
		itv_put_number(&out, v->frames[i].image - image);
		itv_put_number(&out, end - i);
		image = v->frames[i].image;
		for (uint32_t n = i; n < end; n++) {
			itv_put_number(&out, v->frames[n].offset - offset);
			offset = v->frames[n].offset;
		}
	}
	err = write_block(w, ITV_BLOCK_FRAME_PLACES, &out);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_frames; i++)
		itv_put_number(&out, v->frames[i].how);
	return write_block(w, ITV_BLOCK_FRAME_HOWS, &out);
}

static int write_trees(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };
	uint32_t app = 0;

	if (v->nr_trees)
		itv_put_number(&out, v->nr_trees);
	for (uint32_t i = 0; i < v->nr_trees; i++) {
		const struct itv_tree *t = &v->trees[i];

		itv_put_number(&out, t->app - app);
		itv_put_number(&out, t->event);
		put_id(&out, t->tgid);
		put_id(&out, t->tid);
		put_id(&out, t->cpu);
		itv_put_number(&out, t->nr_nodes);
		itv_put_number(&out, t->nr_roots);
		app = t->app;
	}
	return write_block(w, ITV_BLOCK_TREES, &out);
}

/*
 * Write the frames of one tree's nodes. The frame of the first one of several siblings is written
 * as a difference: to the last first child of an earlier node with the same frame as the parent.
 * This difference is small, because a caller often calls the same function again, from nearby
 * addresses. The frame of each other sibling is written as the difference to the frame of the
 * sibling before it.
 */
static int put_frames(struct itv_out *out, const struct itv *v, const struct itv_tree *tree,
		      struct itv_levels *levels, uint32_t *child)
{
	int err = itv_levels_push(levels, tree->nr_roots, v->nr_frames + ITV_FRAME_FIRST);

	for (uint32_t i = 0; i < tree->nr_nodes && !err; i++) {
		const struct itv_node *node = &v->nodes[tree->node + i];
		struct itv_level *level = itv_levels_next(levels);

		if (level->last == ITV_NO_FRAME) {
			uint64_t expected = child[level->parent];

			itv_put_number(out, itv_zigzag(node->frame - expected));
			child[level->parent] = node->frame;
		} else {
			itv_put_number(out, node->frame - level->last - 1);
		}
		level->last = node->frame;
		level->left--;
		if (node->nr_children)
			err = itv_levels_push(levels, node->nr_children, node->frame);
	}
	levels->nr = 0;
	return err;
}

static int write_nodes(struct writer *w, const struct itv *v)
{
	uint32_t *child = itv_new_list(v->nr_frames + ITV_FRAME_FIRST + 1ul, sizeof(*child));
	struct itv_levels levels = { 0 };
	struct itv_out out = { 0 };
	int err = child ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < v->nr_nodes && !err; i++)
		itv_put_number(&out, v->nodes[i].nr_children);
	if (!err)
		err = write_block(w, ITV_BLOCK_NODE_CHILDREN, &out);
	for (uint32_t i = 0; i < v->nr_trees && !err; i++)
		err = put_frames(&out, v, &v->trees[i], &levels, child);
	itv_levels_release(&levels);
	free(child);
	if (!err)
		err = write_block(w, ITV_BLOCK_NODE_FRAMES, &out);
	for (uint32_t i = 0; i < v->nr_nodes && !err; i++)
		itv_put_number(&out, v->nodes[i].count);
	if (!err)
		err = write_block(w, ITV_BLOCK_NODE_COUNTS, &out);
	itv_out_release(&out);
	return err;
}

static int write_files(struct writer *w, const struct itv *v)
{
	struct itv_out out = { 0 };

	if (v->nr_files)
		itv_put_number(&out, v->nr_files);
	for (uint32_t i = 0; i < v->nr_files; i++) {
		itv_put_text(&out, v->files[i].name, strlen(v->files[i].name));
		itv_put_text(&out, v->files[i].data, v->files[i].len);
	}
	return write_block(w, ITV_BLOCK_FILES, &out);
}

static int write_accounting(struct writer *w, const struct itv *v, const struct itv_totals *totals)
{
	struct itv_out out = { 0 };
	int err = itv_put_accounting(&out, &v->accounting, totals);

	if (err) {
		itv_out_release(&out);
		return err;
	}
	return write_block(w, ITV_BLOCK_ACCOUNTING, &out);
}

/* Return the lowest version of the format that can express the interval. */
static uint32_t version_of(const struct itv *v)
{
	uint32_t version = ITV_VERSION_PLAIN;

	for (uint32_t i = 0; i < v->nr_images; i++) {
		if (v->images[i].woken)
			return ITV_VERSION;
		if (v->images[i].image.name.unit)
			version = ITV_VERSION_UNITS;
	}
	return version;
}

static int write_header(struct writer *w, const struct itv *v)
{
	const size_t directory_len = w->nr_blocks * ITV_ENTRY_LEN;
	uint8_t header[ITV_HEADER_LEN];
	uint64_t check;
	int err;

	memcpy(header, ITV_MAGIC, ITV_MAGIC_LEN);
	itv_put_le32(header + ITV_AT_VERSION, version_of(v));
	itv_put_le32(header + ITV_AT_NR_BLOCKS, w->nr_blocks);
	itv_put_le64(header + ITV_AT_LENGTH, w->at);
	check = op_hash_bytes(OP_HASH_BEGIN, header, ITV_AT_CHECK);
	check = op_hash_bytes(check, w->directory, directory_len);
	itv_put_le64(header + ITV_AT_CHECK, check);
	err = write_at(w->fd, w->directory, directory_len, ITV_HEADER_LEN);
	return err ? err : write_at(w->fd, header, sizeof(header), 0);
}

/* Return the number of blocks that the file will have. */
static uint32_t count_blocks(const struct itv *v)
{
	return 1 + !!v->nr_images + !!v->nr_events + !!v->nr_groups + 2 * !!v->nr_cells +
	       2 * !!v->nr_frames + !!v->nr_trees + 3 * !!v->nr_nodes + !!v->nr_files;
}

static void fill_sizes(const struct writer *w, struct itv_file_sizes *sizes)
{
	const uint64_t *stored = w->stored;

	*sizes = (struct itv_file_sizes){
		.total = w->at,
		.cells = stored[ITV_BLOCK_CELL_KEYS] + stored[ITV_BLOCK_CELL_COUNTS],
		.paths = stored[ITV_BLOCK_FRAME_PLACES] + stored[ITV_BLOCK_FRAME_HOWS] +
			 stored[ITV_BLOCK_TREES] + stored[ITV_BLOCK_NODE_CHILDREN] +
			 stored[ITV_BLOCK_NODE_FRAMES] + stored[ITV_BLOCK_NODE_COUNTS],
		.names = stored[ITV_BLOCK_IMAGES] + stored[ITV_BLOCK_EVENTS] +
			 stored[ITV_BLOCK_GROUPS],
		.files = stored[ITV_BLOCK_FILES],
	};
}

int itv_file_write(const struct itv *v, int fd, int level, struct itv_file_sizes *sizes)
{
	struct writer w = { .fd = fd };
	struct itv_totals totals;
	int err = itv_check(v, &totals);

	if (err)
		return err;
	w.at = ITV_HEADER_LEN + (uint64_t)count_blocks(v) * ITV_ENTRY_LEN;
	w.zstd = ZSTD_createCCtx();
	if (!w.zstd || ZSTD_isError(ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_compressionLevel, level)))
		err = -ENOMEM;
	if (!err)
		err = write_accounting(&w, v, &totals);
	if (!err)
		err = write_images(&w, v);
	if (!err)
		err = write_events(&w, v);
	if (!err)
		err = write_groups(&w, v);
	if (!err)
		err = write_cells(&w, v);
	if (!err)
		err = write_frames(&w, v);
	if (!err)
		err = write_trees(&w, v);
	if (!err)
		err = write_nodes(&w, v);
	if (!err)
		err = write_files(&w, v);
	if (!err)
		err = write_header(&w, v);
	ZSTD_freeCCtx(w.zstd);
	if (!err && sizes)
		fill_sizes(&w, sizes);
	return err;
}
