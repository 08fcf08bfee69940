// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fold_names.c -- reduces the number of images of an interval: merges a user's images with few
 * samples into one image.
 */
#include "config.h"
#include "intervals/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intervals/private.h"
#include "libop/base/id_ranges.h"
#include "libop/base/search.h"
#include "libop/session/path_files.h"

#define UNKNOWN		UINT32_MAX	/* user id that is used for images whose owner is unknown */
/* memory in bytes that an image name needs in addition to its text */
#define NAME_BYTES	24
/* prefix of an image name that replaces the names of several programs, as in
 * daemon/store/new_files.h */
#define FOLDED_NAME	"/(more programs)"
#define FOLDED_OF_USER	"/(more programs of user %" PRIu32 ")"
#define FOLDED_SCAN	"/(more programs of user %" SCNu32 ")"
#define REPLACEMENT_SIZE	64
/* replacement names of earlier reductions are kept if an interval has at most this many */
#define MAX_FOLDED	64

/* An image name, with the range of images that have this name: different builds of the file. */
struct name {
	uint32_t image, nr_images;
	/* user who owns the image's file, or who started the process that generated the code */
	uint32_t user;
	/* the name is not removed: it belongs to a kernel image, or already replaces several
	 * programs */
	bool is_fixed;
	bool is_folded;
	/* number of samples whose image name is lost if this name is removed */
	uint64_t weight;
	uint64_t bytes;
};

/* All names of one user; they are adjacent in the sorted list of names. */
struct holder {
	uint32_t user, name, nr_names;
	uint64_t bytes;
	/* indices of the images that replace the removed images of this user: [false]: programs and
	 * binaries, [true]: programs of wakers, whose samples stay apart from others */
	uint32_t replacement[2];
};

struct folding {
	const struct itv *v;
	struct name *names;
	uint32_t nr_names;
	uint32_t *name_of;	/* for each image, the index of its name in .names */
	struct holder *holders;
	uint32_t nr_holders;
};

static void release(struct folding *f)
{
	free(f->names);
	free(f->name_of);
	free(f->holders);
}

static uint64_t add_or_max(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool are_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

static bool is_same_name(const struct itv_image *x, const struct itv_image *y)
{
	const struct op_image_name *a = &x->image.name, *b = &y->image.name;

	if (!are_equal(a->unit, b->unit) || !are_equal(x->woken, y->woken))
		return false;
	return a->kind == b->kind && !strcmp(a->path, b->path) && a->anon_tgid == b->anon_tgid &&
	       a->anon_program == b->anon_program && a->anon_start == b->anon_start &&
	       a->anon_end == b->anon_end;
}

static uint64_t bytes_of(const struct itv_image *image)
{
	const struct op_image_name *name = &image->image.name;

	return NAME_BYTES + strlen(name->path) + (name->unit ? strlen(name->unit) : 0) +
	       (image->woken ? strlen(image->woken) : 0);
}

/* Return whether the image is not a waker's program that woke a named program. There may be as many
 * such images as pairs of programs, so each of them can be removed. */
static bool names_no_woken(const struct itv_image *image)
{
	return !image->woken || !strcmp(image->woken, FOLDED_NAME);
}

/* List the names of all images of the interval. The images are sorted by name. */
static void find_names(struct folding *f, const struct op_id_ranges *ranges)
{
	const struct itv *v = f->v;

	for (uint32_t i = 0; i < v->nr_images; i++) {
		const struct itv_image *at = &v->images[i];
		const struct op_path_image *image = &at->image;
		struct name *name = &f->names[f->nr_names];

		if (i && is_same_name(at, at - 1)) {
			name--;
		} else {
			*name = (struct name){ .image = i, .user = UNKNOWN, .bytes = bytes_of(at) };
			name->is_fixed = names_no_woken(at) &&
					 (image->name.kind == OP_IMAGE_KERN ||
					  !strcmp(image->name.path, FOLDED_NAME));
			/* find_users_of_pairs() may change this */
			if (at->woken && i &&
			    !strcmp(at[-1].image.name.path, image->name.path))
				name->user = name[-1].user;
			f->nr_names++;
		}
		name->nr_images++;
		name->is_fixed |= image->is_kernel;
		f->name_of[i] = f->nr_names - 1;
		/* The images of a name may have different owners, or an unknown owner: use the
		 * first owner that is known. */
		if (image->identity.owner && name->user == UNKNOWN)
			name->user = op_id_ranges_payer(ranges, image->identity.owner - 1);
	}
}

/* Return whether a name has the form of a replacement for a user's removed names. */
static bool is_of_user(const struct folding *f, const struct name *name)
{
	const struct itv_image *image = &f->v->images[name->image];
	const char *path = image->image.name.path;
	char same[REPLACEMENT_SIZE];
	uint32_t user;

	if (!names_no_woken(image) || name->user != UNKNOWN ||
	    sscanf(path, FOLDED_SCAN, &user) != 1)
		return false;
	snprintf(same, sizeof(same), FOLDED_OF_USER, user);
	return !strcmp(same, path);
}

/* Keep the names that earlier reductions made as replacements, unless the interval has more than
 * MAX_FOLDED of them: in a user namespace, a user may choose paths that look like replacement
 * names. */
static void keep_folded(struct folding *f)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->nr_names; i++)
		nr += is_of_user(f, &f->names[i]);
	for (uint32_t i = 0; i < f->nr_names && nr <= MAX_FOLDED; i++)
		f->names[i].is_fixed |= is_of_user(f, &f->names[i]);
}

