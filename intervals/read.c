// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read.c -- reader of the packed file of an interval.
 *
 * The file is untrusted. The reader checks each block against its checksum, each number against its
 * limit, and the result by itv_check(). It allocates memory only within the caller's limit, and
 * never for more items than the bytes of a block can encode.
 */
#include "config.h"
#include "intervals/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "intervals/columns.h"
#include "intervals/format.h"
#include "intervals/private.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/base/hash.h"

struct entry {
	enum itv_packing packing;
	uint64_t raw, stored, offset, check;
};

struct reader {
	int fd;
	uint64_t left;		/* number of bytes that the reader may still allocate */
	/* directory of the file's blocks, indexed by block type; .stored == 0: the file has no such
	 * block */
	struct entry entry[ITV_NR_BLOCK_TYPES];
};

/* An unpacked block of the file. */
struct column {
	struct itv_in in;
	uint8_t *bytes;
	uint64_t len;
};

static int charge(struct reader *r, uint64_t bytes)
{
	if (bytes > r->left)
		return ITV_ERR_TOO_BIG;
	r->left -= bytes;
	return 0;
}

/* Allocate a list of @nr elements of @size bytes, within the reader's memory limit. */
static int new_list(struct reader *r, void *ret, size_t nr, size_t size)
{
	int err = charge(r, (uint64_t)nr * size);
	void *list;

	if (err)
		return err;
	list = itv_new_list(nr, size);
	if (!list)
		return -ENOMEM;
	memcpy(ret, &list, sizeof(list));
	return 0;
}

static int read_at(int fd, void *bytes, size_t len, uint64_t at)
{
	size_t got;
	int err = op_read_all_at(fd, bytes, len, (off_t)at, &got);

	return err ? err : got == len ? 0 : ITV_ERR_FORMAT;
}

/* Parse one entry of the directory of blocks. The block must begin at file offset @at. */
static int read_entry(struct reader *r, const uint8_t *bytes, uint64_t at, uint64_t file_len)
{
	const uint32_t type = itv_get_le32(bytes + ITV_ENTRY_TYPE);
	const uint32_t packing = itv_get_le32(bytes + ITV_ENTRY_PACKING);
	const struct entry entry = {
		.packing = (enum itv_packing)packing,
		.raw = itv_get_le64(bytes + ITV_ENTRY_RAW),
		.stored = itv_get_le64(bytes + ITV_ENTRY_STORED),
		.offset = itv_get_le64(bytes + ITV_ENTRY_OFFSET),
		.check = itv_get_le64(bytes + ITV_ENTRY_CHECK),
	};

	if (entry.offset != at || entry.stored > file_len - at)
		return ITV_ERR_FORMAT;
	if (!type || type >= ITV_NR_BLOCK_TYPES)
		return 0;
	if (r->entry[type].stored || !entry.stored || packing > ITV_ZSTD ||
	    (packing == ITV_STORED && entry.raw != entry.stored) ||
	    entry.raw / ITV_MAX_RATIO > entry.stored)
		return ITV_ERR_FORMAT;
	r->entry[type] = entry;
	return 0;
}

static int read_directory(struct reader *r, const uint8_t *header, uint64_t file_len)
{
	const uint32_t nr = itv_get_le32(header + ITV_AT_NR_BLOCKS);
	uint8_t directory[ITV_MAX_BLOCKS * ITV_ENTRY_LEN];
	uint64_t at, check;
	int err;

	if (nr > ITV_MAX_BLOCKS || itv_get_le64(header + ITV_AT_LENGTH) != file_len)
		return ITV_ERR_FORMAT;
	err = read_at(r->fd, directory, nr * ITV_ENTRY_LEN, ITV_HEADER_LEN);
	if (err)
		return err;
	check = op_hash_bytes(OP_HASH_BEGIN, header, ITV_AT_CHECK);
	check = op_hash_bytes(check, directory, nr * ITV_ENTRY_LEN);
	if (check != itv_get_le64(header + ITV_AT_CHECK))
		return ITV_ERR_FORMAT;
	at = ITV_HEADER_LEN + (uint64_t)nr * ITV_ENTRY_LEN;
	for (uint32_t i = 0; i < nr && !err; i++) {
		const uint8_t *entry = directory + i * ITV_ENTRY_LEN;

		err = read_entry(r, entry, at, file_len);
		at += err ? 0 : itv_get_le64(entry + ITV_ENTRY_STORED);
	}
	return err ? err : at == file_len ? 0 : ITV_ERR_FORMAT;
}

