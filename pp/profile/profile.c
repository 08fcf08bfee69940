// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c -- reads sample files image by image and adds up. */
#include "config.h"
#include "pp/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/block.h"
#include "pp/profile/samples.h"
#include "pp/profile/strings.h"

#define MAX_WARNINGS	5	/* about single files; the rest is counted */
#define NO_ENTRY	UINT32_MAX
#define UNWANTED	(UINT32_MAX - 1)	/* by --include-symbols or --exclude-symbols */
#define MAX_ENTRIES	((1u << 30) - 2)	/* that details can be numbered for */

/* The files of one group; those of all groups stand in order. */
struct group_files {
	const struct pp_sample_file *files;
	size_t nr;
};

/* A sample at an address, to be sorted: for details, and for entries that are addresses. */
struct point {
	uint64_t vma;
	uint64_t count;
	uint32_t entry;		/* NO_ENTRY: becomes one */
	uint32_t class;
};

/* What is known about a symbol of the image being read. */
struct slot {
	const char *name;	/* NULL: not looked at yet */
	uint32_t entry; /* of the group being read; NO_ENTRY; or UNWANTED, whatever the group */
};

struct builder {
	struct pp_profile *profile;
	const struct pp_session *session;
	struct pp_images *images;
	const struct pp_profile_options *options;
	struct pp_log *log;
	struct group_files *group_files;	/* beside profile->groups */
	size_t nr_bad_files;
	int warned_cpu_type;
	size_t max_entries, max_details;

	struct pp_image *image;		/* being read */
	struct slot *slots;		/* by symbol */
	size_t nr_slots;
	uint32_t group;			/* being read */
	struct slot no_name, uncovered;
	struct point *points;
	size_t nr_points, max_points;
};

const char *pp_entry_name(const struct pp_profile *profile, const struct pp_entry *entry, char *buf,
			  size_t size)
{
	switch ((enum pp_entry_kind)entry->kind) {
	case PP_ENTRY_SYMBOL:
		return entry->name;
	case PP_ENTRY_IMAGE:
		return profile->groups[entry->group].image;
	case PP_ENTRY_UNCOVERED:
		return "(no symbol)";
	case PP_ENTRY_ADDRESS:
		snprintf(buf, size, "0x%" PRIx64, entry->vma);
		return buf;
	}
	return "";
}

/* Makes room for one more element; NULL: out of memory. */
static void *grow(void *items, size_t nr, size_t *max, size_t size)
{
	size_t new_max = *max ? *max + *max / 2 : 256;
	void *new;

	if (nr < *max)
		return items;
	new = reallocarray(items, new_max, size);
	if (new)
		*max = new_max;
	return new;
}

static struct pp_entry *new_entry(struct builder *b, enum pp_entry_kind kind, uint64_t vma)
{
	struct pp_profile *profile = b->profile;
	struct pp_entry *entries, *entry;

	if (profile->nr_entries >= MAX_ENTRIES)
		return NULL;
	entries = grow(profile->entries, profile->nr_entries, &b->max_entries, sizeof(*entries));
	if (!entries)
		return NULL;
	profile->entries = entries;
	entry = &entries[profile->nr_entries];
	*entry = (struct pp_entry){
		.group = b->group,
		.vma = vma,
		.kind = kind,
		.counts = pp_block_alloc(&profile->blocks, profile->nr_classes),
	};
	if (!entry->counts)
		return NULL;
	profile->nr_entries++;
	return entry;
}

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

/* The slot of a symbol; the table grows with what the image knows. */
static struct slot *slot_of(struct builder *b, uint32_t symbol)
{
	struct slot *slots;
	size_t nr;

