// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.c -- a source whose samples are in memory: arrays of binaries, frames, samples and
 * nodes. */
#include "config.h"
#include "pp/source/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "libop/base/grow.h"
#include "libop/base/hash.h"
#include "libop/cpu/type.h"
#include "libop/raw/probe_words.h"

/* generation of the list of frames; constant, because a source in memory does not change while it
 * is read */
#define GENERATION	1

struct node {
	uint32_t parent, frame, row;
};

/* A hash table of numbered items. A slot contains the number of an item plus 1, or 0 if the slot is
 * free. */
struct index {
	uint32_t *slots;
	size_t size, nr; /* .size: number of hash slots, a power of two or 0; .nr: used slots */
};

struct pp_memory {
	/* the frames of call paths; the first frame has the number FRAME_FIRST */
	struct frame *frames;
	size_t nr_frames;
	uint32_t *rows;			/* for each row of samples: number of its frame */
	uint64_t *counts; /* for each row of samples: one count for each class (event) */
	uint64_t *sums;			/* for each class (event): sum of the counts of all rows */
	size_t nr_rows, nr_counts;
	/* nodes of the tree of call paths; the first node has the number TREE_FIRST */
	struct node *nodes;
	size_t nr_nodes;
	/* for each frame: one sum for each class (event), over the frame's rows */
	uint64_t *frame_sums;
	/* indices of the frames with samples, sorted by binary */
	uint32_t *by_binary;
	/* for each binary: index of its first frame in .by_binary; the last element is the length
	 * of .by_binary */
	uint32_t *first_of;
	struct index frame_index, binary_index;
	/* random seed of the hash tables, so that the writer of a file cannot choose contents whose
	 * hashes are equal */
	uint64_t seed;
};

/* Return the slot of the item with the hash @hash for which the callback @same returns true. Return
 * a free slot if there is no such item. */
static uint32_t *find_slot(const struct index *index, uint64_t hash, const void *arg,
			   bool (*same)(const void *arg, uint32_t number))
{
	size_t at = hash & (index->size - 1);

	while (index->slots[at] && !same(arg, index->slots[at] - 1))
		at = (at + 1) & (index->size - 1);
	return &index->slots[at];
}

/* Grow the hash table if one more item would not fit. The callback @hash_of returns the hash of an
 * item, which determines its slot in the larger table. */
static int make_room(struct index *index, const struct pp_source *source,
		     uint64_t (*hash_of)(const struct pp_source *source, uint32_t number))
{
	size_t size = index->size ? 2 * index->size : 256;
	uint32_t *slots;

	if (2 * index->nr < index->size)
		return 0;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < index->size; i++) {
		size_t at;

		if (!index->slots[i])
			continue;
		at = hash_of(source, index->slots[i] - 1) & (size - 1);
		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = index->slots[i];
	}
	free(index->slots);
	index->slots = slots;
	index->size = size;
	return 0;
}

uint64_t pp_memory_seed(const struct pp_source *source)
{
	return source->memory->seed;
}

int pp_memory_class(struct pp_source *source, const char *event, uint64_t count)
{
	struct pp_source_class class = { strdup(event), count };

	/* Replace characters that are not allowed in the name of a sample file. */
	for (char *c = class.event; c && *c; c++)
		if (*c == '.' || *c == '/')
			*c = '_';
	if (!class.event || op_grow(&source->classes, source->nr_classes)) {
		free(class.event);
		return -ENOMEM;
	}
	source->classes[source->nr_classes++] = class;
	return 0;
}

static char *absolute(const char *path)
{
	char *ret;

	return asprintf(&ret, "%s%s", path[0] == '/' ? "" : "/", path) < 0 ? NULL : ret;
}

int pp_memory_program(struct pp_source *source, const char *path)
{
	char *own = absolute(path);

	if (!own)
		return -ENOMEM;
	free(source->program.path);
	source->program = (struct op_image_name){ .kind = OP_IMAGE_ROOT, .path = own };
	return 0;
}

#define ANON	"anon"	/* name of a mapping that has neither a file nor a name */

struct wanted_binary {
	const struct pp_source *source;
	const char *path;
	const uint8_t *id;
	size_t id_len;
};

static bool same_binary(const void *arg, uint32_t number)
{
	const struct wanted_binary *wanted = arg;
	const struct pp_source_binary *binary = &wanted->source->binaries[number];

	return binary->build_id_len == wanted->id_len &&
	       !strcmp(binary->image.name.path, wanted->path) &&
	       (!wanted->id_len || !memcmp(binary->build_id, wanted->id, wanted->id_len));
}