static int read_header(struct reader *r)
{
	uint8_t header[ITV_HEADER_LEN];
	struct stat st;
	int err;

	if (fstat(r->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size < ITV_HEADER_LEN)
		return ITV_ERR_FORMAT;
	err = read_at(r->fd, header, sizeof(header), 0);
	if (err)
		return err;
	if (memcmp(header, ITV_MAGIC, ITV_MAGIC_LEN) || !itv_get_le32(header + ITV_AT_VERSION))
		return ITV_ERR_FORMAT;
	if (itv_get_le32(header + ITV_AT_VERSION) > ITV_VERSION)
		return ITV_ERR_VERSION;
	return read_directory(r, header, (uint64_t)st.st_size);
}

/* Read the block of type @type, check its checksum, and unpack it to @c. If the file has no such
 * block, @c is empty. */
static int load(struct reader *r, enum itv_block_type type, struct column *c)
{
	const struct entry *e = &r->entry[type];
	uint8_t *stored = NULL, *raw = NULL;
	int err;

	*c = (struct column){ 0 };
	if (!e->stored)
		return 0;
	err = new_list(r, &stored, e->stored, 1);
	if (!err)
		err = read_at(r->fd, stored, e->stored, e->offset);
	if (!err && op_hash_bytes(OP_HASH_BEGIN, stored, e->stored) != e->check)
		err = ITV_ERR_FORMAT;
	if (!err && e->packing == ITV_ZSTD)
		err = new_list(r, &raw, e->raw, 1);
	if (!err && raw && ZSTD_decompress(raw, e->raw, stored, e->stored) != e->raw)
		err = ITV_ERR_FORMAT;
	if (err) {
		free(stored);
		free(raw);
		return err;
	}
	if (raw) {
		free(stored);
		r->left += e->stored;
	}
	c->bytes = raw ? raw : stored;
	c->len = e->raw;
	c->in = (struct itv_in){ c->bytes, c->bytes + c->len, false };
	return 0;
}

/* Free the column. Return @err if it is not 0, or ITV_ERR_FORMAT if not all bytes of the column
 * were read. */
static int unload(struct reader *r, struct column *c, int err)
{
	if (!err && !itv_in_is_done(&c->in))
		err = ITV_ERR_FORMAT;
	free(c->bytes);
	r->left += c->len;
	*c = (struct column){ 0 };
	return err;
}

static int get_bytes(struct reader *r, struct itv_in *in, char **ret, size_t *len)
{
	bool nomem = false;
	int err;

	*ret = itv_get_text(in, len, &nomem);
	if (!*ret)
		return nomem ? -ENOMEM : ITV_ERR_FORMAT;
	err = charge(r, *len + 1);
	if (err) {
		free(*ret);
		*ret = NULL;
	}
	return err;
}

/* Read a string from the column. Return an error if the string contains a NUL. */
static int get_text(struct reader *r, struct itv_in *in, char **ret)
{
	size_t len;
	int err = get_bytes(r, in, ret, &len);

	if (!err && memchr(*ret, '\0', len)) {
		free(*ret);
		*ret = NULL;
		err = ITV_ERR_FORMAT;
	}
	return err;
}

static int get_image(struct reader *r, struct itv_in *in, struct itv_image *image)
{
	struct op_image_name *name = &image->image.name;
	const uint64_t kind = itv_get_limited(in, 31);
	char *build_id;
	int err;

	name->kind = (enum op_image_kind)(kind & 3);
	image->image.is_kernel = kind >> 2 & 1;
	err = get_text(r, in, &name->path);
	if (!err && kind >> 3 & 1)
		err = get_text(r, in, &name->unit);
	if (!err && kind >> 4)
		err = get_text(r, in, &image->woken);
	if (err)
		return err;
	if (name->kind == OP_IMAGE_ANON) {
		name->anon_tgid = (pid_t)itv_get_limited(in, UINT32_MAX);
		name->anon_program = (unsigned int)itv_get_limited(in, UINT32_MAX);
		name->anon_start = itv_get_number(in);
		name->anon_end = itv_get_number(in);
	}
	image->image.identity.build = (uint32_t)itv_get_limited(in, UINT32_MAX);
	image->image.identity.owner = (uint32_t)itv_get_limited(in, UINT32_MAX);
	image->image.mtime = itv_get_number(in);
	err = get_bytes(r, in, &build_id, &image->build_id_len);
	if (!err && image->build_id_len)
		image->build_id = (uint8_t *)build_id;
	else
		free(build_id);
	return err;
}

static int read_images(struct reader *r, struct itv *v)
{
	struct column c;
	uint32_t nr;
	int err = load(r, ITV_BLOCK_IMAGES, &c);

	if (err)
		return err;
	nr = itv_get_count(&c.in, 6);
	err = new_list(r, &v->images, nr, sizeof(*v->images));
	while (v->nr_images < nr && !err)
		err = get_image(r, &c.in, &v->images[v->nr_images++]);
	return unload(r, &c, err);
}

static int get_event(struct reader *r, struct itv_in *in, struct itv_event *event)
{
	uint64_t speed;
	int err = get_text(r, in, &event->name);

	if (err)
		return err;
	event->count = itv_get_number(in);
	event->um = (uint32_t)itv_get_limited(in, UINT32_MAX);
	event->cpu_type = (uint32_t)itv_get_limited(in, UINT32_MAX);
	event->ctr_event = (uint32_t)itv_get_limited(in, UINT32_MAX);
	if (in->end - in->at < 8)
		return ITV_ERR_FORMAT;
	speed = itv_get_le64(in->at);
	memcpy(&event->cpu_speed, &speed, sizeof(speed));
	in->at += 8;
	return 0;
}

static int read_events(struct reader *r, struct itv *v)
{
	struct column c;
	uint32_t nr;
	int err = load(r, ITV_BLOCK_EVENTS, &c);

	if (err)
		return err;
	nr = itv_get_count(&c.in, 13);
	err = new_list(r, &v->events, nr, sizeof(*v->events));
	while (v->nr_events < nr && !err)
		err = get_event(r, &c.in, &v->events[v->nr_events++]);
	return unload(r, &c, err);
}

static int32_t get_id(struct itv_in *in)
{
	return (int32_t)((int64_t)itv_get_limited(in, 1ull << 31) + OP_ALL);
}

/* Read the size of the next range of a list, and add it to *@total. Return the index of the range's
 * first element. Ranges are contiguous. */
static uint32_t get_range(struct itv_in *in, uint32_t *total)
{
	const uint32_t nr = (uint32_t)itv_get_limited(in, UINT32_MAX - *total);

	*total += nr;
	return nr;
}

static int read_groups(struct reader *r, struct itv *v)
{
	struct column c;
	uint32_t app = 0;
	int err = load(r, ITV_BLOCK_GROUPS, &c);

	if (err)
		return err;
	v->nr_groups = itv_get_count(&c.in, 7);
	err = new_list(r, &v->groups, v->nr_groups, sizeof(*v->groups));
	for (uint32_t i = 0; i < v->nr_groups && !err; i++) {
		struct itv_group *g = &v->groups[i];

		app += (uint32_t)itv_get_limited(&c.in, UINT32_MAX - app);
		g->app = app;
		g->image = (uint32_t)itv_get_limited(&c.in, UINT32_MAX);
		g->event = (uint32_t)itv_get_limited(&c.in, UINT32_MAX);
		g->tgid = get_id(&c.in);
		g->tid = get_id(&c.in);
		g->cpu = get_id(&c.in);
		g->cell = v->nr_cells;
		g->nr_cells = get_range(&c.in, &v->nr_cells);
	}
	return unload(r, &c, err);
}

static int read_cells(struct reader *r, struct itv *v)
{
	struct column c;
	int err;

	if (v->nr_cells > r->entry[ITV_BLOCK_CELL_KEYS].raw ||
	    v->nr_cells > r->entry[ITV_BLOCK_CELL_COUNTS].raw)
		return ITV_ERR_FORMAT;
	err = new_list(r, &v->cells, v->nr_cells, sizeof(*v->cells));
	if (!err)
		err = load(r, ITV_BLOCK_CELL_KEYS, &c);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_groups; i++) {
		struct itv_cell *cell = v->cells + v->groups[i].cell;

		for (uint32_t n = 0; n < v->groups[i].nr_cells; n++)
			cell[n].key = itv_get_number(&c.in) + (n ? cell[n - 1].key + 1 : 0);
	}
	err = unload(r, &c, 0);
	if (!err)
		err = load(r, ITV_BLOCK_CELL_COUNTS, &c);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_cells; i++)
		v->cells[i].count = itv_get_number(&c.in) + 1;
	return unload(r, &c, 0);
}

