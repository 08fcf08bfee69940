// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline.c -- the counts of each interval, by image or symbol. */
#include "config.h"
#include "pp/profile/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/file.h"
#include "intervals/interval.h"
#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/session/classes.h"
#include "pp/session/range.h"

#define NANO	1000000000ll

/* A build of a binary, or a kind of memory without a file, and its symbols. */
struct binary {
	struct itv_image image;		/* the image, whose .build_id is NULL */
	/* number of the kernel that ran, if the symbols depend on the kernel (has_kernel()); else
	 * 0 */
	uint32_t kernel;
	struct pp_image *opened;
	struct pp_demangler demangler;
	/* for each symbol: index of its name in the timeline, plus 1; 0: no name yet */
	uint32_t *names;
	uint32_t nr_names;
	/* index of the name for the whole binary, which counts code without a symbol */
	uint32_t whole;
};

/* The counts of one event in the interval that is being read. */
struct sums {
	uint64_t *of_names;
	/* number of elements in .of_names: the highest index of a name with samples so far, plus
	 * 1 */
	size_t nr;
};

struct reader {
	struct pp_timeline *timeline;
	const struct pp_spec *spec;
	struct pp_images *images;
	enum pp_demangle demangle;
	struct pp_log *log;
	struct pp_intern intern;
	uint32_t *sorted;		/* indices of all names in the timeline, sorted by name */
	struct sums *sums;		/* for each event: its sums in the current interval */
	struct binary **binaries;	/* binaries that were opened so far, sorted by image */
	size_t nr_binaries;
};

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !!a - !!b : strcmp(a, b);
}

static int compare_names(const struct pp_timeline_name *a, const struct pp_timeline_name *b)
{
	int c = compare_texts(a->image, b->image);

	return c ? c : compare_texts(a->symbol, b->symbol);
}

/* Find or add the name of an image or of a symbol in @image, and store the index of the name.
 * Return 0 or -ENOMEM. */
static int find_name(struct reader *r, const char *image, const char *symbol, uint32_t *ret)
{
	struct pp_timeline *t = r->timeline;
	struct pp_timeline_name name = { image, symbol };
	size_t at = op_partition_point(i, t->nr_names,
				       compare_names(&t->names[r->sorted[i]], &name) < 0);

	if (at < t->nr_names && !compare_names(&t->names[r->sorted[at]], &name)) {
		*ret = r->sorted[at];
		return 0;
	}
	name.image = pp_intern(&r->intern, &t->strings, image);
	name.symbol = symbol ? pp_intern(&r->intern, &t->strings, symbol) : NULL;
	if (!name.image || (symbol && !name.symbol) || op_grow(&t->names, t->nr_names) ||
	    op_grow(&r->sorted, t->nr_names))
		return -ENOMEM;
	memmove(&r->sorted[at + 1], &r->sorted[at], (t->nr_names - at) * sizeof(*r->sorted));
	r->sorted[at] = *ret = (uint32_t)t->nr_names;
	t->names[t->nr_names++] = name;
	return 0;
}

static void binary_destroy(struct binary *binary)
{
	pp_demangler_release(&binary->demangler);
	pp_image_close(binary->opened);
	free(binary->names);
	free(binary);
}

/* Return whether the symbols of the image are in the samples directory of the kernel that ran:
 * symbols of the kernel, of the vdso, and of code made at run time. */
static bool has_kernel(const struct op_path_image *image)
{
	return image->name.kind == OP_IMAGE_KERN || image->name.kind == OP_IMAGE_ANON;
}

/* Open the binary of @image. Return NULL if out of memory. */
static struct binary *open_binary(struct reader *r, const struct itv_image *image, uint32_t kernel)
{
	char dir[PP_RANGE_NAME_SIZE];
	const struct op_path_image *of = &image->image;
	const struct pp_image_samples samples = {
		.identity = of->identity, .mtime = of->mtime, .is_kernel = of->is_kernel,
		.path = has_kernel(of) ?
				pp_images_samples_dir(r->images, pp_range_name(dir, kernel)) :
				NULL,
		.anon_start = of->name.kind == OP_IMAGE_ANON ? of->name.anon_start : 0,
	};
	struct binary *binary = calloc(1, sizeof(*binary));
	struct op_image_name *name;

