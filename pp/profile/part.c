// SPDX-License-Identifier: GPL-2.0-or-later
/* part.c -- reads the sample files of one binary and adds up. */
#include "config.h"
#include "pp/profile/part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/profile/block.h"
#include "pp/profile/lines.h"
#include "pp/profile/same_names.h"
#include "pp/profile/samples.h"

#define NONE		UINT32_MAX
#define UNWANTED	(UINT32_MAX - 1)	/* by --include-symbols or --exclude-symbols */
#define MAX_CODES	(1u << 30)

/* A sample at an address, to be sorted into the details of its entry. */
struct point {
	uint64_t vma, count;
	uint32_t entry, class;
};

/* What is known about a symbol of the image. */
struct slot {
	uint32_t code;		/* NONE: not looked at yet; UNWANTED */
	uint32_t entry;		/* of the group being read; NONE: not yet */
	uint32_t same;		/* symbol of an earlier build to count instead; NONE: itself */
};

enum { NO_NAME_SLOT, UNCOVERED_SLOT, RAW_SLOT, NR_SPECIAL_SLOTS };

struct reader {
	struct pp_part *part;
	const struct pp_profile_options *options;
	size_t nr_classes;
	struct pp_image *image;		/* NULL: only the sums are wanted */
	uint32_t build;			/* of the samples begun */
	enum pp_image_state *states;	/* of each build */
	int changed;			/* for any of the samples */
	struct pp_same_names names;	/* of symbols with samples, once there are two builds */
	struct slot special[NR_SPECIAL_SLOTS];
	struct slot *slots;		/* by symbol */
	size_t nr_slots;
	uint32_t group;			/* being read; the profile's index */
	struct point *points;
	size_t nr_points;
};

static int is_wanted(const struct pp_profile_options *options, const char *raw, const char *name)
{
	const struct pp_values *include = options->include_symbols,
			       *exclude = options->exclude_symbols;

	if (exclude && exclude->nr &&
	    (pp_values_match(exclude, raw) || pp_values_match(exclude, name)))
		return 0;
	if (include && include->nr)
		return pp_values_match(include, raw) || pp_values_match(include, name);
	return 1;
}

/* The slot of a symbol; the table grows with what the image knows. NULL: out of memory. */
static struct slot *slot_of(struct reader *r, uint32_t symbol)
{
	struct slot *slots;
	size_t nr;

	if (symbol < r->nr_slots)
		return &r->slots[symbol];
	if (symbol == PP_NO_NAME)
		return &r->special[NO_NAME_SLOT];
	if (symbol == PP_UNCOVERED)
		return &r->special[UNCOVERED_SLOT];
	if (symbol == PP_RAW)
		return &r->special[RAW_SLOT];
	nr = pp_image_nr_symbols(r->image);
	slots = reallocarray(r->slots, nr, sizeof(*slots));
	if (!slots)
		return NULL;
	for (size_t i = r->nr_slots; i < nr; i++)
		slots[i] = (struct slot){ NONE, NONE, NONE };
	r->slots = slots;
	r->nr_slots = nr;
	return &slots[symbol];
}

static int add_code(struct reader *r, struct slot *slot, const struct pp_code *code)
{
	struct pp_part *part = r->part;

	if (part->nr_codes >= MAX_CODES || op_grow(&part->codes, part->nr_codes))
		return -ENOMEM;
	part->codes[part->nr_codes] = *code;
	part->codes[part->nr_codes].build = r->build;
	slot->code = part->nr_codes++;
	return 0;
}

/* Names a symbol and decides whether it is wanted, once for all groups. */
static int look_at_symbol(struct reader *r, uint32_t symbol, struct slot *slot)
{
	struct pp_code code = { .kind = PP_CODE_SYMBOL };
	struct pp_symbol_info info;
	char *name;
	int err;

	pp_image_symbol(r->image, symbol, &info);
	name = pp_demangle(info.name, r->options->demangle);
	if (!name)
		return -ENOMEM;
	if (!is_wanted(r->options, info.name, name)) {
		slot->code = UNWANTED;
		free(name);
		return 0;
	}
	code.vma = info.vma;
	code.size = info.size < UINT32_MAX ? info.size : UINT32_MAX;
	code.name = pp_strings_add(&r->part->strings, name);
	err = code.name ? add_code(r, slot, &code) : -ENOMEM;
	free(name);
	return err;
}