static int get_places(struct itv *v, struct itv_in *in)
{
	uint32_t image = 0, i = 0;

	while (i < v->nr_frames && !in->failed) {
		uint64_t offset = 0;
		uint32_t nr;

		image += (uint32_t)itv_get_limited(in, UINT32_MAX - image);
		nr = (uint32_t)itv_get_limited(in, v->nr_frames - i);
		if (!nr)
			return ITV_ERR_FORMAT;
		for (; nr; nr--, i++) {
			offset += itv_get_number(in);
			v->frames[i].image = image;
			v->frames[i].offset = offset;
		}
	}
	return 0;
}

static int read_frames(struct reader *r, struct itv *v)
{
	struct column c;
	int err = load(r, ITV_BLOCK_FRAME_PLACES, &c);

	if (err)
		return err;
	v->nr_frames = itv_get_count(&c.in, 1);
	if (v->nr_frames > r->entry[ITV_BLOCK_FRAME_HOWS].raw ||
	    v->nr_frames >= ITV_NO_FRAME - ITV_FRAME_FIRST)
		err = ITV_ERR_FORMAT;
	if (!err)
		err = new_list(r, &v->frames, v->nr_frames, sizeof(*v->frames));
	if (!err)
		err = get_places(v, &c.in);
	err = unload(r, &c, err);
	if (!err)
		err = load(r, ITV_BLOCK_FRAME_HOWS, &c);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_frames; i++)
		v->frames[i].how = (uint16_t)itv_get_limited(&c.in, UINT16_MAX);
	return unload(r, &c, 0);
}

