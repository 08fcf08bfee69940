// SPDX-License-Identifier: GPL-2.0-or-later
/* part_read.c -- reading and summing of the sample files of one binary. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "pp/base/block.h"
#include "pp/profile/part.h"
#include "pp/profile/part_codes.h"
#include "pp/source/samples.h"

/* Lookup of the source lines of a part's codes (functions), and of the addresses in its details. */

struct finder {
	struct pp_part *part;
	struct pp_image *image;
	uint32_t build;		/* number of the binary's build that is open in the image */
	struct pp_intern names;
};

/* Replace the string *@text by a copy that the part owns. Return 0 or -ENOMEM. */
static int copy_text(struct finder *f, const char **text)
{
	if (!*text)
		return 0;
	*text = pp_intern(&f->names, &f->part->strings, *text);
	return *text ? 0 : -ENOMEM;
}

/* Look up the source line of the first instruction of each function. */
static int find_codes(struct finder *f)
{
	struct pp_part *part = f->part;

	for (size_t i = 0; i < part->nr_codes; i++) {
		struct pp_code *code = &part->codes[i];
		struct pp_frame frame;

		if (code->kind != PP_CODE_SYMBOL || code->build != f->build ||
		    !pp_image_symbol_line(f->image, code->vma, &frame))
			continue;
		if (copy_text(f, &frame.file))
			return -ENOMEM;
		code->file = frame.file;
		code->line = frame.line;
	}
	return 0;
}