static uint64_t hash_binary(const struct pp_source *source, uint32_t number)
{
	const struct pp_source_binary *binary = &source->binaries[number];

	return op_hash_bytes(op_hash_text(source->memory->seed, binary->image.name.path),
			     binary->build_id, binary->build_id_len);
}

static int add_binary(struct pp_source *source, const struct wanted_binary *wanted, uint64_t start)
{
	bool is_file = wanted->path[0] == '/';
	struct pp_source_binary binary = {
		.image.name = {.kind = is_file ? OP_IMAGE_ROOT : OP_IMAGE_ANON,
			       .path = strdup(wanted->path)},
		.build_id_len = wanted->id_len,
	};

	if (!is_file) {
		binary.image.name.anon_start = start;
		binary.image.name.anon_end = UINT64_MAX;
		/* Mappings of anonymous memory are distinguished by process. Mappings such as
		 * "[vdso]" are the same in all processes. */
		if (!strcmp(wanted->path, ANON))
			binary.image.name.anon_tgid = source->process;
	}
	if (wanted->id_len) {
		binary.image.identity.build = op_identity_of_build_id(wanted->id, wanted->id_len);
		binary.build_id = malloc(wanted->id_len);
	}
	if (!binary.image.name.path || (wanted->id_len && !binary.build_id) ||
	    source->nr_binaries >= OP_PATH_IMAGES_MAX ||
	    op_grow(&source->binaries, source->nr_binaries)) {
		free(binary.image.name.path);
		free(binary.build_id);
		return -ENOMEM;
	}
	if (wanted->id_len)
		memcpy(binary.build_id, wanted->id, wanted->id_len);
	source->binaries[source->nr_binaries++] = binary;
	return 0;
}

int pp_memory_binary(struct pp_source *source, const char *path, const uint8_t *id, size_t id_len,
		     uint64_t start, uint32_t *ret)
{
	const struct wanted_binary wanted = { source, *path ? path : ANON, id, id_len };
	uint64_t hash = op_hash_bytes(op_hash_text(source->memory->seed, wanted.path), id, id_len);
	struct index *index = &source->memory->binary_index;
	int err = make_room(index, source, hash_binary);
	uint32_t *slot;

	if (err)
		return err;
	slot = find_slot(index, hash, &wanted, same_binary);
	if (!*slot) {
		err = add_binary(source, &wanted, start);
		if (err)
			return err;
		*slot = source->nr_binaries;
		index->nr++;
	}
	*ret = *slot - 1;
	return 0;
}

struct wanted_frame {
	const struct pp_memory *memory;
	struct frame frame;
};

static bool same_frame(const void *arg, uint32_t number)
{
	const struct wanted_frame *wanted = arg;
	const struct frame *frame = &wanted->memory->frames[number];

	return frame->offset == wanted->frame.offset && frame->image == wanted->frame.image &&
	       frame->how == wanted->frame.how;
}

static uint64_t hash_of_frame(const struct pp_memory *m, const struct frame *frame)
{
	return op_hash_number(op_hash_number(m->seed, frame->offset),
			      (uint64_t)frame->image << 16 | frame->how);
}

static uint64_t hash_frame(const struct pp_source *source, uint32_t number)
{
	return hash_of_frame(source->memory, &source->memory->frames[number]);
}

static int number_frame(struct pp_source *source, const struct frame *frame, uint32_t *ret)
{
	struct pp_memory *m = source->memory;
	const struct wanted_frame wanted = { m, *frame };
	int err = make_room(&m->frame_index, source, hash_frame);
	uint32_t *slot;

	if (err)
		return err;
	slot = find_slot(&m->frame_index, hash_of_frame(m, frame), &wanted, same_frame);
	if (!*slot) {
		if (m->nr_frames >= UINT32_MAX / 2 || op_grow(&m->frames, m->nr_frames))
			return -ENOMEM;
		m->frames[m->nr_frames++] = *frame;
		*slot = m->nr_frames;
		m->frame_index.nr++;
	}
	*ret = FRAME_FIRST + *slot - 1;
	return 0;
}

int pp_memory_frame(struct pp_source *source, uint32_t binary, uint64_t key, uint32_t *ret)
{
	return number_frame(source, &(struct frame){ .offset = key, .image = binary + 1 }, ret);
}

int pp_memory_cut(struct pp_source *source, uint32_t *ret)
{
	return number_frame(source, &(struct frame){ .how = PP_SOURCE_CALLER_UNKNOWN }, ret);
}