static int read_trees(struct reader *r, struct itv *v)
{
	struct column c;
	uint32_t app = 0;
	int err = load(r, ITV_BLOCK_TREES, &c);

	if (err)
		return err;
	v->nr_trees = itv_get_count(&c.in, 7);
	err = new_list(r, &v->trees, v->nr_trees, sizeof(*v->trees));
	for (uint32_t i = 0; i < v->nr_trees && !err; i++) {
		struct itv_tree *t = &v->trees[i];

		app += (uint32_t)itv_get_limited(&c.in, UINT32_MAX - app);
		t->app = app;
		t->event = (uint32_t)itv_get_limited(&c.in, UINT32_MAX);
		t->tgid = get_id(&c.in);
		t->tid = get_id(&c.in);
		t->cpu = get_id(&c.in);
		t->node = v->nr_nodes;
		t->nr_nodes = get_range(&c.in, &v->nr_nodes);
		t->nr_roots = (uint32_t)itv_get_limited(&c.in, t->nr_nodes);
	}
	return unload(r, &c, err);
}

/* Read the frames of the nodes of one tree, which put_frames() in write.c encoded. */
static int get_frames(struct itv_in *in, struct itv_node *node, const struct itv_tree *tree,
		      struct itv_levels *levels, uint32_t *child, uint32_t no_frame)
{
	int err = itv_levels_push(levels, tree->nr_roots, no_frame);