/* Set the user of JIT code to the owner of the program that ran the code. */
static void find_users_of_made_code(struct folding *f)
{
	for (uint32_t i = 0; i < f->v->nr_groups; i++) {
		const struct itv_group *group = &f->v->groups[i];
		struct name *name = &f->names[f->name_of[group->image]];

		if (f->v->images[group->image].image.name.kind == OP_IMAGE_ANON)
			name->user = f->names[f->name_of[group->app]].user;
	}
}

static int compare_users(const void *a, const void *b)
{
	return op_compare_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Return how often @user is in the sorted list @users. */
static size_t count_user(const uint32_t *users, uint32_t nr, uint32_t user)
{
	return op_partition_point(i, nr, users[i] <= user) -
	       op_partition_point(i, nr, users[i] < user);
}

/* Return the user of the program @path, or UNKNOWN. */
static uint32_t user_of_program(const struct folding *f, const char *path)
{
	const struct itv *v = f->v;
	const size_t at = op_partition_point(i, v->nr_images,
		v->images[i].image.name.kind < OP_IMAGE_ROOT ||
		(v->images[i].image.name.kind == OP_IMAGE_ROOT &&
		 strcmp(v->images[i].image.name.path, path) < 0));

	return at < v->nr_images && v->images[at].image.name.kind == OP_IMAGE_ROOT &&
	       !strcmp(v->images[at].image.name.path, path) ? f->names[f->name_of[at]].user :
							      UNKNOWN;
}

/* A waker's program and the program that it woke are one name of the interval. Set its user to the
 * owner of the waker or to the owner of the woken program, whichever has more programs. Otherwise
 * one program of root, paired with each of a user's many programs, would charge all these names to
 * root. */
static int find_users_of_pairs(struct folding *f)
{
	uint32_t *users = itv_new_list(f->nr_names, sizeof(*users)), nr = 0;

	if (!users)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->nr_names; i++)
		if (!f->v->images[f->names[i].image].woken)
			users[nr++] = f->names[i].user;
	qsort(users, nr, sizeof(*users), compare_users);
	for (uint32_t i = 0; i < f->nr_names; i++) {
		struct name *name = &f->names[i];
		const char *woken = f->v->images[name->image].woken;
		const uint32_t user = woken ? user_of_program(f, woken) : UNKNOWN;

		if (user != UNKNOWN &&
		    count_user(users, nr, user) > count_user(users, nr, name->user))
			name->user = user;
	}
	free(users);
	return 0;
}