	if (!binary)
		return NULL;
	pp_demangler_init(&binary->demangler, &r->timeline->strings);
	binary->image = (struct itv_image){ .image = *of };
	binary->kernel = kernel;
	name = &binary->image.image.name;
	name->path = (char *)pp_intern(&r->intern, &r->timeline->strings, of->name.path);
	if (!name->path || find_name(r, name->path, NULL, &binary->whole) ||
	    pp_image_open(&binary->opened, r->images, name, r->log) ||
	    pp_image_begin(binary->opened, &samples)) {
		binary_destroy(binary);
		return NULL;
	}
	return binary;
}

static int compare_binaries(const struct binary *a, const struct binary *b)
{
	int c = itv_compare_images(&a->image, &b->image);

	return c ? c : (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* Find the binary of @image, or open it if it is new. @kernel: number of the interval's kernel.
 * Return 0 or -ENOMEM. */
static int find_binary(struct reader *r, const struct itv_image *image, uint32_t kernel,
		       struct binary **ret)
{
	const struct binary key = {
		.image = { .image = image->image },
		.kernel = has_kernel(&image->image) ? kernel : 0,
	};
	size_t at = op_partition_point(i, r->nr_binaries,
				       compare_binaries(r->binaries[i], &key) < 0);
	struct binary *binary;

	if (at < r->nr_binaries && !compare_binaries(r->binaries[at], &key)) {
		*ret = r->binaries[at];
		return 0;
	}
	if (op_grow(&r->binaries, r->nr_binaries))
		return -ENOMEM;
	binary = open_binary(r, image, key.kernel);
	if (!binary)
		return -ENOMEM;
	memmove(&r->binaries[at + 1], &r->binaries[at],
		(r->nr_binaries - at) * sizeof(*r->binaries));
	r->nr_binaries++;
	*ret = r->binaries[at] = binary;
	return 0;
}

/* Look up the symbol at the address @key of the binary, and store the index of its name. Return 0
 * or -ENOMEM. */
static int find_symbol(struct reader *r, struct binary *binary, uint64_t key, uint32_t *ret)
{
	uint32_t symbol = pp_image_lookup(binary->opened, key), name;
	struct pp_symbol_info info;
	const char *text;
	int err;

	*ret = binary->whole;
	if (symbol >= PP_RAW)
		return 0;
	while (binary->nr_names <= symbol) {
		if (op_grow(&binary->names, binary->nr_names))
			return -ENOMEM;
		binary->names[binary->nr_names++] = 0;
	}
	if (!binary->names[symbol]) {
		pp_image_symbol(binary->opened, symbol, &info);
		text = pp_demangle(&binary->demangler, info.name, r->demangle);
		err = text ? find_name(r, binary->image.image.name.path, text, &name) : -ENOMEM;
		if (err)
			return err;
		binary->names[symbol] = name + 1;
	}
	*ret = binary->names[symbol] - 1;
	return 0;
}

/* Return whether the profile specification selects @group, the samples of a program in a binary. */
static bool is_wanted(const struct reader *r, const struct itv *v, const struct itv_group *group)
{
	const struct itv_event *event = &v->events[group->event];
	const struct op_sample_name name = {
		.app = v->images[group->app].image.name,
		.image = v->images[group->image].image.name,
		.event = event->name, .count = event->count, .um = event->um,
		.tgid = group->tgid, .tid = group->tid, .cpu = group->cpu,
	};

	return !v->images[group->app].woken && pp_spec_matches(r->spec, &name, "");
}

/* Find or add the event, and store its index. Return 0 or -ENOMEM. */
static int find_event(struct reader *r, const struct itv_event *event, uint32_t *ret)
{
	struct pp_timeline *t = r->timeline;
	const unsigned int merge = pp_merge_reasons(r->spec, 0);
	struct pp_timeline_event new = {
		.count = event->count, .um = pp_class_um(event->name, event->um, merge),
	};

	for (size_t i = 0; i < t->nr_events; i++) {
		if (t->events[i].count == event->count && t->events[i].um == new.um &&
		    !strcmp(t->events[i].name, event->name)) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	new.name = (char *)pp_intern(&r->intern, &t->strings, event->name);
	if (!new.name || op_grow(&t->events, t->nr_events) || op_grow(&r->sums, t->nr_events))
		return -ENOMEM;
	r->sums[t->nr_events] = (struct sums){ .nr = 0 };
	*ret = (uint32_t)t->nr_events;
	t->events[t->nr_events++] = new;
	return 0;
}

static int add_samples(struct sums *sums, uint32_t name, uint64_t samples)
{
	while (sums->nr <= name) {
		if (op_grow(&sums->of_names, sums->nr))
			return -ENOMEM;
		sums->of_names[sums->nr++] = 0;
	}
	sums->of_names[name] += samples;
	return 0;
}

/* Add the counts of a group (a program's samples in a binary) to the sums of the current
 * interval. */
static int add_group(struct reader *r, const struct itv *v, uint32_t kernel,
		     const struct itv_group *group)
{
	const struct itv_image *image = &v->images[group->image];
	struct binary *binary = NULL;
	uint32_t event = 0, name = 0;
	int err = find_event(r, &v->events[group->event], &event);

	if (!err)
		err = r->images ? find_binary(r, image, kernel, &binary) :
				  find_name(r, image->image.name.path, NULL, &name);
	for (uint32_t i = group->cell; i < group->cell + group->nr_cells && !err; i++) {
		if (binary)
			err = find_symbol(r, binary, v->cells[i].key, &name);
		if (!err)
			err = add_samples(&r->sums[event], name, v->cells[i].count);
	}
	return err;
}

/* Move the sums of the current interval to a new row of the timeline. */
static int add_row(struct reader *r, struct pp_timeline_row *row)
{
	struct pp_timeline *t = r->timeline;

	row->first = t->nr_counts;
	for (uint32_t name = 0; name < t->nr_names; name++) {
		for (uint32_t event = 0; event < t->nr_events; event++) {
			struct sums *sums = &r->sums[event];

			if (name >= sums->nr || !sums->of_names[name])
				continue;
			if (op_grow(&t->counts, t->nr_counts))
				return -ENOMEM;
			t->counts[t->nr_counts++] = (struct pp_timeline_count){
				name, event, sums->of_names[name],
			};
			sums->of_names[name] = 0;
		}
	}
	row->nr = t->nr_counts - row->first;
	if (op_grow(&t->rows, t->nr_rows))
		return -ENOMEM;
	t->rows[t->nr_rows++] = *row;
	return 0;
}

static int add_part(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source)
{
	struct pp_timeline_row row = {
		.begin = part->begin, .end = part->end, .step = part->step,
		.covered = part->end - part->begin,
	};
	struct reader *r = arg;
	int err = 0;

	for (size_t i = 0; i < v->accounting.nr_gaps; i++)
		row.covered -= (v->accounting.gaps[i].to_ns - v->accounting.gaps[i].from_ns) / NANO;
	if (row.covered < 1)
		row.covered = 1;
	for (uint32_t i = 0; i < v->nr_groups && !err; i++) {
		if (v->groups[i].nr_cells && is_wanted(r, v, &v->groups[i]))
			err = add_group(r, v, source->kernel, &v->groups[i]);
	}
	return err ? err : add_row(r, &row);
}

/* Free the sums of all events in the current interval. */
static void release_sums(struct reader *r)
{
	for (size_t i = 0; i < r->timeline->nr_events; i++)
		free(r->sums[i].of_names);
	free(r->sums);
	r->sums = NULL;
}

/* Discard all rows and events, because all intervals will be read again. Keep the names. */
static int forget(void *arg)
{
	struct reader *r = arg;
	struct pp_timeline *t = r->timeline;

	release_sums(r);
	free(t->events);
	t->events = NULL;
	t->nr_events = t->nr_rows = t->nr_counts = 0;
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct pp_timeline_row *x = a, *y = b;

	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) :
				      (x->end > y->end) - (x->end < y->end);
}

/* The indices of the timeline's names, sorted by the samples of one event. */
struct order {
	const struct pp_timeline_name *names;
	const uint64_t *samples;
};

static int compare_busiest(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = op_compare_u64(order->samples[y], order->samples[x]);

	return c ? c : compare_names(&order->names[x], &order->names[y]);
}

static int compare_counts(const void *a, const void *b)
{
	const struct pp_timeline_count *x = a, *y = b;

	return x->name != y->name ? (x->name < y->name ? -1 : 1) :
				    (x->event > y->event) - (x->event < y->event);
}

/* An event of the timeline, and its index before the events were sorted. */
struct numbered {
	struct pp_timeline_event event;
	uint32_t index;
};

static int compare_events(const void *a, const void *b)
{
	const struct pp_timeline_event *x = &((const struct numbered *)a)->event,
				       *y = &((const struct numbered *)b)->event;
	int c = strcmp(x->name, y->name);

	if (!c)
		c = op_compare_u64(x->count, y->count);
	return c ? c : op_compare_u64(x->um, y->um);
}

/* Sort the events by name, and the counts of each row accordingly. Return 0 or -ENOMEM. */
static int sort_events(struct pp_timeline *t)
{
	struct numbered *sorted = calloc(t->nr_events, sizeof(*sorted));
	uint32_t *new = calloc(t->nr_events, sizeof(*new));
	int err = sorted && new ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < t->nr_events && !err; i++)
		sorted[i] = (struct numbered){ t->events[i], i };
	if (!err)
		qsort(sorted, t->nr_events, sizeof(*sorted), compare_events);
	for (uint32_t i = 0; i < t->nr_events && !err; i++) {
		t->events[i] = sorted[i].event;
		new[sorted[i].index] = i;
	}
	for (size_t i = 0; i < t->nr_counts && !err; i++)
		t->counts[i].event = new[t->counts[i].event];
	for (size_t i = 0; i < t->nr_rows && !err; i++)
		qsort(&t->counts[t->rows[i].first], t->rows[i].nr, sizeof(*t->counts),
		      compare_counts);
	free(sorted);
	free(new);
	return err;
}

/* Sum the samples of each event over all rows, and sort the names by their sums. Return 0 or
 * -ENOMEM. */
static int sum_events(struct pp_timeline *t)
{
	for (size_t e = 0; e < t->nr_events; e++) {
		t->events[e].of_names = calloc(t->nr_names, sizeof(*t->events[e].of_names));
		t->events[e].busiest = calloc(t->nr_names, sizeof(*t->events[e].busiest));
		if (!t->events[e].of_names || !t->events[e].busiest)
			return -ENOMEM;
	}
	for (size_t i = 0; i < t->nr_counts; i++) {
		struct pp_timeline_event *event = &t->events[t->counts[i].event];

		event->of_names[t->counts[i].name] += t->counts[i].samples;
		event->samples += t->counts[i].samples;
	}
	for (size_t e = 0; e < t->nr_events; e++) {
		struct order order = { t->names, t->events[e].of_names };

		for (uint32_t i = 0; i < t->nr_names; i++)
			t->events[e].busiest[i] = i;
		qsort_r(t->events[e].busiest, t->nr_names, sizeof(uint32_t), compare_busiest,
			&order);
	}
	return 0;
}

static int finish(struct reader *r)
{
	struct pp_timeline *t = r->timeline;
	int err;

	if (!t->nr_counts)
		return op_fail(&r->log->error, -ENODATA,
			       "no sample of this time matches the specification");
	qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare_rows);
	err = sort_events(t);
	return err ? err : sum_events(t);
}

