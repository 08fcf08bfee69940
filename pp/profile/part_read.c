// SPDX-License-Identifier: GPL-2.0-or-later
/* part_read.c -- sums of the sample files of one binary. */
#include "config.h"
#include "pp/profile/part_read.h"

#include <errno.h>
#include <stdlib.h>

#include "libop/base/grow.h"
#include "pp/base/block.h"
#include "pp/profile/lines.h"
#include "pp/profile/part_codes.h"
#include "pp/profile/part_places.h"
#include "pp/profile/points.h"
#include "pp/source/samples.h"

void pp_part_release(struct pp_part *part)
{
	free(part->read);
	pp_log_queue_release(&part->log);
	pp_log_queue_release(&part->bad_files);
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
	struct pp_part_codes codes;	/* .image is NULL if only sums are wanted */
	enum pp_image_state *states;	/* of each build */
	int changed;			/* the binary changed, for any of the samples */
	uint32_t group;			/* the current group, by the profile's index */
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
	return pp_points_add(&r->points, &(struct pp_point){
		pp_image_vma(r->codes.image, key), count, slot->entry, class });
}

static void note_bad_file(struct pp_part *part, const char *path, int err)
{
	part->nr_bad_files++;
	if (part->nr_bad_files <= PP_MAX_BAD_FILES)
		pp_warn(&part->bad_files.log, "%s: skipped: %s", path, pp_samples_strerror(err));
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

/* Note a build when samples of it are begun for the first time. */
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

/* A sample file that is being read. */
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
		pp_warn(&r->part->bad_files.log,
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
	return pp_points_settle(&r->points, r->part, r->nr_classes);
}

/* The file stores a caller's return address. That address may belong to the next function if the
 * call is the last instruction, as calls of functions that never return are. */
static uint64_t key_of(const struct pp_arc_node *node, int is_callee)
{
	if (is_callee)
		return node->to;
	return node->from ? node->from - 1 : 0;
}

/* Look up one end of each arc in a file. The header does not have the callee's time of
 * modification. */
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

/* Order by image and address, the cheapest order to look up lines. */
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

/* Look up the frames of call paths. */
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

/* Choose the build to describe and to show code of: one that exists, if possible. */
static int begin_main(struct reader *r)
{
	struct pp_part *part = r->part;

	for (uint32_t i = 0; i < part->nr_builds; i++)
		if (r->states[i] < r->states[part->build])
			part->build = i;
	return part->nr_builds ? pp_image_begin(r->codes.image, &part->builds[part->build]) : 0;
}

/* Copy the strings, which the image owns. */
static int keep_info(struct reader *r)
{
	struct pp_image_info *info = &r->part->info;
	const char **texts[] = { &info->path, &info->symbols, &info->symbols_path,
				 &info->debug_path, &info->build_id };
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

/* Warn of names that stay mangled because demangling them would take too long or too much
 * memory. */
static void note_given_up(struct reader *r)
{
	size_t nr = r->codes.demangler.nr_given_up;

	if (nr)
		pp_warn(&r->part->log.log,
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
		err = pp_part_find_lines(part, r->codes.image);
	return err ? err : keep_info(r);
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
	if (!part->read)
		return -ENOMEM;
	pp_log_queue_init(&part->log, log);
	pp_log_queue_init(&part->bad_files, log);
	pp_part_codes_init(&r.codes, part, options);
	if (options->symbols) {
		err = pp_image_open(&r.codes.image, images, part->name, &part->log.log);
		if (err)
			return err;
	}
	err = read_all(&r);
	pp_image_close(r.codes.image);
	note_given_up(&r);
	pp_part_codes_release(&r.codes);
	pp_points_release(&r.points);
	free(r.states);
	return err;
}