static void weigh(struct folding *f, uint32_t image, uint64_t samples)
{
	struct name *name = &f->names[f->name_of[image]];

	name->weight = add_or_max(name->weight, samples);
}

static void weigh_groups(struct folding *f)
{
	const struct itv *v = f->v;

	for (uint32_t i = 0; i < v->nr_groups; i++) {
		const struct itv_group *group = &v->groups[i];
		uint64_t sum = 0;

		for (uint32_t n = group->cell; n < group->cell + group->nr_cells; n++)
			sum = add_or_max(sum, v->cells[n].count);
		weigh(f, group->image, sum);
		if (f->name_of[group->app] != f->name_of[group->image])
			weigh(f, group->app, sum);
	}
}

/* Count, for each image, the samples in the image and in functions that it called. @totals: for
 * each node, the number of samples of the node and its descendants. */
static int weigh_nodes(struct folding *f)
{
	const struct itv *v = f->v;
	uint64_t *totals = itv_new_list(v->nr_nodes, sizeof(*totals));
	uint32_t *end = itv_new_list(v->nr_nodes, sizeof(*end));

	if (!totals || !end) {
		free(totals);
		free(end);
		return -ENOMEM;
	}
	for (uint32_t i = v->nr_nodes; i--; ) {
		const struct itv_node *node = &v->nodes[i];
		uint32_t child = i + 1, image = 0;

		totals[i] = node->count;
		for (uint32_t n = node->nr_children; n; n--, child = end[child])
			totals[i] = add_or_max(totals[i], totals[child]);
		end[i] = child;
		if (node->frame >= ITV_FRAME_FIRST)
			image = v->frames[node->frame - ITV_FRAME_FIRST].image;
		if (image)
			weigh(f, image - 1, totals[i]);
	}
	free(totals);
	free(end);
	return 0;
}

/* Compare names for sorting: by user, then by descending number of samples; names that cannot be
 * removed are last. */
static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int order = x->is_fixed - y->is_fixed;

	order = order ? order : op_compare_u64(x->user, y->user);
	order = order ? order : op_compare_u64(y->weight, x->weight);
	return order ? order : op_compare_u64(x->image, y->image);
}

static void find_holders(struct folding *f)
{
	for (uint32_t i = 0; i < f->nr_names && !f->names[i].is_fixed; i++) {
		const struct name *name = &f->names[i];
		struct holder *holder;

		if (!i || name->user != name[-1].user)
			f->holders[f->nr_holders++] = (struct holder){ .user = name->user,
								       .name = i };
		holder = &f->holders[f->nr_holders - 1];
		holder->nr_names++;
		holder->bytes += name->bytes;
	}
}

static int compare_bytes(const void *a, const void *b)
{
	return op_compare_u64(((const struct holder *)a)->bytes, ((const struct holder *)b)->bytes);
}

/* Mark the names that must be removed, so that all names fit into @max_bytes. Each user may keep
 * names of the same total size. If a user needs fewer bytes, the other users share the rest. */
static void choose(struct folding *f, uint64_t max_bytes)
{
	uint64_t left = max_bytes;

	qsort(f->holders, f->nr_holders, sizeof(*f->holders), compare_bytes);
	for (uint32_t i = 0; i < f->nr_holders; i++) {
		struct holder *holder = &f->holders[i];
		uint64_t share = left / (f->nr_holders - i), used = 0;

		for (uint32_t n = holder->name; n < holder->name + holder->nr_names; n++) {
			struct name *name = &f->names[n];

			if (used + name->bytes <= share)
				used += name->bytes;
			else
				name->is_folded = true;
		}
		left -= used;
	}
}

static void write_replacement(char path[REPLACEMENT_SIZE], uint32_t user)
{
	if (user == UNKNOWN)
		snprintf(path, REPLACEMENT_SIZE, FOLDED_NAME);
	else
		snprintf(path, REPLACEMENT_SIZE, FOLDED_OF_USER, user);
}

