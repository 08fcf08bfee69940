// SPDX-License-Identifier: GPL-2.0-or-later
/* profile.c -- reads sample files image by image and adds up. */
#include "config.h"
#include "pp/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/profile/block.h"
#include "pp/profile/samples.h"

#define MAX_WARNINGS	5	/* about single files; the rest is counted */
#define NO_ENTRY	SIZE_MAX

/* A program's part of one image: all files between here and the next change of either. */
struct group {
	const struct pp_sample_file *files;
	size_t nr;
	uint64_t *counts;
};

/* A sample at an address, to be sorted: for details, and for entries that are addresses. */
struct point {
	uint64_t vma;
	size_t entry;		/* NO_ENTRY: becomes one */
	uint64_t count;
	unsigned int class;
};

struct builder {
	struct pp_profile *profile;
	const struct pp_session *session;
	struct pp_images *images;
	const struct pp_profile_options *options;
	struct pp_log *log;
	struct group *groups;	/* all of them, in the order of the files */
	size_t nr_groups;
	size_t nr_bad_files;
	int warned_cpu_type;

	/* of the group being read */
	struct pp_image *image;
	const struct group *group;
	size_t *slots;		/* symbol -> entry or NO_ENTRY */
	size_t nr_slots;
	size_t no_name, uncovered;	/* the same for those two */
	struct point *points;
	size_t nr_points, max_points;
	size_t max_entries;
};

static struct pp_entry *new_entry(struct builder *b, enum pp_entry_kind kind, uint64_t vma)
{
	struct pp_profile *profile = b->profile;
	struct pp_entry *entry;

	if (profile->nr_entries == b->max_entries) {
		size_t max = b->max_entries ? b->max_entries * 2 : 256;
		struct pp_entry *entries = reallocarray(profile->entries, max, sizeof(*entries));

		if (!entries)
			return NULL;
		profile->entries = entries;
		b->max_entries = max;
	}
	entry = &profile->entries[profile->nr_entries];
	*entry = (struct pp_entry){
		.image = b->group->files->image,
		.app = b->group->files->app,
		.vma = vma,
		.kind = kind,
		.counts = pp_block_alloc(&profile->blocks, profile->nr_classes),
	};
	if (!entry->counts)
		return NULL;
	profile->nr_entries++;
	return entry;
}

/* The slot of a symbol; the table grows with what the image knows. */
static size_t *slot_of(struct builder *b, uint32_t symbol)
{
	size_t nr;
	size_t *slots;

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
		slots[i] = NO_ENTRY;
	b->slots = slots;
	b->nr_slots = nr;
	return &slots[symbol];
}

static int add_point(struct builder *b, uint64_t vma, size_t entry, unsigned int class, uint64_t count)
{
	if (b->nr_points == b->max_points) {
		size_t max = b->max_points ? b->max_points * 2 : 1024;
		struct point *points = reallocarray(b->points, max, sizeof(*points));

		if (!points)
			return -ENOMEM;
		b->points = points;
		b->max_points = max;
	}
	b->points[b->nr_points++] = (struct point){ vma, entry, count, class };
	return 0;
}

/* The entry of a symbol in this group, made when first seen. */
static int entry_of(struct builder *b, uint32_t symbol, size_t *ret)
{
	size_t *slot = slot_of(b, symbol);
	struct pp_symbol_info info;
	struct pp_entry *entry;

	if (!slot)
		return -ENOMEM;
	if (*slot != NO_ENTRY) {
		*ret = *slot;
		return 0;
	}
	entry = new_entry(b, symbol == PP_NO_NAME   ? PP_ENTRY_IMAGE :
			     symbol == PP_UNCOVERED ? PP_ENTRY_UNCOVERED :
						      PP_ENTRY_SYMBOL, 0);
	if (!entry)
		return -ENOMEM;
	*ret = *slot = entry - b->profile->entries;
	if (entry->kind != PP_ENTRY_SYMBOL)
		return 0;
	pp_image_symbol(b->image, symbol, &info);
	entry->vma = info.vma;
	entry->size = info.size;
	entry->name = strdup(info.name);	/* mangled until the group ends */
	return entry->name ? 0 : -ENOMEM;
}

