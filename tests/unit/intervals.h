/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intervals.h -- random intervals (profiles of a span of time) for tests, and a simple model of
 * their contents: a list of texts with counts.
 */
#ifndef TESTS_UNIT_INTERVALS_H
#define TESTS_UNIT_INTERVALS_H

#include <inttypes.h>
#include <sys/mman.h>

#include "intervals/file.h"
#include "intervals/interval.h"
#include "intervals/merge.h"
#include "libop/base/grow.h"
#include "libop/base/hash.h"

struct random {
	uint64_t state;
};

static inline uint32_t random_below(struct random *r, uint32_t limit)
{
	r->state = op_hash_number(r->state, 12345) + 1;
	return (uint32_t)((r->state >> 16 & 0xffffffff) % limit);
}

/*
 * A profile cell or a call path as text, with the names of all its members, and its count of
 * samples.
 */
struct model_line {
	char *text;
	uint64_t count;
};

struct model {
	struct model_line *lines;
	size_t nr;
};

static inline int model_compare(const void *a, const void *b)
{
	return strcmp(((const struct model_line *)a)->text, ((const struct model_line *)b)->text);
}

static inline void model_release(struct model *m)
{
	for (size_t i = 0; i < m->nr; i++)
		free(m->lines[i].text);
	free(m->lines);
	*m = (struct model){ 0 };
}

/* Add a line. The model takes ownership of @text. */
static inline void model_add(struct model *m, char *text, uint64_t count)
{
	assert_int_equal(op_grow(&m->lines, m->nr), 0);
	m->lines[m->nr++] = (struct model_line){ text, count };
}

/* Sort the lines, merge equal lines, and remove lines with a count of 0. */
static inline void model_sort(struct model *m)
{
	size_t kept = 0;

	if (m->nr)
		qsort(m->lines, m->nr, sizeof(*m->lines), model_compare);
	for (size_t i = 0; i < m->nr; i++) {
		if (kept && !strcmp(m->lines[kept - 1].text, m->lines[i].text)) {
			m->lines[kept - 1].count += m->lines[i].count;
			free(m->lines[i].text);
		} else if (m->lines[i].count) {
			m->lines[kept++] = m->lines[i];
		} else {
			free(m->lines[i].text);
		}
	}
	m->nr = kept;
}

__attribute__((format(printf, 1, 2)))
static inline char *model_text(const char *format, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, format);
	assert_true(vasprintf(&text, format, args) >= 0);
	va_end(args);
	return text;
}

static inline char *model_image(const struct itv *v, uint32_t i)
{
	const struct itv_image *image = &v->images[i];
	const struct op_image_name *n = &image->image.name;
	char *text = model_text("%d:%s:%s:%s:%d.%u.%" PRIx64 ".%" PRIx64 ":%x.%x.%" PRIu64 ".%d:",
				n->kind, n->path, n->unit ? n->unit : "",
				image->woken ? image->woken : "", n->kind == OP_IMAGE_ANON ? n->anon_tgid : 0,
				n->kind == OP_IMAGE_ANON ? n->anon_program : 0,
				n->kind == OP_IMAGE_ANON ? n->anon_start : 0,
				n->kind == OP_IMAGE_ANON ? n->anon_end : 0,
				image->image.identity.build, image->image.identity.owner,
				image->image.mtime, image->image.is_kernel);

	/* Images with the same identity are equal, even if one of the images has no build-id. */
	for (size_t b = 0; b < image->build_id_len && !image->image.identity.build; b++) {
		char *more = model_text("%s%02x", text, image->build_id[b]);

		free(text);
		text = more;
	}
	return text;
}

static inline void model_nodes(struct model *m, const struct itv *v, uint32_t *node, uint32_t nr,
			       const char *above)
{
	for (; nr; nr--) {
		const struct itv_node *n = &v->nodes[(*node)++];
		char *image = NULL, *path;

		if (n->frame < ITV_FRAME_FIRST) {
			path = model_text("%s;[%u]", above, n->frame);
		} else {
			const struct itv_frame *f = &v->frames[n->frame - ITV_FRAME_FIRST];

			image = f->image ? model_image(v, f->image - 1) : strdup("?");
			path = model_text("%s;%s+%" PRIx64 ".%u", above, image, f->offset, f->how);
		}
		free(image);
		model_add(m, strdup(path), n->count);
		model_nodes(m, v, node, n->nr_children, path);
		free(path);
	}
}