static int find_frames(struct finder *f, uint64_t vma, struct pp_frames *ret)
{
	struct pp_frame frames[PP_MAX_FRAMES], *copy;
	unsigned int nr = pp_image_frames(f->image, vma, frames, PP_MAX_FRAMES);

	*ret = (struct pp_frames){ 0 };
	if (!nr)
		return 0;
	copy = (struct pp_frame *)pp_block_alloc(
		&f->part->blocks, (nr * sizeof(*copy) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
	if (!copy)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		copy[i] = frames[i];
		if (copy_text(f, &copy[i].file) || copy_text(f, &copy[i].function))
			return -ENOMEM;
	}
	*ret = (struct pp_frames){ copy, nr };
	return 0;
}

/* Return whether the source lines of the sampled addresses in @details can be looked up: the
 * addresses belong to the open build, and the file of this build exists. */
static bool has_lines(const struct finder *f, const struct pp_details *details,
		      const uint32_t *code_of_details)
{
	const struct pp_code *code = &f->part->codes[code_of_details[details - f->part->details]];

	return code->kind != PP_CODE_RAW && code->build == f->build;
}

static size_t collect_addresses(const struct finder *f, const uint32_t *code_of, uint64_t *ret)
{
	const struct pp_part *part = f->part;
	size_t nr = 0, kept = 0;

	for (size_t d = 0; d < part->nr_details; d++) {
		const struct pp_details *details = &part->details[d];

		for (size_t i = 0; i < details->nr && has_lines(f, details, code_of); i++)
			ret[nr++] = details->items[i].vma;
	}
	if (nr)
		qsort(ret, nr, sizeof(*ret), op_compare_u64_items);
	for (size_t i = 0; i < nr; i++)
		if (!kept || ret[kept - 1] != ret[i])
			ret[kept++] = ret[i];
	return kept;
}

/* Store the source positions of sampled addresses: @frames[i] is the source position of
 * @addresses[i]. */
static int distribute(const struct finder *f, const uint32_t *code_of, const uint64_t *addresses,
		      const struct pp_frames *frames, size_t nr)
{
	struct pp_part *part = f->part;

	for (size_t d = 0; d < part->nr_details; d++) {
		struct pp_details *details = &part->details[d];

		if (!details->frames)
			details->frames = (struct pp_frames *)pp_block_alloc(
				&part->blocks,
				details->nr * sizeof(*details->frames) / sizeof(uint64_t));
		if (!details->frames)
			return -ENOMEM;
		for (size_t i = 0; i < details->nr && has_lines(f, details, code_of); i++) {
			const uint64_t *found = bsearch(&details->items[i].vma, addresses, nr,
							sizeof(*addresses), op_compare_u64_items);

			details->frames[i] = frames[found - addresses];
		}
	}
	return 0;
}

static int find_details(struct finder *f)
{
	struct pp_part *part = f->part;
	uint32_t *code_of = calloc(part->nr_details + 1, sizeof(*code_of));
	struct pp_frames *frames = NULL;
	uint64_t *addresses = NULL;
	size_t nr = 0;
	int err = -ENOMEM;

	for (size_t d = 0; d < part->nr_details; d++)
		nr += part->details[d].nr;
	addresses = calloc(nr + 1, sizeof(*addresses));
	if (!code_of || !addresses)
		goto done;
	for (size_t i = 0; i < part->nr_entries; i++)
		if (part->entries[i].details)
			code_of[part->entries[i].details - 1] = part->entries[i].code;
	nr = collect_addresses(f, code_of, addresses);
	frames = calloc(nr + 1, sizeof(*frames));
	if (!frames)
		goto done;
	err = 0;
	for (size_t i = 0; i < nr && !err; i++)
		err = find_frames(f, addresses[i], &frames[i]);
	if (!err)
		err = distribute(f, code_of, addresses, frames, nr);
done:
	free(frames);
	free(addresses);
	free(code_of);
	return err;
}

/* Look up the source lines of all codes (functions) and details (sampled addresses) of a part. Look
 * up each address only once, in ascending order, which is fastest. Return 0 or -ENOMEM. */
static int part_find_lines(struct pp_part *part, struct pp_image *image)
{
	struct finder f = { .part = part, .image = image };
	int err = 0;

	for (f.build = 0; f.build < part->nr_builds && !err; f.build++) {
		err = pp_image_begin(image, &part->builds[f.build]);
		if (!err)
			err = find_codes(&f);
		if (!err && part->nr_details)
			err = find_details(&f);
	}
	pp_intern_release(&f.names);
	return err;
}

/* Collection of samples by address. They become the details (samples by address) of entries. */

/* The samples at one address of a function. */
struct pp_point {
	uint64_t vma, count;
	uint32_t entry, class;
};

struct pp_points { /* The samples of entries (functions) by address. A zeroed struct is empty. */
	struct pp_point *items;
	size_t nr;
};

/* Append a copy of @point. Return 0 or -ENOMEM. */
static int points_add(struct pp_points *points, const struct pp_point *point)
{
	if (op_grow(&points->items, points->nr))
		return -ENOMEM;
	points->items[points->nr++] = *point;
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct pp_point *x = a, *y = b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* Make the details (samples by address) of one entry from @points, which are sorted by address. */
static int finish_entry(struct pp_part *part, const struct pp_point *points, size_t nr,
			size_t nr_classes)
{
	struct pp_detail *detail = NULL;
	struct pp_details *details;
	size_t nr_details = 0;

	if (op_grow(&part->details, part->nr_details))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		nr_details += !i || points[i].vma != points[i - 1].vma;
	details = &part->details[part->nr_details];
	*details = (struct pp_details){
		.items = (struct pp_detail *)pp_block_alloc(
			&part->blocks, nr_details * sizeof(*detail) / sizeof(uint64_t)),
	};
	if (!details->items)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!i || points[i].vma != points[i - 1].vma) {
			detail = &details->items[details->nr++];
			detail->vma = points[i].vma;
			detail->counts = pp_block_alloc(&part->blocks, nr_classes);
			if (!detail->counts)
				return -ENOMEM;
		}
		detail->counts[points[i].class] += points[i].count;
	}
	part->entries[points->entry].details = ++part->nr_details;
	return 0;
}

/* Make the details (samples by address) of all entries of @part from @points, then empty @points.
 * Return 0 or -ENOMEM. */
static int points_finish(struct pp_points *points, struct pp_part *part, size_t nr_classes)
{
	struct pp_point *items = points->items;
	size_t nr = points->nr;
	int err = 0;

	if (nr)
		qsort(items, nr, sizeof(*items), compare_points);
	for (size_t i = 0, j; i < nr && !err; i = j) {
		for (j = i + 1; j < nr && items[j].entry == items[i].entry; j++)
			;
		err = finish_entry(part, &items[i], j - i, nr_classes);
	}
	points->nr = 0;
	return err;
}

static void points_release(struct pp_points *points)
{
	free(points->items);
}

void pp_part_release(struct pp_part *part)
{
	free(part->read);
	if (part->logs) {
		pp_log_queue_release(&part->logs->binary);
		pp_log_queue_release(&part->logs->bad_files);
		free(part->logs);
	}
	free(part->paths.chain);
	free(part->paths.places);
	free(part->builds);
	free(part->codes);
	free(part->entries);
	free(part->details);
	pp_block_free(part->blocks);
	pp_block_free(part->strings);
	*part = (struct pp_part){ 0 };
}

