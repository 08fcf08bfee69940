// SPDX-License-Identifier: GPL-2.0-or-later
/* build.c -- makes an interval of rows of samples. */
#include "config.h"
#include "pp/store/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "libop/session/identity.h"

#define NONE	UINT32_MAX
#define ODD	"[odd name]"	/* replaces a name that no program of a host can have */
#define MAX_ID	64	/* maximum length of a build-id in bytes */

struct work {
	struct store_builder *b;
	struct itv v;
};

/* Return the unit of the stack's program, or NULL. */
static const char *unit_of(const struct store_stack *stack)
{
	return stack->is_unit ? stack->service : NULL;
}

static int compare_programs(const void *a, const void *b, void *arg)
{
	const struct store_stack *stacks = arg;
	const struct store_stack *x = &stacks[*(const uint32_t *)a];
	const struct store_stack *y = &stacks[*(const uint32_t *)b];
	/* equal units are the same string */
	const uintptr_t unit_x = (uintptr_t)unit_of(x), unit_y = (uintptr_t)unit_of(y);

	if (x->program != y->program)
		return x->program < y->program ? -1 : 1;
	return unit_x < unit_y ? -1 : unit_x > unit_y;
}

/* Number the different programs of the stacks, so that add_sample() finds them without a search. */
static int number_programs(struct store_builder *b)
{
	const struct store_stack *items = b->stacks->items;
	const size_t nr = b->stacks->nr;
	uint32_t *order = calloc(nr + 1, sizeof(*order)), number = 0;

	b->program_of = calloc(nr + 1, sizeof(*b->program_of));
	b->program_at = calloc(nr + 1, sizeof(*b->program_at));
	b->program_in = calloc(nr + 1, sizeof(*b->program_in));
	if (!order || !b->program_of || !b->program_at || !b->program_in) {
		free(order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		order[i] = (uint32_t)i;
	if (nr)
		qsort_r(order, nr, sizeof(*order), compare_programs, (void *)items);
	for (size_t i = 0; i < nr; i++) {
		number += i && compare_programs(&order[i - 1], &order[i], (void *)items);
		b->program_of[order[i]] = number;
	}
	free(order);
	return 0;
}

int store_builder_init(struct store_builder *b)
{
	if (number_programs(b))
		return -ENOMEM;
	b->image_at = calloc(b->names->nr + 1, sizeof(*b->image_at));
	b->image_of = calloc(b->names->nr + 1, sizeof(*b->image_of));
	b->frame_at = calloc(b->stacks->nr_frames + 1, sizeof(*b->frame_at));
	b->frame_of = calloc(b->stacks->nr_frames + 1, sizeof(*b->frame_of));
	return b->image_at && b->image_of && b->frame_at && b->frame_of ? 0 : -ENOMEM;
}

void store_builder_release(struct store_builder *b)
{
	free(b->image_at);
	free(b->image_of);
	free(b->frame_at);
	free(b->frame_of);
	free(b->program_of);
	free(b->program_at);
	free(b->program_in);
}

/* Return the kind of an image by its title: files have an absolute path; memory without a file has
 * a name in brackets, or "anon"; other names are those of the kernel and its modules. */
static enum op_image_kind kind_of(const char *title, bool is_program)
{
	if (*title == '/')
		return OP_IMAGE_ROOT;
	if (is_program)
		return OP_IMAGE_KERN;
	return *title == '[' || !strcmp(title, "anon") ? OP_IMAGE_ANON : OP_IMAGE_KERN;
}

/* Return whether the image can be a part of the name of a sample file. */
static bool is_image(const struct op_image_name *image, bool is_program)
{
	struct op_image_name kernel = { .kind = OP_IMAGE_KERN, .path = (char *)"vmlinux" };
	struct op_sample_name name = {
		.app = is_program ? *image : kernel, .image = *image, .event = (char *)"TIMER", .count = 1,
		.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
	};
	char *path;

	if (op_mangle(&path, &name))
		return false;
	free(path);
	return true;
}

/* Append an image to the interval. @service: the unit of a program; or NULL. */
static int add_image(struct work *w, const struct pp_named_image *from, const char *service,
		     bool is_program, uint32_t *ret)
{
	struct itv *v = &w->v;
	struct itv_image image = { .image.name = { .kind = kind_of(from->path, is_program) } };
	uint8_t id[MAX_ID];
	size_t len = is_program ? 0 : pp_build_id_bytes(id, sizeof(id), from->build_id);

	image.image.is_kernel = image.image.name.kind == OP_IMAGE_KERN;
	image.image.name.path = strdup(from->path);
	if (service && asprintf(&image.image.name.unit, "/%s", service) < 0)
		image.image.name.unit = NULL;
	if (!is_program)
		image.image.identity.build = from->build;
	if (len) {
		image.build_id = malloc(len);
		image.build_id_len = len;
	}
	if (!image.image.name.path || (service && !image.image.name.unit) ||
	    (len && !image.build_id) || op_grow(&v->images, v->nr_images)) {
		free(image.image.name.path);
		free(image.image.name.unit);
		free(image.build_id);
		return -ENOMEM;
	}
	if (len)
		memcpy(image.build_id, id, len);
	if (!is_image(&image.image.name, is_program)) {
		free(image.image.name.path);
		free(image.image.name.unit);
		image.image.name = (struct op_image_name){ .kind = kind_of(ODD, is_program),
							   .path = strdup(ODD) };
		if (!image.image.name.path) {
			free(image.build_id);
			return -ENOMEM;
		}
	}
	*ret = v->nr_images;
	v->images[v->nr_images++] = image;
	return 0;
}

static int image_of(struct work *w, uint32_t number, uint32_t *ret)
{
	struct store_builder *b = w->b;
	int err = 0;

	if (b->image_of[number] != b->interval) {
		err = add_image(w, &b->names->images[number], NULL, false, &b->image_at[number]);
		if (!err)
			b->image_of[number] = b->interval;
	}
	*ret = b->image_at[number];
	return err;
}

static int program_of(struct work *w, const struct store_stack *stack, uint32_t *ret)
{
	struct store_builder *b = w->b;
	const uint32_t number = b->program_of[stack - b->stacks->items];
	int err = 0;

	if (b->program_in[number] != b->interval) {
		err = add_image(w, &b->names->images[stack->program], unit_of(stack), true,
				&b->program_at[number]);
		if (!err)
			b->program_in[number] = b->interval;
	}
	*ret = b->program_at[number];
	return err;
}

/* Return whether @name can be the event in the name of a sample file. */
static bool is_event(const char *name)
{
	struct op_image_name image = { .kind = OP_IMAGE_KERN, .path = (char *)"vmlinux" };
	struct op_sample_name sample = {
		.app = image, .image = image, .event = (char *)name, .count = 1,
		.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
	};
	char *path;

	if (op_mangle(&path, &sample))
		return false;
	free(path);
	return true;
}

/* Add the events of all samples to the interval, in their order. A label is "NAME:COUNT" or
 * "NAME:COUNT:0xUM", and NAME may contain colons. */
static int add_events(struct work *w)
{
	const struct store_samples *samples = w->b->samples;
	struct itv *v = &w->v;

	for (size_t i = 0; i < samples->nr_events; i++) {
		struct itv_event event = { .cpu_type = w->b->cpu_type, .cpu_speed = w->b->mhz };
		char *label = strdup(samples->events[i]);
		char *colon = label ? strrchr(label, ':') : NULL;

		if (colon && !strncmp(colon, ":0x", 3)) {
			event.um = (uint32_t)strtoul(colon + 1, NULL, 16);
			*colon = '\0';
			colon = strrchr(label, ':');
		}
		if (colon) {
			event.count = strtoull(colon + 1, NULL, 10);
			*colon = '\0';
		}
		event.name = label;
		/* these separate the parts of a sample file's name */
		for (char *c = label; c && *c; c++)
			*c = *c == '/' || *c == '.' ? '_' : *c;
		if (label && !is_event(label)) {
			free(label);
			event.name = label = strdup("odd-event");
		}
		if (!label || op_grow(&v->events, v->nr_events)) {
			free(label);
			return -ENOMEM;
		}
		v->events[v->nr_events++] = event;
	}
	return 0;
}

static int frame_of(struct work *w, uint32_t number, uint32_t *ret)
{
	struct store_builder *b = w->b;
	const struct store_frame *from = &b->stacks->frames[number];
	struct itv_frame frame = { .offset = from->key, .how = from->how };
	uint32_t image;
	int err;

	if (from->kind == STORE_FOLDED || from->kind == STORE_LOST) {
		*ret = from->kind == STORE_FOLDED ? ITV_FRAME_FOLDED : ITV_FRAME_LOST;
		return 0;
	}
	if (b->frame_of[number] != b->interval) {
		if (from->kind == STORE_CODE) {
			err = image_of(w, from->image, &image);
			if (err)
				return err;
			frame.image = image + 1;
		}
		if (op_grow(&w->v.frames, w->v.nr_frames))
			return -ENOMEM;
		b->frame_at[number] = w->v.nr_frames;
		b->frame_of[number] = b->interval;
		w->v.frames[w->v.nr_frames++] = frame;
	}
	*ret = b->frame_at[number] + ITV_FRAME_FIRST;
	return 0;
}

/* Add the call path of a sample as a tree of its own: itv_sort() joins the trees of a program. */
static int add_path(struct work *w, const struct store_stack *stack, uint32_t app,
		    const struct store_sample *sample)
{
	struct itv *v = &w->v;
	struct itv_tree tree = {
		.app = app, .event = sample->event, .tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL,
		.node = v->nr_nodes, .nr_nodes = stack->nr, .nr_roots = 1,
	};

	for (uint32_t i = 0; i < stack->nr; i++) {
		const bool is_last = i + 1 == stack->nr;
		struct itv_node node = { .count = is_last ? sample->count : 0,
					 .nr_children = !is_last };
		int err = frame_of(w, w->b->stacks->chain[stack->frame + i], &node.frame);

		if (err)
			return err;
		if (op_grow(&v->nodes, v->nr_nodes))
			return -ENOMEM;
		v->nodes[v->nr_nodes++] = node;
	}
	if (op_grow(&v->trees, v->nr_trees))
		return -ENOMEM;
	v->trees[v->nr_trees++] = tree;
	return 0;
}

/* Add the samples of one place. If the last element of a path is not code, the place is unknown, so
 * the samples count as code of the program without a symbol. */
static int add_cell(struct work *w, uint32_t app, const struct store_frame *leaf,
		    const struct store_sample *sample)
{
	struct itv *v = &w->v;
	struct itv_group group = {
		.app = app, .image = app, .event = sample->event,
		.tgid = OP_ALL, .tid = OP_ALL, .cpu = OP_ALL, .cell = v->nr_cells, .nr_cells = 1,
	};
	const bool is_code = leaf && leaf->kind == STORE_CODE;
	int err = is_code ? image_of(w, leaf->image, &group.image) : 0;

	if (err)
		return err;
	if (op_grow(&v->cells, v->nr_cells))
		return -ENOMEM;
	v->cells[v->nr_cells++] = (struct itv_cell){ is_code ? leaf->key : 0, sample->count };
	if (op_grow(&v->groups, v->nr_groups))
		return -ENOMEM;
	v->groups[v->nr_groups++] = group;
	return 0;
}

/* Add samples whose stack is unknown. */
static int add_unknown(struct work *w, const struct store_sample *sample)
{
	static const struct pp_named_image none = {
		.path = "[stack not in the database]", .build_id = "",
	};
	uint32_t app;
	int err = add_image(w, &none, NULL, true, &app);

	w->b->unknown += sample->count;
	return err ? err : add_cell(w, app, NULL, sample);
}

static int add_sample(struct work *w, const struct store_sample *sample, bool with_paths)
{
	const struct store_stacks *stacks = w->b->stacks;
	const struct store_stack *stack = store_stack_find(stacks, sample->service, sample->stack);
	const struct store_frame *first, *leaf;
	uint32_t app = 0;
	int err;

	if (!stack)
		return add_unknown(w, sample);
	first = &stacks->frames[stacks->chain[stack->frame]];
	leaf = &stacks->frames[stacks->chain[stack->frame + stack->nr - 1]];
	err = program_of(w, stack, &app);
	if (!err)
		err = add_cell(w, app, leaf, sample);
	if (!err && with_paths && first->kind != STORE_NO_PATH)
		err = add_path(w, stack, app, sample);
	return err;
}

/* Return whether the interval was sampled with call paths. Without them each stack is one function;
 * with them a sample without a path says so, and a path can also have just one frame. */
static bool has_paths(const struct store_builder *b, size_t first, size_t nr)
{
	const struct store_stacks *stacks = b->stacks;

	for (size_t i = first; i < first + nr; i++) {
		const struct store_sample *sample = &b->samples->items[i];
		const struct store_stack *stack = store_stack_find(stacks, sample->service,
								   sample->stack);

		if (stack && (stack->nr > 1 ||
			      stacks->frames[stacks->chain[stack->frame]].kind == STORE_NO_PATH))
			return true;
	}
	return false;
}

int store_build(struct store_builder *b, struct itv *v, size_t first, size_t nr)
{
	struct work w = { .b = b, .v.accounting = v->accounting };
	const bool with_paths = has_paths(b, first, nr);
	int err;

	v->accounting = (struct itv_accounting){ .begun_ns = 0 };
	b->interval++;
	err = add_events(&w);
	for (size_t i = 0; i < nr && !err; i++)
		err = add_sample(&w, &b->samples->items[first + i], with_paths);
	if (!err)
		err = itv_sort(&w.v);
	if (!err)
		err = itv_sum(&w.v);
	itv_release(v);
	*v = w.v;
	return err;
}