int pp_memory_row(struct pp_source *source, uint32_t frame, const uint64_t *counts, uint32_t *ret)
{
	struct pp_memory *m = source->memory;

	if (!m->sums) {
		m->sums = calloc(source->nr_classes + 1, sizeof(*m->sums));
		if (!m->sums)
			return -ENOMEM;
	}
	for (size_t c = 0; c < source->nr_classes; c++)
		if (counts[c] > INT64_MAX - m->sums[c])
			return -EOVERFLOW;
	if (m->nr_rows >= PP_MEMORY_NO_ROW - 1 || op_grow(&m->rows, m->nr_rows))
		return -ENOMEM;
	for (size_t c = 0; c < source->nr_classes; c++) {
		if (op_grow(&m->counts, m->nr_counts)) {
			m->nr_counts -= c;
			return -ENOMEM;
		}
		m->counts[m->nr_counts++] = counts[c];
	}
	for (size_t c = 0; c < source->nr_classes; c++)
		m->sums[c] += counts[c];
	m->rows[m->nr_rows] = frame;
	*ret = m->nr_rows++;
	return 0;
}

int pp_memory_node(struct pp_source *source, uint32_t parent, uint32_t frame, uint32_t row,
		   uint32_t *ret)
{
	struct pp_memory *m = source->memory;

	if (m->nr_nodes >= UINT32_MAX / 2 || op_grow(&m->nodes, m->nr_nodes))
		return -ENOMEM;
	m->nodes[m->nr_nodes++] = (struct node){ parent, frame, row };
	source->has_paths = true;
	*ret = TREE_FIRST + m->nr_nodes - 1;
	return 0;
}

static int add_up_frames(struct pp_memory *m, size_t nr_classes)
{
	m->frame_sums = calloc(m->nr_frames * nr_classes + 1, sizeof(*m->frame_sums));
	if (!m->frame_sums)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_rows; i++)
		for (size_t c = 0; c < nr_classes; c++)
			m->frame_sums[(m->rows[i] - FRAME_FIRST) * nr_classes + c] +=
				m->counts[i * nr_classes + c];
	return 0;
}

static bool has_samples(const struct pp_source *source, uint32_t frame)
{
	for (size_t c = 0; c < source->nr_classes; c++)
		if (source->memory->frame_sums[frame * source->nr_classes + c])
			return true;
	return false;
}

int pp_memory_finish(struct pp_source *source)
{
	struct pp_memory *m = source->memory;
	uint32_t *next;

	m->by_binary = calloc(m->nr_frames + 1, sizeof(*m->by_binary));
	m->first_of = calloc(source->nr_binaries + 2, sizeof(*m->first_of));
	if (!m->by_binary || !m->first_of || add_up_frames(m, source->nr_classes))
		return -ENOMEM;
	/* Compute for each binary the index of its first frame in .by_binary. The frames of binary
	 * i are counted in element i + 2, so that a running sum computes the indices in place. */
	next = m->first_of + 1;
	for (uint32_t i = 0; i < m->nr_frames; i++)
		if (has_samples(source, i))
			next[m->frames[i].image]++;
	for (size_t b = 0; b < source->nr_binaries; b++)
		next[b + 1] += next[b];
	for (uint32_t i = 0; i < m->nr_frames; i++)
		if (has_samples(source, i))
			m->by_binary[next[m->frames[i].image - 1]++] = i;
	return 0;
}

bool pp_memory_has(const struct pp_source *source, uint32_t class, uint32_t binary)
{
	const struct pp_memory *m = source->memory;

	for (uint32_t i = m->first_of[binary]; i < m->first_of[binary + 1]; i++)
		if (m->frame_sums[m->by_binary[i] * source->nr_classes + class])
			return true;
	return false;
}

uint64_t pp_memory_count(const struct pp_source *source, uint32_t class, uint32_t binary)
{
	const struct pp_memory *m = source->memory;
	uint64_t count = 0;

	for (uint32_t i = m->first_of[binary]; i < m->first_of[binary + 1]; i++)
		count += m->frame_sums[m->by_binary[i] * source->nr_classes + class];
	return count;
}

static int addresses(const struct pp_source *source, const struct pp_source_part *part,
		     struct pp_source_taker *taker)
{
	const struct pp_memory *m = source->memory;
	const struct pp_source_binary *binary = &source->binaries[part->binary];
	const struct pp_source_facts facts = {
		.identity = binary->image.identity, .cpu_type = OP_CPU_TIMER,
	};
	int err = taker->begin(taker->arg, &facts);