struct reader {
	struct pp_part *part;
	const struct pp_profile_options *options;
	const struct pp_session *session;
	size_t nr_classes;
	/* codes (functions) of the binary's symbols; .codes.image is NULL if
	 * pp_profile_options.symbols is false */
	struct pp_part_codes codes;
	enum pp_image_state *states;	/* for each build of the binary: state of its file */
	/* some of the samples were taken before the binary changed */
	bool changed;
	uint32_t group;			/* index of the current group (program) in the profile */
	struct pp_points points;
};

static int add_entry(struct reader *r, struct pp_slot *slot)
{
	struct pp_part *part = r->part;
	struct pp_entry *entry;

	if (part->nr_entries >= PP_UNWANTED || op_grow(&part->entries, part->nr_entries))
		return -ENOMEM;
	entry = &part->entries[part->nr_entries];
	*entry = (struct pp_entry){
		.counts = pp_block_alloc(&part->blocks, r->nr_classes),
		.code = slot->code,
		.group = r->group,
	};
	if (!entry->counts)
		return -ENOMEM;
	slot->entry = part->nr_entries++;
	return 0;
}

static int add_sample(struct reader *r, unsigned int class, uint64_t key, uint64_t count)
{
	uint32_t symbol = pp_image_lookup(r->codes.image, key);
	struct pp_slot *slot;

	if (symbol < r->codes.nr_slots && r->codes.slots[symbol].entry < PP_UNWANTED)
		slot = &r->codes.slots[symbol];
	else if (pp_part_code_of(&r->codes, symbol, &slot))
		return -ENOMEM;
	if (slot->unwanted)
		return 0;
	if (slot->entry == PP_NONE && add_entry(r, slot))
		return -ENOMEM;
	r->part->entries[slot->entry].counts[class] += count;
	if (!r->options->details)
		return 0;
	return points_add(&r->points, &(struct pp_point){
		pp_image_vma(r->codes.image, key), count, slot->entry, class });
}

static void note_bad_file(struct pp_part *part, const char *path, int err)
{
	part->nr_bad_files++;
	if (part->nr_bad_files <= PP_MAX_BAD_FILES)
		pp_warn(&part->logs->bad_files.log, "%s: skipped: %s", path, pp_samples_strerror(err));
}

static void note_facts(struct pp_part *part, const struct pp_source_facts *facts)
{
	if (!part->nr_files)
		part->cpu_type = facts->cpu_type;
	else if (facts->cpu_type != part->cpu_type)
		part->cpu_types_differ = 1;
	if (!part->cpu_speed && facts->cpu_speed > 0 && facts->cpu_speed < 1e6)
		part->cpu_speed = facts->cpu_speed;
	part->nr_files++;
}

/* Add a build of the binary to the part. Called before the first samples of the build are read. */
static int add_build(struct reader *r, const struct pp_image_samples *samples)
{
	struct pp_part *part = r->part;

	if (op_grow(&part->builds, part->nr_builds) || op_grow(&r->states, part->nr_builds))
		return -ENOMEM;
	part->builds[part->nr_builds++] = *samples;
	return pp_part_codes_new_build(&r->codes);
}

static int begin(struct reader *r, const struct pp_image_samples *samples)
{
	struct pp_image_info info;
	int err = pp_image_begin(r->codes.image, samples);

	if (err)
		return err;
	r->codes.build = pp_image_build(r->codes.image);
	if (r->codes.build == r->part->nr_builds)
		err = add_build(r, samples);
	if (err)
		return err;
	pp_image_info(r->codes.image, 0, &info);
	r->states[r->codes.build] = info.state;
	r->changed |= info.state == PP_IMAGE_CHANGED;
	return 0;
}

/* State while the samples of one file are read. */
struct taking {
	struct reader *r;
	const struct pp_sample_file *file;
	uint64_t sum;
};

static int begin_file(void *arg, const struct pp_source_facts *facts)
{
	struct taking *t = arg;

	note_facts(t->r->part, facts);
	if (!t->r->codes.image)
		return 0;
	return begin(t->r, &(struct pp_image_samples){
		.identity = facts->identity,
		.mtime = facts->mtime,
		.name = &t->file->name.image,
		.path = t->file->path,
		.is_kernel = facts->is_kernel,
		.is_linked = t->r->session->sources[t->file->session]->linked,
		.anon_start = facts->anon_start,
	});
}