	if (symbol == PP_NO_NAME)
		return &b->no_name;
	if (symbol == PP_UNCOVERED)
		return &b->uncovered;
	if (symbol < b->nr_slots)
		return &b->slots[symbol];
	nr = pp_image_nr_symbols(b->image);
	slots = reallocarray(b->slots, nr, sizeof(*slots));
	if (!slots)
		return NULL;
	for (size_t i = b->nr_slots; i < nr; i++)
		slots[i] = (struct slot){ NULL, NO_ENTRY };
	b->slots = slots;
	b->nr_slots = nr;
	return &slots[symbol];
}

/* Names a symbol and decides whether it is wanted, once for all groups of the image. */
static int look_at_symbol(struct builder *b, struct slot *slot, const char *raw)
{
	char *name = pp_demangle(raw, b->options->demangle);

	if (!name)
		return -ENOMEM;
	slot->name = pp_strings_add(&b->profile->strings, name);
	if (slot->name && !is_wanted(b->options, raw, name))
		slot->entry = UNWANTED;
	free(name);
	return slot->name ? 0 : -ENOMEM;
}

/* Drops the entry made last when its name, which no symbol gave, is not wanted. */
static int drop_unwanted(struct builder *b, struct pp_entry *entry)
{
	char buf[24];
	const char *name = pp_entry_name(b->profile, entry, buf, sizeof(buf));

	if (is_wanted(b->options, name, name))
		return 0;
	b->profile->nr_entries--;
	return 1;
}

/* The entry of a symbol in this group, made when first seen; or UNWANTED. */
static int entry_of(struct builder *b, uint32_t symbol, uint32_t *ret)
{
	struct slot *slot = slot_of(b, symbol);
	struct pp_symbol_info info = { 0 };
	struct pp_entry *entry;

	if (!slot)
		return -ENOMEM;
	if (slot->entry != NO_ENTRY)
		goto done;
	if (symbol < PP_RAW) {
		pp_image_symbol(b->image, symbol, &info);
		if (!slot->name && look_at_symbol(b, slot, info.name))
			return -ENOMEM;
		if (slot->entry == UNWANTED)
			goto done;
	}
	entry = new_entry(b, symbol == PP_NO_NAME   ? PP_ENTRY_IMAGE :
			     symbol == PP_UNCOVERED ? PP_ENTRY_UNCOVERED :
						      PP_ENTRY_SYMBOL, info.vma);
	if (!entry)
		return -ENOMEM;
	entry->name = slot->name;
	slot->entry = entry - b->profile->entries;
	if (entry->kind != PP_ENTRY_SYMBOL && drop_unwanted(b, entry))
		slot->entry = UNWANTED;
done:
	*ret = slot->entry;
	return 0;
}

static int add_point(struct builder *b, uint64_t vma, uint32_t entry, uint32_t class,
		     uint64_t count)
{
	struct point *points = grow(b->points, b->nr_points, &b->max_points, sizeof(*points));

	if (!points)
		return -ENOMEM;
	b->points = points;
	points[b->nr_points++] = (struct point){ vma, count, entry, class };
	return 0;
}

static int add_sample(struct builder *b, unsigned int class, uint64_t key, uint32_t count)
{
	uint32_t symbol = pp_image_lookup(b->image, key);
	uint32_t entry;
	int err;

	if (symbol == PP_RAW)
		return add_point(b, pp_image_vma(b->image, key), NO_ENTRY, class, count);
	err = entry_of(b, symbol, &entry);
	if (err || entry == UNWANTED)
		return err;
	b->profile->entries[entry].counts[class] += count;
	if (!b->options->details)
		return 0;
	return add_point(b, pp_image_vma(b->image, key), entry, class, count);
}

static int read_nodes(struct builder *b, const struct pp_samples *samples, unsigned int class,
		      uint64_t *ret_sum)
{
	uint32_t nr = odb_nr_nodes(samples->db);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t key;
		uint32_t count;

		odb_node(samples->db, i, &key, &count);
		if (!count)
			continue;
		sum += count;
		if (b->options->symbols && add_sample(b, class, key, count))
			return -ENOMEM;
	}
	*ret_sum = sum;
	return 0;
}