/* Add all cells and paths of an interval to the model. */
static inline void model_add_interval(struct model *m, const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *g = &v->groups[i];
		char *app = model_image(v, g->app), *image = model_image(v, g->image);

		for (uint32_t n = g->cell; n < g->cell + g->nr_cells; n++)
			model_add(m, model_text("cell %s %s %s.%" PRIu64 ".%u %d.%d.%d %" PRIx64, app,
						image, v->events[g->event].name,
						v->events[g->event].count, v->events[g->event].um,
						g->tgid, g->tid, g->cpu, v->cells[n].key),
				  v->cells[n].count);
		free(app);
		free(image);
	}
	for (uint32_t i = 0; i < v->nr_trees; i++) {
		const struct itv_tree *t = &v->trees[i];
		char *app = model_image(v, t->app);
		char *text = model_text("path %s %s.%" PRIu64 ".%u %d.%d.%d", app,
					v->events[t->event].name, v->events[t->event].count,
					v->events[t->event].um, t->tgid, t->tid, t->cpu);
		uint32_t node = t->node;

		model_nodes(m, v, &node, t->nr_roots, text);
		assert_int_equal(node, t->node + t->nr_nodes);
		free(app);
		free(text);
	}
	model_sort(m);
}

static inline void model_assert_equal(const struct model *a, const struct model *b)
{
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		assert_string_equal(a->lines[i].text, b->lines[i].text);
		assert_true(a->lines[i].count == b->lines[i].count);
	}
}

static inline void random_image(struct random *r, struct itv_image *image)
{
	static const char *const paths[] = { "/bin/a", "/lib/libc.so.6", "/tmp/new\nline",
					     "/tmp/\xff\xfe", "/b\\n", "/" };
	static const char *const kernel[] = { "vmlinux", "ext4" };
	struct op_image_name *name = &image->image.name;
	size_t which = random_below(r, 6);

	*image = (struct itv_image){ 0 };
	if (random_below(r, 4)) {
		name->path = strdup(paths[which]);
		if (!random_below(r, 3))
			name->unit = strdup(random_below(r, 2) ? "/" : "/a.slice/\n{dep}");
		image->image.identity.build = random_below(r, 2) ? 0xfedcba98 : 0;
		image->image.identity.owner = random_below(r, 2);
		image->image.mtime = random_below(r, 2) ? UINT64_MAX : 0;
		image->build_id_len = random_below(r, 2) ? 20 : 0;
		image->build_id = image->build_id_len ? calloc(1, 20) : NULL;
		if (!random_below(r, 4))
			image->woken = strdup(random_below(r, 2) ? "/" : "/bin/a\n(woke:{dep}");
	} else if (random_below(r, 2)) {
		name->kind = OP_IMAGE_KERN;
		name->path = strdup(kernel[which % 2]);
		image->image.is_kernel = true;
	} else {
		name->kind = OP_IMAGE_ANON;
		name->path = strdup("[heap]");
		name->anon_tgid = (pid_t)random_below(r, 3) - 1;
		name->anon_program = random_below(r, 2);
		name->anon_start = UINT64_MAX - random_below(r, 2);
		name->anon_end = UINT64_MAX;
	}
}

static inline int32_t random_id(struct random *r)
{
	return random_below(r, 3) ? OP_ALL : (int32_t)(INT32_MAX - random_below(r, 2));
}

static inline uint64_t random_count(struct random *r)
{
	return random_below(r, 20) ? random_below(r, 4) : random_below(r, 2) ? 1ull << 40 : 200;
}

static inline void random_node(struct random *r, struct itv *v, unsigned int depth)
{
	uint32_t children = depth < 8 ? random_below(r, depth ? 4 : 6) : 0, number = v->nr_nodes;

	assert_int_equal(op_grow(&v->nodes, v->nr_nodes), 0);
	v->nr_nodes++;
	v->nodes[number] = (struct itv_node){
		.count = random_count(r),
		.frame = random_below(r, v->nr_frames + (depth ? 1 : 2)) + (depth ? 2 : 1),
		.nr_children = children,
	};
	if (v->nodes[number].frame >= v->nr_frames + ITV_FRAME_FIRST)
		v->nodes[number].frame = ITV_FRAME_FIRST;
	while (children--)
		random_node(r, v, depth + 1);
}

/* Return the index of an image that can be the image of a sample or a frame: only programs have
 * units, and wake other programs. The first image has neither. */
static inline uint32_t random_place(struct random *r, const struct itv *v)
{
	uint32_t i = (uint32_t)random_below(r, v->nr_images);

	return v->images[i].image.name.unit || v->images[i].woken ? 0 : i;
}

/* Return the index of an image that can be the program of call paths: samples of wakers have
 * none. */
static inline uint32_t random_caller(struct random *r, const struct itv *v)
{
	uint32_t i = (uint32_t)random_below(r, v->nr_images);

	return v->images[i].woken ? 0 : i;
}