static int add_address(void *arg, uint64_t key, uint64_t count)
{
	struct taking *t = arg;

	t->sum += count;
	return t->r->codes.image ? add_sample(t->r, t->file->class, key, count) : 0;
}

static int read_file(struct reader *r, const struct pp_sample_file *file, uint64_t *counts)
{
	const struct pp_source *source = r->session->sources[file->session];
	struct taking taking = { r, file, 0 };
	struct pp_source_taker taker = {
		.begin = begin_file, .address = add_address, .arg = &taking};
	int err = source->ops->addresses(source, &file->part, &taker);

	if (err == -ENOMEM)
		return err;
	if (err && err != ODB_ERR_EMPTY)
		note_bad_file(r->part, file->path, err);
	counts[file->class] += taking.sum;
	r->part->read[file->session] += taking.sum;
	if (taker.shortened)
		pp_warn(&r->part->logs->bad_files.log,
			"%s was shortened while it was read: some of its samples are missing",
			file->path);
	return 0;
}

static int read_group(struct reader *r, uint32_t i)
{
	const struct pp_group_files *files = &r->part->group_files[i];
	struct pp_group *group = &r->part->groups[i];

	r->group = r->part->first_group + i;
	pp_part_codes_new_group(&r->codes);
	group->counts = pp_block_alloc(&r->part->blocks, r->nr_classes);
	if (!group->counts)
		return -ENOMEM;
	for (size_t f = 0; f < files->nr; f++) {
		int err = read_file(r, &files->files[f], group->counts);

		if (err)
			return err;
	}
	return points_finish(&r->points, r->part, r->nr_classes);
}

/* Return the address of the caller or callee of an arc, as a key (position in a sample file of its
 * binary). A caller's address is a return address. If the callee never returns, the return address
 * may belong to the next function. So look up the byte before. */
static uint64_t key_of(const struct pp_arc_node *node, bool is_callee)
{
	if (is_callee)
		return node->to;
	return node->from ? node->from - 1 : 0;
}

/* Look up the functions of either the callers or the callees of all arcs in a file. For callees,
 * the file's header does not have the modification time of the binary. */
static int read_half(struct reader *r, const struct pp_arc_half *half)
{
	struct pp_arc_file *file = half->file;
	const struct op_sample_header *header = &file->header;
	const struct pp_image_samples caller = {
		.identity = { header->build, header->owner },
		.mtime = header->mtime,
		.name = &file->file->name.image,
		.path = file->file->path,
		.is_kernel = header->is_kernel != 0,
		.anon_start = header->anon_start,
	}, callee = {
		.name = &file->file->name.callee,
		.path = file->file->path,
		.is_kernel = header->cg_to_is_kernel != 0,
		.anon_start = header->cg_to_anon_start,
	};
	int err = begin(r, half->is_callee ? &callee : &caller);

	for (size_t i = 0; i < file->nr && !err; i++) {
		struct pp_arc_node *node = &file->nodes[i];
		struct pp_slot *slot;

		err = pp_part_code_of(
			&r->codes, pp_image_lookup(r->codes.image, key_of(node, half->is_callee)),
			&slot);
		if (err)
			break;
		if (half->is_callee)
			node->callee = slot->unwanted ? PP_NO_CODE : slot->code;
		else
			node->caller = slot->unwanted ? PP_NO_CODE : slot->code;
	}
	return err;
}

/* Sort frames by session, image and address, because source lines are looked up fastest in this
 * order. */
static int compare_frames(const void *a, const void *b)
{
	const struct pp_path_frame *x = *(const struct pp_path_frame *const *)a,
				   *y = *(const struct pp_path_frame *const *)b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->image != y->image)
		return x->image < y->image ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int begin_frames(struct reader *r, const struct pp_path_frame *frame)
{
	const struct pp_session *session = r->session;
	const struct op_path_image *image =
		&session->path_images[frame->session].list.images[frame->image];
	const struct pp_image_samples of_image = {
		.identity = image->identity,
		.mtime = image->mtime,
		.name = &image->name,
		.path = session->path_images[frame->session].path,
		.is_kernel = image->is_kernel,
		.is_linked = session->sources[frame->session]->linked,
		.anon_start = image->name.kind == OP_IMAGE_ANON &&
					      !session->sources[frame->session]->linked
				      ? image->name.anon_start
				      : 0,
	};

	return begin(r, &of_image);
}