static void note_bad_file(struct builder *b, const char *path, int err)
{
	b->nr_bad_files++;
	if (b->nr_bad_files <= MAX_WARNINGS)
		pp_warn(b->log, "%s: left out: %s", path, pp_samples_strerror(err));
}

static void note_header(struct builder *b, const struct op_sample_header *header)
{
	struct pp_profile *profile = b->profile;

	if (!profile->nr_files) {
		profile->cpu_type = header->cpu_type;
	} else if (header->cpu_type != profile->cpu_type && !b->warned_cpu_type) {
		b->warned_cpu_type = 1;
		pp_warn(b->log, "sample files of different kinds of CPU are added up");
	}
	if (!profile->cpu_speed && header->cpu_speed > 0 && header->cpu_speed < 1e6)
		profile->cpu_speed = header->cpu_speed;
	profile->nr_files++;
}

static int read_file(struct builder *b, const struct pp_sample_file *file, uint64_t *counts)
{
	struct pp_samples samples;
	uint64_t sum;
	int err = pp_samples_open(&samples, file->path);

	if (err == -ENOMEM)
		return err;
	if (err == ODB_ERR_EMPTY)
		return 0;
	if (err) {
		note_bad_file(b, file->path, err);
		return 0;
	}
	note_header(b, &samples.header);
	if (b->image) {
		struct pp_image_samples begin = {
			.mtime = samples.header.mtime,
			.is_kernel = samples.header.is_kernel != 0,
			.anon_start = samples.header.anon_start,
		};

		err = pp_image_begin(b->image, &begin);
	}
	if (!err)
		err = read_nodes(b, &samples, file->class, &sum);
	pp_samples_close(&samples);
	if (!err)
		counts[file->class] += sum;
	return err;
}

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->entry != y->entry)
		return x->entry < y->entry ? -1 : 1;
	return x->vma < y->vma ? -1 : x->vma > y->vma;
}

static struct pp_details *new_details(struct builder *b, struct pp_entry *entry, size_t nr)
{
	struct pp_profile *profile = b->profile;
	struct pp_details *details = grow(profile->details, profile->nr_details, &b->max_details,
					  sizeof(*details));

	if (!details)
		return NULL;
	profile->details = details;
	details += profile->nr_details;
	*details = (struct pp_details){ .items = calloc(nr, sizeof(*details->items)) };
	if (!details->items)
		return NULL;
	entry->details = ++profile->nr_details;
	return details;
}

/* The points of one entry, by address, become its details. */
static int settle_details(struct builder *b, const struct point *points, size_t nr)
{
	struct pp_profile *profile = b->profile;
	struct pp_details *details;
	struct pp_detail *detail = NULL;
	size_t nr_details = 0;

	for (size_t i = 0; i < nr; i++)
		nr_details += !i || points[i].vma != points[i - 1].vma;
	details = new_details(b, &profile->entries[points->entry], nr_details);
	if (!details)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!i || points[i].vma != points[i - 1].vma) {
			detail = &details->items[details->nr++];
			detail->vma = points[i].vma;
			detail->counts = pp_block_alloc(&profile->blocks, profile->nr_classes);
			if (!detail->counts)
				return -ENOMEM;
		}
		detail->counts[points[i].class] += points[i].count;
	}
	return 0;
}

/* The points of one address that has no symbol become an entry. */
static int settle_address(struct builder *b, const struct point *points, size_t nr)
{
	struct pp_entry *entry = new_entry(b, PP_ENTRY_ADDRESS, points->vma);

	if (!entry)
		return -ENOMEM;
	if (drop_unwanted(b, entry))
		return 0;
	for (size_t i = 0; i < nr; i++)
		entry->counts[points[i].class] += points[i].count;
	return 0;
}