/* Addresses of two builds, or processes, have nothing in common, so only names are added up. */
static int adds_up(const struct reader *r)
{
	return (r->part->nr_builds > 1 || r->part->name->kind == OP_IMAGE_ANON) &&
	       !r->options->details && !r->options->lines;
}

/* A symbol of a later build is counted with that of the same name in an earlier one; code that a process
 * makes at run time has one name wherever it is made, again and again. */
static int find_same(struct reader *r, uint32_t symbol, struct slot *slot)
{
	struct pp_symbol_info info;
	uint32_t same;

	pp_image_symbol(r->image, symbol, &info);
	same = pp_same_names_find(&r->names, info.name);
	if (same != PP_NO_SAME_NAME && (same < pp_image_first_symbol(r->image) ||
					r->part->name->kind == OP_IMAGE_ANON))
		slot->same = same;
	return pp_same_names_add(&r->names, info.name, symbol);
}

/* What the first build's samples were in, once there is a second. */
static int collect_names(struct reader *r)
{
	if (r->names.nr)
		return 0;
	for (uint32_t i = 0; i < r->nr_slots; i++) {
		struct pp_symbol_info info;

		if (r->slots[i].code == NONE)
			continue;
		pp_image_symbol(r->image, i, &info);
		if (pp_same_names_add(&r->names, info.name, i))
			return -ENOMEM;
	}
	return 0;
}

/* What stands for samples that no symbol covers. */
static int look_at_special(struct reader *r, uint32_t symbol, struct slot *slot)
{
	struct pp_code code = {
		.kind = symbol == PP_NO_NAME   ? PP_CODE_IMAGE :
			symbol == PP_UNCOVERED ? PP_CODE_UNCOVERED :
						 PP_CODE_RAW,
		.name = symbol == PP_UNCOVERED ? "(no symbol)" : r->part->groups->image,
	};

	if (is_wanted(r->options, code.name, code.name))
		return add_code(r, slot, &code);
	slot->code = UNWANTED;
	return 0;
}

/* The code of a symbol: an index, or UNWANTED. *@ret is its slot. */
static int code_of(struct reader *r, uint32_t symbol, struct slot **ret)
{
	struct slot *slot = slot_of(r, symbol);
	int err = 0;

	if (!slot)
		return -ENOMEM;
	if (symbol < PP_RAW && slot->code == NONE && slot->same == NONE && adds_up(r) &&
	    find_same(r, symbol, slot))
		return -ENOMEM;
	if (slot->same != NONE)
		slot = &r->slots[slot->same];
	if (slot->code == NONE)
		err = symbol < PP_RAW ? look_at_symbol(r, symbol, slot) :
					look_at_special(r, symbol, slot);
	*ret = slot;
	return err;
}

static int add_entry(struct reader *r, struct slot *slot)
{
	struct pp_part *part = r->part;
	struct pp_entry *entry;

	if (part->nr_entries >= UNWANTED || op_grow(&part->entries, part->nr_entries))
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

static int add_point(struct reader *r, uint64_t vma, uint32_t entry, unsigned int class,
		     uint64_t count)
{
	if (op_grow(&r->points, r->nr_points))
		return -ENOMEM;
	r->points[r->nr_points++] = (struct point){ vma, count, entry, class };
	return 0;
}

static int add_sample(struct reader *r, unsigned int class, uint64_t key, uint32_t count)
{
	uint32_t symbol = pp_image_lookup(r->image, key);
	struct slot *slot;

	if (symbol < r->nr_slots && r->slots[symbol].entry < UNWANTED)
		slot = &r->slots[symbol];
	else if (code_of(r, symbol, &slot))
		return -ENOMEM;
	if (slot->code == UNWANTED)
		return 0;
	if (slot->entry == NONE && add_entry(r, slot))
		return -ENOMEM;
	r->part->entries[slot->entry].counts[class] += count;
	if (!r->options->details)
		return 0;
	return add_point(r, pp_image_vma(r->image, key), slot->entry, class, count);
}

static int read_nodes(struct reader *r, const struct pp_samples *samples, unsigned int class,
		      uint64_t *sum)
{
	uint32_t nr = odb_nr_nodes(samples->db);

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t key;
		uint32_t count;

		odb_node(samples->db, i, &key, &count);
		if (!count)
			continue;
		*sum += count;
		if (r->image && add_sample(r, class, key, count))
			return -ENOMEM;
	}
	return 0;
}