/* Look up the functions of the part's call-path frames. */
static int read_frames(struct reader *r)
{
	struct pp_frame_places *paths = &r->part->paths;
	struct pp_part_places places = { .codes = &r->codes };
	int err = 0;

	qsort(paths->frames, paths->nr, sizeof(*paths->frames), compare_frames);
	for (size_t i = 0; i < paths->nr && !err; i++) {
		struct pp_path_frame *frame = paths->frames[i];
		const struct op_path_image *image =
			&r->session->path_images[frame->session].list.images[frame->image];

		if (!i || frame->image != paths->frames[i - 1]->image ||
		    frame->session != paths->frames[i - 1]->session)
			err = begin_frames(r, frame);
		if (!err)
			err = pp_part_place_frame(&places, frame,
						  image->is_kernel ||
							  image->name.kind == OP_IMAGE_KERN);
	}
	pp_part_places_release(&places);
	return err;
}

/* Choose the build that reports describe and whose code they show. Prefer a build whose file exists
 * and has not changed. */
static int begin_main(struct reader *r)
{
	struct pp_part *part = r->part;

	for (uint32_t i = 0; i < part->nr_builds; i++)
		if (r->states[i] < r->states[part->build])
			part->build = i;
	return part->nr_builds ? pp_image_begin(r->codes.image, &part->builds[part->build]) : 0;
}

/* Copy the description of the image and its strings to the part, because the image will free the
 * originals. */
static int copy_info(struct reader *r)
{
	struct pp_image_info *info = &r->part->info;
	const char **texts[] = { &info->path, &info->symbols, &info->symbols_path,
				 &info->debug_path, &info->build_id,
				 &info->missing_id };
	int err;

	err = begin_main(r);
	if (err)
		return err;
	pp_image_info(r->codes.image, 0, info);
	if (r->changed)
		info->state = PP_IMAGE_CHANGED;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!*texts[i])
			continue;
		*texts[i] = pp_strings_add(&r->part->strings, *texts[i]);
		if (!*texts[i])
			return -ENOMEM;
	}
	return 0;
}

/* Warn of names that are printed mangled, because demangling them needs too much time or memory. */
static void warn_of_mangled_names(struct reader *r)
{
	size_t nr = r->codes.demangler.nr_given_up;

	if (nr)
		pp_warn(&r->part->logs->binary.log,
			"%s: cannot demangle %zu of its names, which are too long or take too much "
			"time; they are shown mangled",
			r->part->groups->image, nr);
}

static int read_all(struct reader *r)
{
	struct pp_part *part = r->part;
	int err = 0;

	for (uint32_t i = 0; i < part->nr_groups && !err; i++)
		err = read_group(r, i);
	if (!r->codes.image)
		return err;
	for (size_t i = 0; i < part->nr_halves && !err; i++)
		err = read_half(r, &part->halves[i]);
	if (!err && part->paths.nr)
		err = read_frames(r);
	if (!err && r->options->lines)
		err = part_find_lines(part, r->codes.image);
	return err ? err : copy_info(r);
}

int pp_part_read(struct pp_part *part, const struct pp_session *session, struct pp_images *images,
		 const struct pp_profile_options *options, const struct pp_log *log)
{
	struct reader r = {
		.part = part,
		.options = options,
		.session = session,
		.nr_classes = session->classes.nr,
	};
	int err;

	part->read = calloc(session->nr_samples_dirs + 1, sizeof(*part->read));
	part->logs = malloc(sizeof(*part->logs));
	if (!part->logs)
		return -ENOMEM;
	pp_log_queue_init(&part->logs->binary, log);
	pp_log_queue_init(&part->logs->bad_files, log);
	if (!part->read)
		return -ENOMEM;
	pp_part_codes_init(&r.codes, part, options);
	if (options->symbols) {
		err = pp_image_open(&r.codes.image, images, part->name, &part->logs->binary.log);
		if (err)
			return err;
	}
	err = read_all(&r);
	pp_image_close(r.codes.image);
	warn_of_mangled_names(&r);
	pp_part_codes_release(&r.codes);
	points_release(&r.points);
	free(r.states);
	return err;
}