	for (uint32_t i = m->first_of[part->binary]; i < m->first_of[part->binary + 1] && !err;
	     i++) {
		uint32_t of = m->by_binary[i];
		uint64_t count = m->frame_sums[of * source->nr_classes + part->class];

		if (count)
			err = taker->address(taker->arg, m->frames[of].offset, count);
	}
	return err;
}

static int images(const struct pp_source *source, struct op_path_images *ret)
{
	struct op_path_images list = { 0 };

	for (size_t i = 0; i < source->nr_binaries; i++) {
		struct op_path_image image = source->binaries[i].image;

		image.name.path = strdup(image.name.path);
		if (!image.name.path || op_grow(&list.images, list.nr)) {
			free(image.name.path);
			op_path_images_release(&list);
			return -ENOMEM;
		}
		list.images[list.nr++] = image;
	}
	*ret = list;
	return 0;
}

static int open_frames(struct pp_source *source)
{
	source->frames_end = FRAME_FIRST + source->memory->nr_frames;
	source->generation = GENERATION;
	return 0;
}

static bool frame(const struct pp_source *source, uint32_t number, struct frame *ret)
{
	if (number < FRAME_FIRST || number - FRAME_FIRST >= source->memory->nr_frames)
		return false;
	*ret = source->memory->frames[number - FRAME_FIRST];
	return true;
}

static void close_frames(struct pp_source *source)
{
	(void)source;
}

static int paths_open(const struct pp_source *source, const struct pp_source_part *part,
		      struct pp_source_paths *ret)
{
	*ret = (struct pp_source_paths){
		.source = source,
		.class = part->class,
		.end = TREE_FIRST + source->memory->nr_nodes,
	};
	return 0;
}

static bool node(const struct pp_source_paths *paths, uint32_t number, struct tree_node *ret)
{
	const struct pp_memory *m = paths->source->memory;
	const struct node *n = &m->nodes[number - TREE_FIRST];

	*ret = (struct tree_node){ .parent = n->parent, .frame = n->frame };
	if (n->row != PP_MEMORY_NO_ROW)
		ret->count = m->counts[n->row * paths->source->nr_classes + paths->class];
	return true;
}

static void paths_close(struct pp_source_paths *paths)
{
	(void)paths;
}

static void close_memory(struct pp_source *source)
{
	struct pp_memory *m = source->memory;

	if (!m)
		return;
	free(m->frames);
	free(m->rows);
	free(m->counts);
	free(m->sums);
	free(m->nodes);
	free(m->frame_sums);
	free(m->by_binary);
	free(m->first_of);
	free(m->frame_index.slots);
	free(m->binary_index.slots);
	free(m);
}

static const struct pp_source_ops memory_ops = {
	.name = "file",
	.close = close_memory,
	.addresses = addresses,
	.images = images,
	.frames_open = open_frames,
	.frame = frame,
	.frames_close = close_frames,
	.paths_open = paths_open,
	.node = node,
	.paths_close = paths_close,
};

uid_t pp_source_owner(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? (uid_t)-1 : st.st_uid;
}

bool pp_source_rate_is_known(const struct pp_source_rate *rate)
{
	return rate->driver && rate->driver < RAW_PROBE_NR_DRIVERS && rate->cpu_ns &&
	       rate->period_ns;
}

void pp_source_close(struct pp_source *source)
{
	if (!source)
		return;
	source->ops->close(source);
	for (size_t i = 0; i < source->nr_classes; i++)
		free(source->classes[i].event);
	for (size_t i = 0; i < source->nr_binaries; i++) {
		free(source->binaries[i].image.name.path);
		free(source->binaries[i].build_id);
	}
	free(source->classes);
	free(source->binaries);
	free(source->program.path);
	free(source->command);
	op_session_stats_release(&source->stats);
	free(source->path);
	free(source);
}

int pp_memory_create(struct pp_source **ret, const char *path)
{
	struct pp_source *source = calloc(1, sizeof(*source));

	if (!source)
		return -ENOMEM;
	source->ops = &memory_ops;
	source->path = strdup(path);
	source->memory = calloc(1, sizeof(*source->memory));
	source->linked = true;
	if (!source->path || !source->memory) {
		pp_source_close(source);
		return -ENOMEM;
	}
	/* Shortly after boot, random bytes may not be available yet. Use a constant seed then. */
	if (getrandom(&source->memory->seed, sizeof(source->memory->seed), GRND_NONBLOCK) < 0)
		source->memory->seed = OP_HASH_BEGIN;
	*ret = source;
	return 0;
}