static bool is_waker(const struct folding *f, const struct name *name)
{
	return f->v->images[name->image].woken != NULL;
}

/* Return whether the interval already contains the replacement name @path. @wakers: as in struct
 * holder.replacement. */
static bool has_replacement(const struct folding *f, const char *path, bool wakers)
{
	for (uint32_t i = 0; i < f->nr_names; i++)
		if (is_waker(f, &f->names[i]) == wakers &&
		    !strcmp(f->v->images[f->names[i].image].image.name.path, path))
			return true;
	return false;
}

/* If the names of a user that would be removed are no longer than the replacement name, keep all
 * names of this user. @wakers: as in struct holder.replacement. */
static void keep_short_names(struct folding *f, bool wakers)
{
	for (uint32_t i = 0; i < f->nr_holders; i++) {
		const struct holder *holder = &f->holders[i];
		struct name *names = &f->names[holder->name];
		uint64_t folded = 0, bytes = NAME_BYTES + (wakers ? strlen(FOLDED_NAME) : 0);
		char path[REPLACEMENT_SIZE];

		write_replacement(path, holder->user);
		bytes += strlen(path);
		for (uint32_t n = 0; n < holder->nr_names; n++)
			if (is_waker(f, &names[n]) == wakers)
				folded += names[n].is_folded ? names[n].bytes : 0;
		if (!folded || folded > bytes || has_replacement(f, path, wakers))
			continue;
		for (uint32_t n = 0; n < holder->nr_names; n++)
			if (is_waker(f, &names[n]) == wakers)
				names[n].is_folded = false;
	}
}

/* Append the image that replaces the removed images of @holder to @images and increment *@nr.
 * @wakers: which images, as in .replacement. The image owns its texts. */
static int add_replacement(struct holder *holder, bool wakers, struct itv_image *images,
			   uint32_t *nr)
{
	struct itv_image *image = &images[*nr];
	char path[REPLACEMENT_SIZE];

	write_replacement(path, holder->user);
	*image = (struct itv_image){
		.image.name = { .kind = OP_IMAGE_ROOT, .path = strdup(path) },
		.woken = wakers ? strdup(FOLDED_NAME) : NULL,
	};
	holder->replacement[wakers] = (*nr)++;
	return image->image.name.path && (image->woken || !wakers) ? 0 : -ENOMEM;
}

/* For each user with removed names, append the replacement images to @images and add their number
 * to *@nr. */
static int add_replacements(struct folding *f, struct itv_image *images, uint32_t *nr)
{
	int err = 0;

	for (uint32_t i = 0; i < f->nr_holders && !err; i++) {
		struct holder *holder = &f->holders[i];
		bool is_needed[2] = { false, false };

		for (uint32_t n = holder->name; n < holder->name + holder->nr_names; n++)
			is_needed[is_waker(f, &f->names[n])] |= f->names[n].is_folded;
		for (int wakers = 0; wakers < 2 && !err; wakers++)
			if (is_needed[wakers])
				err = add_replacement(holder, wakers, images, nr);
	}
	return err;
}

/* For each image, set map[image] to the index of the image that replaces it, or to its own
 * index. */
static void fill_map(const struct folding *f, uint32_t *map)
{
	for (uint32_t i = 0; i < f->v->nr_images; i++)
		map[i] = i;
	for (uint32_t h = 0; h < f->nr_holders; h++) {
		const struct holder *holder = &f->holders[h];

		for (uint32_t n = holder->name; n < holder->name + holder->nr_names; n++) {
			const struct name *name = &f->names[n];

			for (uint32_t i = 0; i < name->nr_images && name->is_folded; i++)
				map[name->image + i] = holder->replacement[is_waker(f, name)];
		}
	}
}

/* Replace the image numbers in the lists of @to, which are copies. Set addresses in replaced images
 * to 0, because a replacement image stands for several files with different addresses. */