int pp_timeline_read(struct pp_timeline *ret, const struct pp_spec *spec,
		     const struct op_session_paths *paths, struct pp_images *images,
		     enum pp_demangle demangle, struct pp_log *log)
{
	struct pp_timeline timeline = { .range = NULL };
	struct reader r = {
		.timeline = &timeline, .spec = spec, .images = images, .demangle = demangle,
		.log = log,
	};
	const struct pp_range_visitor visitor = {
		.part = add_part, .reads = ITV_READ_CELLS, .again = forget, .arg = &r,
	};
	int err = pp_range_visit(&timeline.range, spec, paths, &visitor, log);

	if (!err)
		err = finish(&r);
	for (size_t i = 0; i < r.nr_binaries; i++)
		binary_destroy(r.binaries[i]);
	free(r.binaries);
	free(r.sorted);
	release_sums(&r);
	pp_intern_release(&r.intern);
	if (err)
		pp_timeline_release(&timeline);
	else
		*ret = timeline;
	return err;
}

uint64_t pp_timeline_samples(const struct pp_timeline *timeline, const struct pp_timeline_row *row,
			     size_t event)
{
	uint64_t samples = 0;

	for (size_t i = row->first; i < row->first + row->nr; i++)
		if (timeline->counts[i].event == event)
			samples += timeline->counts[i].samples;
	return samples;
}

void pp_timeline_release(struct pp_timeline *timeline)
{
	for (size_t i = 0; i < timeline->nr_events; i++) {
		free(timeline->events[i].of_names);
		free(timeline->events[i].busiest);
	}
	free(timeline->events);
	pp_range_close(timeline->range);
	free(timeline->rows);
	free(timeline->counts);
	free(timeline->names);
	pp_block_free(timeline->strings);
	*timeline = (struct pp_timeline){ .range = NULL };
}