static void note_bad_file(struct pp_part *part, const char *path, int err)
{
	part->nr_bad_files++;
	if (part->nr_bad_files <= PP_MAX_BAD_FILES)
		pp_warn(&part->bad_files.log, "%s: left out: %s", path, pp_samples_strerror(err));
}

static void note_header(struct pp_part *part, const struct op_sample_header *header)
{
	if (!part->nr_files)
		part->cpu_type = header->cpu_type;
	else if (header->cpu_type != part->cpu_type)
		part->cpu_types_differ = 1;
	if (!part->cpu_speed && header->cpu_speed > 0 && header->cpu_speed < 1e6)
		part->cpu_speed = header->cpu_speed;
	part->nr_files++;
}

/* A build that samples are begun of for the first time. */
static int add_build(struct reader *r, const struct pp_image_samples *samples)
{
	struct pp_part *part = r->part;

	if (op_grow(&part->builds, part->nr_builds) || op_grow(&r->states, part->nr_builds))
		return -ENOMEM;
	part->builds[part->nr_builds++] = *samples;
	return adds_up(r) ? collect_names(r) : 0;
}

static int begin(struct reader *r, const struct pp_image_samples *samples)
{
	struct pp_image_info info;
	int err = pp_image_begin(r->image, samples);

	if (err)
		return err;
	r->build = pp_image_build(r->image);
	if (r->build == r->part->nr_builds)
		err = add_build(r, samples);
	if (err)
		return err;
	pp_image_info(r->image, 0, &info);
	r->states[r->build] = info.state;
	r->changed |= info.state == PP_IMAGE_CHANGED;
	return 0;
}

static int read_file(struct reader *r, const struct pp_sample_file *file, uint64_t *counts)
{
	struct pp_samples samples;
	int err = pp_samples_open(&samples, file->path);

	if (err == -ENOMEM)
		return err;
	if (err == ODB_ERR_EMPTY)
		return 0;
	if (err) {
		note_bad_file(r->part, file->path, err);
		return 0;
	}
	note_header(r->part, &samples.header);
	if (r->image) {
		const struct pp_image_samples of_file = {
			.identity = { samples.header.build, samples.header.owner },
			.mtime = samples.header.mtime,
			.name = &file->name.image,
			.path = file->path,
			.is_kernel = samples.header.is_kernel != 0,
			.anon_start = samples.header.anon_start,
		};

		err = begin(r, &of_file);
	}
	if (!err)
		err = read_nodes(r, &samples, file->class, &counts[file->class]);
	if (pp_samples_shortened(&samples))
		pp_warn(&r->part->bad_files.log, "%s was shortened while it was read: some of its samples are "
			"missing", file->path);
	pp_samples_close(&samples);
	return err;
}

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

/* The points of one entry, by address, become its details. */
static int settle_entry(struct reader *r, const struct point *points, size_t nr)
{
	struct pp_part *part = r->part;
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
			detail->counts = pp_block_alloc(&part->blocks, r->nr_classes);
			if (!detail->counts)
				return -ENOMEM;
		}
		detail->counts[points[i].class] += points[i].count;
	}
	part->entries[points->entry].details = ++part->nr_details;
	return 0;
}

static int settle_points(struct reader *r)
{
	size_t nr = r->nr_points;
	int err = 0;

	if (nr)
		qsort(r->points, nr, sizeof(*r->points), compare_points);
	for (size_t i = 0, j; i < nr && !err; i = j) {
		for (j = i + 1; j < nr && r->points[j].entry == r->points[i].entry; j++)
			;
		err = settle_entry(r, &r->points[i], j - i);
	}
	r->nr_points = 0;
	return err;
}