static int settle_points(struct builder *b)
{
	size_t nr = b->nr_points;
	int err = 0;

	if (nr)
		qsort(b->points, nr, sizeof(*b->points), compare_points);
	for (size_t i = 0, j; i < nr && !err; i = j) {
		const struct point *first = &b->points[i];

		for (j = i + 1; j < nr && b->points[j].entry == first->entry; j++)
			if (first->entry == NO_ENTRY && b->points[j].vma != first->vma)
				break;
		err = first->entry == NO_ENTRY ? settle_address(b, first, j - i) :
						 settle_details(b, first, j - i);
	}
	b->nr_points = 0;
	return err;
}

static int read_group(struct builder *b, uint32_t index)
{
	struct pp_group *group = &b->profile->groups[index];
	const struct group_files *files = &b->group_files[index];
	int err;

	b->group = index;
	for (size_t i = 0; i < b->nr_slots; i++)
		if (b->slots[i].entry != UNWANTED)
			b->slots[i].entry = NO_ENTRY;
	b->no_name = b->uncovered = (struct slot){ NULL, NO_ENTRY };
	group->counts = pp_block_alloc(&b->profile->blocks, b->profile->nr_classes);
	if (!group->counts)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr; i++) {
		err = read_file(b, &files->files[i], group->counts);
		if (err)
			return err;
	}
	for (size_t class = 0; class < b->profile->nr_classes; class++)
		b->profile->totals[class] += group->counts[class];
	return settle_points(b);
}

static int find_groups(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	struct pp_profile *profile = b->profile;
	struct pp_group *group = NULL;

	profile->groups = calloc(files->nr, sizeof(*profile->groups));
	b->group_files = calloc(files->nr, sizeof(*b->group_files));
	if (!profile->groups || !b->group_files)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr; i++) {
		const struct pp_sample_file *file = &files->items[i];

		if (!group || strcmp(group->image, file->image) || strcmp(group->app, file->app)) {
			b->group_files[profile->nr_groups].files = file;
			group = &profile->groups[profile->nr_groups++];
			*group = (struct pp_group){ .image = file->image, .app = file->app };
		}
		b->group_files[profile->nr_groups - 1].nr++;
	}
	return 0;
}

/* All programs' parts of an image in turn, the image being opened once. */
static int read_image(struct builder *b, size_t first, size_t end)
{
	int err = 0;

	if (b->options->symbols) {
		err = pp_image_open(&b->image, b->images, &b->group_files[first].files->name.image,
				    b->log);
		if (err)
			return err;
		b->nr_slots = 0;
	}
	for (size_t i = first; i < end && !err; i++)
		err = read_group(b, i);
	pp_image_close(b->image);
	b->image = NULL;
	return err;
}

static int read_images(struct builder *b)
{
	const struct pp_profile *profile = b->profile;
	size_t i, j;
	int err = 0;

	for (i = 0; i < profile->nr_groups && !err; i = j) {
		pp_progress(b->log, i, profile->nr_groups);
		for (j = i + 1; j < profile->nr_groups; j++)
			if (strcmp(profile->groups[j].image, profile->groups[i].image))
				break;
		err = read_image(b, i, j);
	}
	if (b->nr_bad_files > MAX_WARNINGS)
		pp_warn(b->log, "%zu more sample files could not be read and were left out",
			b->nr_bad_files - MAX_WARNINGS);
	return err;
}

static int compare_by_app(const void *a, const void *b)
{
	const struct pp_group *x = *(const struct pp_group *const *)a,
			      *y = *(const struct pp_group *const *)b;
	int d = strcmp(x->app, y->app);

	return d ? d : strcmp(x->image, y->image);
}

static int is_zero(const uint64_t *counts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (counts[i])
			return 0;
	return 1;
}

static struct pp_app *new_app(struct builder *b, const char *title)
{
	struct pp_profile *profile = b->profile;
	struct pp_app *app = &profile->apps[profile->nr_apps];