static inline void random_lists(struct random *r, struct itv *v)
{
	v->nr_images = 1 + random_below(r, 12);
	v->images = calloc(v->nr_images, sizeof(*v->images));
	for (uint32_t i = 0; i < v->nr_images; i++)
		random_image(r, &v->images[i]);
	free(v->images[0].image.name.unit);
	v->images[0].image.name.unit = NULL;
	free(v->images[0].woken);
	v->images[0].woken = NULL;
	v->nr_events = 1 + random_below(r, 3);
	v->events = calloc(v->nr_events, sizeof(*v->events));
	for (uint32_t i = 0; i < v->nr_events; i++)
		v->events[i] = (struct itv_event){
			.name = strdup(random_below(r, 2) ? "TIMER" : "CYCLES"),
			.count = 100000, .um = random_below(r, 2), .cpu_speed = 1234.5,
		};
	v->nr_frames = 1 + random_below(r, 30);
	v->frames = calloc(v->nr_frames, sizeof(*v->frames));
	for (uint32_t i = 0; i < v->nr_frames; i++)
		v->frames[i] = (struct itv_frame){
			.image = random_below(r, 8) ? random_place(r, v) + 1 : 0,
			.offset = random_below(r, 8) ? 64 * random_below(r, 9) + random_below(r, 9) :
						       UINT64_MAX,
			.how = random_below(r, 10) ? random_below(r, 3) : 17,
		};
}

/* Make an interval with unsorted lists and duplicate elements. */
static inline void random_interval(struct random *r, struct itv *v)
{
	*v = (struct itv){ 0 };
	random_lists(r, v);
	v->nr_groups = random_below(r, 8);
	v->groups = calloc(v->nr_groups + 1, sizeof(*v->groups));
	for (uint32_t i = 0; i < v->nr_groups; i++) {
		v->groups[i] = (struct itv_group){
			.app = random_below(r, v->nr_images), .image = random_place(r, v),
			.event = random_below(r, v->nr_events), .tgid = random_id(r),
			.tid = random_id(r), .cpu = random_id(r), .cell = v->nr_cells,
			.nr_cells = random_below(r, 20),
		};
		for (uint32_t n = v->groups[i].nr_cells; n; n--) {
			assert_int_equal(op_grow(&v->cells, v->nr_cells), 0);
			v->cells[v->nr_cells++] = (struct itv_cell){
				random_below(r, 9) ? random_below(r, 300) : UINT64_MAX,
				random_count(r)
			};
		}
	}
	v->nr_trees = random_below(r, 5);
	v->trees = calloc(v->nr_trees + 1, sizeof(*v->trees));
	for (uint32_t i = 0; i < v->nr_trees; i++) {
		struct itv_tree *t = &v->trees[i];

		*t = (struct itv_tree){
			.app = random_caller(r, v), .event = random_below(r, v->nr_events),
			.tgid = random_id(r), .tid = OP_ALL, .cpu = OP_ALL, .node = v->nr_nodes,
			.nr_roots = random_below(r, 4),
		};
		for (uint32_t n = t->nr_roots; n; n--)
			random_node(r, v, 0);
		t->nr_nodes = v->nr_nodes - t->node;
	}
}

/* Make a sorted interval with sums and times. */
static inline void random_sorted(struct random *r, struct itv *v)
{
	random_interval(r, v);
	assert_int_equal(itv_sort(v), 0);
	assert_int_equal(itv_sum(v), 0);
	v->accounting.begun_ns = 1700000000000000000 + random_below(r, 1000000);
	v->accounting.ended_ns = v->accounting.begun_ns + random_below(r, 1000000);
}

/* Write an interval to a new memory file, and return the descriptor. */
static inline int write_interval(const struct itv *v, int level)
{
	int fd = memfd_create("interval", 0);

	assert_true(fd >= 0);
	assert_int_equal(itv_file_write(v, fd, level, NULL), 0);
	return fd;
}

/* Return the bytes of a file, which the caller frees. */
static inline char *read_whole(int fd, size_t *len)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char *bytes = malloc((size_t)end + 1);

	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)end, 0), end);
	*len = (size_t)end;
	return bytes;
}

/* Compare all members of two intervals, by comparing the bytes of their files. */
static inline void assert_same_files(const struct itv *a, const struct itv *b)
{
	int fd[2] = { write_interval(a, 1), write_interval(b, 1) };
	size_t len[2];
	char *bytes[2] = { read_whole(fd[0], &len[0]), read_whole(fd[1], &len[1]) };

	assert_int_equal(len[0], len[1]);
	assert_memory_equal(bytes[0], bytes[1], len[0]);
	for (int i = 0; i < 2; i++) {
		close(fd[i]);
		free(bytes[i]);
	}
}

#endif