	for (uint32_t i = 0; i < tree->nr_nodes && !err; i++, node++) {
		struct itv_level *level = itv_levels_next(levels);
		uint64_t frame;

		if (!level)
			return ITV_ERR_FORMAT;
		frame = itv_get_number(in);
		if (level->last == ITV_NO_FRAME)
			frame = itv_unzigzag(frame) + child[level->parent];
		else
			frame += level->last + 1ull;
		if (frame >= no_frame)
			return ITV_ERR_FORMAT;
		node->frame = (uint32_t)frame;
		if (level->last == ITV_NO_FRAME)
			child[level->parent] = node->frame;
		level->last = node->frame;
		level->left--;
		if (node->nr_children)
			err = itv_levels_push(levels, node->nr_children, node->frame);
	}
	return err ? err : itv_levels_next(levels) ? ITV_ERR_FORMAT : 0;
}

static int read_node_frames(struct reader *r, struct itv *v)
{
	const uint32_t no_frame = v->nr_frames + ITV_FRAME_FIRST;
	struct itv_levels levels = { 0 };
	uint32_t *child = NULL;
	struct column c;
	int err = load(r, ITV_BLOCK_NODE_FRAMES, &c);

	if (err)
		return err;
	err = new_list(r, &child, no_frame + 1ul, sizeof(*child));
	for (uint32_t i = 0; i < v->nr_trees && !err; i++)
		err = get_frames(&c.in, v->nodes + v->trees[i].node, &v->trees[i], &levels, child,
				 no_frame);
	if (child)
		r->left += (no_frame + 1ull) * sizeof(*child);
	free(child);
	itv_levels_release(&levels);
	return unload(r, &c, err);
}

static int read_nodes(struct reader *r, struct itv *v)
{
	struct column c;
	int err;

	if (v->nr_nodes > r->entry[ITV_BLOCK_NODE_CHILDREN].raw ||
	    v->nr_nodes > r->entry[ITV_BLOCK_NODE_FRAMES].raw ||
	    v->nr_nodes > r->entry[ITV_BLOCK_NODE_COUNTS].raw)
		return ITV_ERR_FORMAT;
	err = new_list(r, &v->nodes, v->nr_nodes, sizeof(*v->nodes));
	if (!err)
		err = load(r, ITV_BLOCK_NODE_CHILDREN, &c);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_nodes; i++)
		v->nodes[i].nr_children = (uint32_t)itv_get_limited(&c.in, v->nr_nodes);
	err = unload(r, &c, 0);
	if (!err)
		err = read_node_frames(r, v);
	if (!err)
		err = load(r, ITV_BLOCK_NODE_COUNTS, &c);
	if (err)
		return err;
	for (uint32_t i = 0; i < v->nr_nodes; i++)
		v->nodes[i].count = itv_get_number(&c.in);
	return unload(r, &c, 0);
}