static int add_sample(struct builder *b, unsigned int class, uint64_t key, uint32_t count)
{
	uint32_t symbol = pp_image_lookup(b->image, key);
	size_t entry;
	int err;

	if (symbol == PP_RAW)
		return add_point(b, pp_image_vma(b->image, key), NO_ENTRY, class, count);
	err = entry_of(b, symbol, &entry);
	if (err)
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

/* Sorted points become details of their entries, or entries of their own. */
static int settle_points(struct builder *b)
{
	struct pp_profile *profile = b->profile;
	size_t nr = b->nr_points;

	if (nr)
		qsort(b->points, nr, sizeof(*b->points), compare_points);
	for (size_t i = 0, j; i < nr; i = j) {
		const struct point *first = &b->points[i];
		struct pp_entry *entry;
		size_t nr_details = 0;

		if (first->entry == NO_ENTRY) {
			entry = new_entry(b, PP_ENTRY_ADDRESS, first->vma);
			if (!entry)
				return -ENOMEM;
			for (j = i; j < nr && b->points[j].vma == first->vma; j++)
				entry->counts[b->points[j].class] += b->points[j].count;
			continue;
		}
		for (j = i; j < nr && b->points[j].entry == first->entry; j++)
			nr_details += j == i || b->points[j].vma != b->points[j - 1].vma;
		entry = &profile->entries[first->entry];
		entry->details = calloc(nr_details, sizeof(*entry->details));
		if (!entry->details)
			return -ENOMEM;
		for (size_t k = i; k < j; k++) {
			struct pp_detail *detail;

			if (k == i || b->points[k].vma != b->points[k - 1].vma) {
				detail = &entry->details[entry->nr_details++];
				detail->vma = b->points[k].vma;
				detail->counts = pp_block_alloc(&profile->blocks, profile->nr_classes);
				if (!detail->counts)
					return -ENOMEM;
			}
			detail = &entry->details[entry->nr_details - 1];
			detail->counts[b->points[k].class] += b->points[k].count;
		}
	}
	b->nr_points = 0;
	return 0;
}

static int is_wanted(const struct pp_profile_options *options, const char *raw, const char *name)
{
	const struct pp_values *include = options->include_symbols, *exclude = options->exclude_symbols;

	if (exclude && exclude->nr && (pp_values_match(exclude, raw) || pp_values_match(exclude, name)))
		return 0;
	if (include && include->nr)
		return pp_values_match(include, raw) || pp_values_match(include, name);
	return 1;
}

static void entry_release(struct pp_entry *entry)
{
	free(entry->name);
	free(entry->details);
}

/* The name of what has none, for --include-symbols and --exclude-symbols. */
static const char *stand_in_name(const struct pp_entry *entry)
{
	return entry->kind == PP_ENTRY_IMAGE ? entry->image : "";
}

/* Gives the group's entries, from @first on, their readable names, and drops unwanted ones. */
static int finish_entries(struct builder *b, size_t first)
{
	struct pp_profile *profile = b->profile;
	size_t kept = first;
	int err = 0;

	for (size_t i = first; i < profile->nr_entries; i++) {
		struct pp_entry *entry = &profile->entries[i];
		char *name = NULL;
		int wanted;

		if (entry->kind == PP_ENTRY_SYMBOL && !err) {
			name = pp_demangle(entry->name, b->options->demangle);
			if (!name)
				err = -ENOMEM;
		}
		wanted = !err && is_wanted(b->options, entry->name ? entry->name : stand_in_name(entry),
					   name ? name : stand_in_name(entry));
		free(entry->name);
		entry->name = name;
		if (wanted)
			profile->entries[kept++] = *entry;
		else
			entry_release(entry);
	}
	profile->nr_entries = kept;
	return err;
}

static int read_group(struct builder *b, struct group *group)
{
	size_t first_entry = b->profile->nr_entries;
	int err;

	b->group = group;
	for (size_t i = 0; i < b->nr_slots; i++)
		b->slots[i] = NO_ENTRY;
	b->no_name = b->uncovered = NO_ENTRY;
	group->counts = pp_block_alloc(&b->profile->blocks, b->profile->nr_classes);
	if (!group->counts)
		return -ENOMEM;
	for (size_t i = 0; i < group->nr; i++) {
		err = read_file(b, &group->files[i], group->counts);
		if (err)
			return err;
	}
	err = settle_points(b);
	if (!err)
		err = finish_entries(b, first_entry);
	for (size_t class = 0; class < b->profile->nr_classes; class++)
		b->profile->totals[class] += group->counts[class];
	return err;
}

static int find_groups(struct builder *b)
{
	const struct pp_files *files = &b->session->files;
	struct group *groups = calloc(files->nr, sizeof(*groups));

	if (!groups)
		return -ENOMEM;
	b->groups = groups;
	for (size_t i = 0; i < files->nr; i++) {
		const struct pp_sample_file *file = &files->items[i];
		struct group *last = b->nr_groups ? &groups[b->nr_groups - 1] : NULL;

		if (last && !strcmp(last->files->image, file->image) && !strcmp(last->files->app, file->app))
			last->nr++;
		else
			groups[b->nr_groups++] = (struct group){ .files = file, .nr = 1 };
	}
	return 0;
}

/* All programs' parts of an image in turn, the image being opened once. */
static int read_image(struct builder *b, struct group *groups, size_t nr)
{
	int err = 0;

	if (b->options->symbols) {
		err = pp_image_open(&b->image, b->images, &groups->files->name.image);
		if (err)
			return err;
		b->nr_slots = 0;
	}
	for (size_t i = 0; i < nr && !err; i++)
		err = read_group(b, &groups[i]);
	pp_image_close(b->image);
	b->image = NULL;
	return err;
}

static int read_images(struct builder *b)
{
	size_t i, j;
	int err = 0;

	for (i = 0; i < b->nr_groups && !err; i = j) {
		for (j = i + 1; j < b->nr_groups; j++)
			if (strcmp(b->groups[j].files->image, b->groups[i].files->image))
				break;
		err = read_image(b, &b->groups[i], j - i);
	}
	if (b->nr_bad_files > MAX_WARNINGS)
		pp_warn(b->log, "%zu more sample files could not be read and were left out",
			b->nr_bad_files - MAX_WARNINGS);
	return err;
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int d = strcmp(x->files->app, y->files->app);

	return d ? d : strcmp(x->files->image, y->files->image);
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
	struct pp_app *app = NULL;

	profile->apps = calloc(b->nr_groups, sizeof(*profile->apps));
	if (!profile->apps)
		return -ENOMEM;
	qsort(b->groups, b->nr_groups, sizeof(*b->groups), compare_groups);
	for (size_t i = 0; i < b->nr_groups; i++) {
		struct group *group = &b->groups[i];

		if (is_zero(group->counts, profile->nr_classes))
			continue;
		if (!app || strcmp(app->app, group->files->app))
			app = new_app(b, group->files->app);
		if (!app || add_dependent(app, group->files->image, group->counts))
			return -ENOMEM;
		for (size_t class = 0; class < profile->nr_classes; class++)
			app->counts[class] += group->counts[class];
	}
	return 0;
}

static int check_any(const struct builder *b)
{
	size_t nr = b->session->files.nr;

	if (!is_zero(b->profile->totals, b->profile->nr_classes))
		return 0;
	if (b->nr_bad_files == nr)
		pp_error(b->log, "none of the %zu sample file(s) could be read", nr);
	else if (b->nr_bad_files)
		pp_error(b->log, "no samples: %zu of %zu sample files could not be read, the others are empty",
			 b->nr_bad_files, nr);
	else
		pp_error(b->log, "no samples: the %zu sample file(s) are still empty. If the daemon is running, 'opcontrol "
			 "--dump' writes what it holds", nr);
	return PP_ERR_TOLD;
}

int pp_profile_make(struct pp_profile **ret, const struct pp_session *session, struct pp_images *images,
		    const struct pp_profile_options *options, struct pp_log *log)
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
	free(b.groups);
	pp_profile_destroy(b.profile);
	return err == -ENOMEM ? pp_oom(log) : err;
}

void pp_profile_destroy(struct pp_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->nr_entries; i++)
		entry_release(&profile->entries[i]);
	for (size_t i = 0; i < profile->nr_apps; i++)
		free(profile->apps[i].dependents);
	free(profile->entries);
	free(profile->apps);
	pp_block_free(profile->blocks);
	free(profile);
}