	*app = (struct pp_app){ .app = title };
	app->counts = pp_block_alloc(&profile->blocks, profile->nr_classes);
	if (!app->counts)
		return NULL;
	profile->nr_apps++;
	return app;
}

static int add_dependent(struct pp_app *app, const char *image, uint64_t *counts)
{
	struct pp_dependent *dependents =
		reallocarray(app->dependents, app->nr_dependents + 1, sizeof(*dependents));

	if (!dependents)
		return -ENOMEM;
	app->dependents = dependents;
	dependents[app->nr_dependents++] = (struct pp_dependent){ image, counts };
	return 0;
}

/* The image summary: groups again, this time by program. */
static int make_apps(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	const struct pp_group **groups = calloc(profile->nr_groups, sizeof(*groups));
	struct pp_app *app = NULL;
	int err = 0;

	profile->apps = calloc(profile->nr_groups, sizeof(*profile->apps));
	if (!groups || !profile->apps) {
		free(groups);
		return -ENOMEM;
	}
	for (size_t i = 0; i < profile->nr_groups; i++)
		groups[i] = &profile->groups[i];
	qsort(groups, profile->nr_groups, sizeof(*groups), compare_by_app);
	for (size_t i = 0; i < profile->nr_groups && !err; i++) {
		const struct pp_group *group = groups[i];

		if (is_zero(group->counts, profile->nr_classes))
			continue;
		if (!app || strcmp(app->app, group->app))
			app = new_app(b, group->app);
		err = app ? add_dependent(app, group->image, group->counts) : -ENOMEM;
		for (size_t class = 0; !err && class < profile->nr_classes; class++)
			app->counts[class] += group->counts[class];
	}
	free(groups);
	return err;
}

static int check_any(const struct builder *b)
{
	size_t nr = b->session->files.nr;

	if (!is_zero(b->profile->totals, b->profile->nr_classes))
		return 0;
	if (b->nr_bad_files == nr)
		pp_error(b->log, "none of the %zu sample file(s) could be read", nr);
	else if (b->nr_bad_files)
		pp_error(b->log,
			 "no samples: %zu of %zu sample files could not be read, the others are "
			 "empty",
			 b->nr_bad_files, nr);
	else
		pp_error(b->log,
			 "no samples: the %zu sample file(s) are still empty. If the daemon is "
			 "running, 'opcontrol "
			 "--dump' writes what it holds",
			 nr);
	return PP_ERR_TOLD;
}

int pp_profile_make(struct pp_profile **ret, const struct pp_session *session,
		    struct pp_images *images, const struct pp_profile_options *options,
		    struct pp_log *log)
{
	struct builder b = {
		.session = session, .images = images, .options = options, .log = log,
	};
	int err = -ENOMEM;

	b.profile = calloc(1, sizeof(*b.profile));
	if (!b.profile)
		return pp_oom(log);
	b.profile->nr_classes = session->classes.nr;
	b.profile->totals = pp_block_alloc(&b.profile->blocks, b.profile->nr_classes);
	if (!b.profile->totals)
		goto done;
	err = find_groups(&b);
	if (!err)
		err = read_images(&b);
	if (!err)
		err = make_apps(&b);
	if (!err)
		err = check_any(&b);
	if (!err) {
		*ret = b.profile;
		b.profile = NULL;
	}
done:
	free(b.points);
	free(b.slots);
	free(b.group_files);
	pp_profile_destroy(b.profile);
	return err == -ENOMEM ? pp_oom(log) : err;
}

void pp_profile_destroy(struct pp_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->nr_details; i++)
		free(profile->details[i].items);
	for (size_t i = 0; i < profile->nr_apps; i++)
		free(profile->apps[i].dependents);
	free(profile->details);
	free(profile->entries);
	free(profile->apps);
	free(profile->groups);
	pp_block_free(profile->blocks);
	pp_strings_free(profile->strings);
	free(profile);
}