static int read_files(struct reader *r, struct itv *v)
{
	struct column c;
	uint32_t nr;
	int err = load(r, ITV_BLOCK_FILES, &c);

	if (err)
		return err;
	nr = itv_get_count(&c.in, 2);
	err = new_list(r, &v->files, nr, sizeof(*v->files));
	while (v->nr_files < nr && !err) {
		struct itv_file *file = &v->files[v->nr_files++];

		err = get_text(r, &c.in, &file->name);
		if (!err)
			err = get_bytes(r, &c.in, &file->data, &file->len);
	}
	return unload(r, &c, err);
}

static int read_accounting(struct reader *r, struct itv *v)
{
	struct column c;
	int err = load(r, ITV_BLOCK_ACCOUNTING, &c);

	if (err)
		return err;
	if (!c.len)
		return unload(r, &c, ITV_ERR_FORMAT);
	c.in.at = c.in.end;
	/* Subtract an estimate of the needed memory from the memory limit: each line becomes a
	 * pointer, a string and a list element, which need up to 16 times the size of the line. */
	err = charge(r, 16 * c.len);
	if (!err)
		err = itv_get_accounting(&v->accounting, (const char *)c.bytes, c.len);
	return unload(r, &c, err);
}

static int read_parts(struct reader *r, struct itv *v, unsigned int parts)
{
	int err = read_accounting(r, v);

	if (!err && parts & (ITV_READ_CELLS | ITV_READ_PATHS | ITV_READ_IMAGES))
		err = read_images(r, v);
	if (!err && parts & (ITV_READ_CELLS | ITV_READ_PATHS))
		err = read_events(r, v);
	if (!err && parts & ITV_READ_CELLS)
		err = read_groups(r, v);
	if (!err && parts & ITV_READ_CELLS)
		err = read_cells(r, v);
	if (!err && parts & ITV_READ_PATHS)
		err = read_frames(r, v);
	if (!err && parts & ITV_READ_PATHS)
		err = read_trees(r, v);
	if (!err && parts & ITV_READ_PATHS)
		err = read_nodes(r, v);
	if (!err && parts & ITV_READ_FILES)
		err = read_files(r, v);
	return err;
}

/* Join events that are equal: earlier versions of the writer stored an event once for each CPU
 * type. */
static int join_events(struct itv *v)
{
	int err = 0;

	for (uint32_t i = 1; i < v->nr_events && !err; i++)
		if (!itv_compare_events(&v->events[i - 1], &v->events[i]))
			err = itv_sort(v);
	return err && err != -ENOMEM ? ITV_ERR_FORMAT : err;
}

/* Check the invariants of the interval that was read, and compare its sums with the accounting. */
static int check_result(const struct itv *v, unsigned int parts)
{
	const struct itv_accounting *a = &v->accounting;
	struct itv_totals totals;
	int err = itv_check(v, &totals);

	if (err)
		return err == -ENOMEM ? err : ITV_ERR_FORMAT;
	if (parts & ITV_READ_CELLS &&
	    (totals.samples != a->samples || totals.wakers != a->wakers))
		return ITV_ERR_FORMAT;
	if (parts & ITV_READ_PATHS && (totals.paths != a->paths || totals.folded != a->folded))
		return ITV_ERR_FORMAT;
	return 0;
}

int itv_file_read(struct itv *v, int fd, unsigned int parts, uint64_t max_bytes)
{
	struct reader r = { .fd = fd, .left = max_bytes };
	struct itv new = { 0 };
	int err = read_header(&r);

	if (!err)
		err = read_parts(&r, &new, parts);
	if (!err)
		err = join_events(&new);
	if (!err)
		err = check_result(&new, parts);
	if (err) {
		itv_release(&new);
		return err;
	}
	*v = new;
	return 0;
}

const char *itv_strerror(int err)
{
	switch (err) {
	case ITV_ERR_FORMAT:
		return "not an interval file, or a damaged one";
	case ITV_ERR_VERSION:
		return "interval file of a newer version; read it with the release that wrote it";
	case ITV_ERR_TOO_BIG:
		return "interval file needs more memory, or has more samples, than allowed";
	default:
		return op_strerror(err);
	}
}