static void replace(struct itv *to, const uint32_t *map)
{
	for (uint32_t i = 0; i < to->nr_groups; i++) {
		struct itv_group *group = &to->groups[i];

		if (map[group->image] != group->image)
			for (uint32_t n = group->cell; n < group->cell + group->nr_cells; n++)
				to->cells[n].key = 0;
		group->image = map[group->image];
		group->app = map[group->app];
	}
	for (uint32_t i = 0; i < to->nr_trees; i++)
		to->trees[i].app = map[to->trees[i].app];
	for (uint32_t i = 0; i < to->nr_frames; i++) {
		struct itv_frame *frame = &to->frames[i];

		if (!frame->image || map[frame->image - 1] == frame->image - 1)
			continue;
		frame->image = map[frame->image - 1] + 1;
		if (!op_path_is_end(frame->how))
			frame->offset = 0;
	}
}

static void *copy_list(const void *list, size_t nr, size_t room, size_t size)
{
	void *copy = itv_new_list(room, size);

	if (copy && nr)
		memcpy(copy, list, nr * size);
	return copy;
}

/* Compute the lists of the reduced interval, and store them in the zeroed struct *@lists. */
static int fold(struct folding *f, struct itv *lists)
{
	const struct itv *v = f->v;
	struct itv to = *v;
	uint32_t *map = itv_new_list(v->nr_images, sizeof(*map));
	int err;

	to.images = copy_list(v->images, v->nr_images, v->nr_images + 2ul * f->nr_holders,
			      sizeof(*v->images));
	to.groups = copy_list(v->groups, v->nr_groups, v->nr_groups, sizeof(*v->groups));
	to.cells = copy_list(v->cells, v->nr_cells, v->nr_cells, sizeof(*v->cells));
	to.frames = copy_list(v->frames, v->nr_frames, v->nr_frames, sizeof(*v->frames));
	to.trees = copy_list(v->trees, v->nr_trees, v->nr_trees, sizeof(*v->trees));
	err = map && to.images && to.groups && to.cells && to.frames && to.trees ? 0 : -ENOMEM;
	if (!err)
		err = add_replacements(f, to.images, &to.nr_images);
	if (!err) {
		fill_map(f, map);
		replace(&to, map);
		err = itv_sorted_lists(&to, lists);
	}
	if (!err)
		err = itv_drop_unused(lists);
	for (uint32_t i = v->nr_images; i < to.nr_images; i++)
		itv_free_image(&to.images[i]);
	free(map);
	free(to.images);
	free(to.groups);
	free(to.cells);
	free(to.frames);
	free(to.trees);
	return err;
}

uint64_t itv_names_bytes(const struct itv *v)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < v->nr_images; i++)
		if (!i || !is_same_name(&v->images[i], &v->images[i - 1]))
			bytes += bytes_of(&v->images[i]);
	return bytes;
}

int itv_fold_names(struct itv *v, uint64_t max_bytes, const struct op_id_ranges *ranges)
{
	struct folding f = {
		.v = v,
		.names = itv_new_list(v->nr_images, sizeof(*f.names)),
		.name_of = itv_new_list(v->nr_images, sizeof(*f.name_of)),
		.holders = itv_new_list(v->nr_images, sizeof(*f.holders)),
	};
	struct itv lists = { 0 };
	int err = f.names && f.name_of && f.holders ? 0 : -ENOMEM;

	if (!err) {
		find_names(&f, ranges);
		keep_folded(&f);
		find_users_of_made_code(&f);
		weigh_groups(&f);
		err = find_users_of_pairs(&f);
	}
	if (!err)
		err = weigh_nodes(&f);
	if (!err) {
		qsort(f.names, f.nr_names, sizeof(*f.names), compare_names);
		find_holders(&f);
		choose(&f, max_bytes);
		keep_short_names(&f, false);
		keep_short_names(&f, true);
		err = fold(&f, &lists);
	}
	release(&f);
	if (err)
		itv_release(&lists);
	else
		itv_replace_lists(v, &lists);
	return err;
}