static int read_group(struct reader *r, uint32_t i)
{
	const struct pp_group_files *files = &r->part->group_files[i];
	struct pp_group *group = &r->part->groups[i];

	r->group = r->part->first_group + i;
	for (size_t s = 0; s < r->nr_slots; s++)
		r->slots[s].entry = NONE;
	for (size_t s = 0; s < NR_SPECIAL_SLOTS; s++)
		r->special[s].entry = NONE;
	group->counts = pp_block_alloc(&r->part->blocks, r->nr_classes);
	if (!group->counts)
		return -ENOMEM;
	for (size_t f = 0; f < files->nr; f++) {
		int err = read_file(r, &files->files[f], group->counts);

		if (err)
			return err;
	}
	return settle_points(r);
}

/* Of a caller the file has the address it will return to, which may be another function's when the
 * call was its last instruction: those that never return are called like that. */
static uint64_t key_of(const struct pp_arc_node *node, int is_callee)
{
	if (is_callee)
		return node->to;
	return node->from ? node->from - 1 : 0;
}

/* One end of every arc in a file. The header says less about the callee: not its time of change. */
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
		struct slot *slot;

		err = code_of(r, pp_image_lookup(r->image, key_of(node, half->is_callee)), &slot);
		if (err)
			break;
		if (half->is_callee)
			node->callee = slot->code == UNWANTED ? PP_NO_CODE : slot->code;
		else
			node->caller = slot->code == UNWANTED ? PP_NO_CODE : slot->code;
	}
	return err;
}

/* The build to be told of, and to show code of: one that is here, if any is. */
static int begin_main(struct reader *r)
{
	struct pp_part *part = r->part;

	for (uint32_t i = 0; i < part->nr_builds; i++)
		if (r->states[i] < r->states[part->build])
			part->build = i;
	return part->nr_builds ? pp_image_begin(r->image, &part->builds[part->build]) : 0;
}

/* The strings are the image's, so they are copied. */
static int keep_info(struct reader *r)
{
	struct pp_image_info *info = &r->part->info;
	const char **texts[] = { &info->path, &info->symbols, &info->symbols_path,
				 &info->debug_path, &info->build_id };
	int err;

	err = begin_main(r);
	if (err)
		return err;
	pp_image_info(r->image, 0, info);
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

static int read_all(struct reader *r)
{
	struct pp_part *part = r->part;
	int err = 0;

	for (uint32_t i = 0; i < part->nr_groups && !err; i++)
		err = read_group(r, i);
	if (!r->image)
		return err;
	for (size_t i = 0; i < part->nr_halves && !err; i++)
		err = read_half(r, &part->halves[i]);
	if (!err && r->options->lines)
		err = pp_part_find_lines(part, r->image);
	return err ? err : keep_info(r);
}

int pp_part_read(struct pp_part *part, size_t nr_classes, struct pp_images *images,
		 const struct pp_profile_options *options, const struct pp_log *log)
{
	struct reader r = { .part = part, .options = options, .nr_classes = nr_classes };
	int err;

	pp_log_queue_init(&part->log, log);
	pp_log_queue_init(&part->bad_files, log);
	for (size_t s = 0; s < NR_SPECIAL_SLOTS; s++)
		r.special[s] = (struct slot){ NONE, NONE, NONE };
	if (options->symbols) {
		err = pp_image_open(&r.image, images, part->name, &part->log.log);
		if (err)
			return err;
	}
	err = read_all(&r);
	pp_image_close(r.image);
	pp_same_names_release(&r.names);
	free(r.states);
	free(r.points);
	free(r.slots);
	return err;
}

void pp_part_release(struct pp_part *part)
{
	pp_log_queue_release(&part->log);
	pp_log_queue_release(&part->bad_files);
	free(part->builds);
	free(part->codes);
	free(part->entries);
	free(part->details);
	pp_block_free(part->blocks);
	pp_strings_free(part->strings);
	*part = (struct pp_part){ 0 };
}
