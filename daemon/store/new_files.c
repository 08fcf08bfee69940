// SPDX-License-Identifier: GPL-2.0-or-later
/* new_files.c -- each user's budget of new sample files, which grows with time. */
#include "config.h"
#include "daemon/store/new_files.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/image/image.h"
#include "daemon/store/sample_path.h"
#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"
#include "libop/session/mangle.h"

/* maximum number of users with separate budgets; all further users share one budget */
#define MAX_USERS	1024
/* this number of new directories uses as much of the budget as one new file */
#define DIRS_PER_FILE	8
#define MINUTE_MS	60000
/* user id of the budget that is shared by all users without a separate budget */
#define NOT_KNOWN	UINT32_MAX

struct opd_new_files_user {
	struct opd_new_files_user *next;
	uint32_t uid;
	/* number of sample files that the user may still create now */
	double left;
	uint64_t at_ms;
	/* image that replaces the images of the user's new programs when the budget is used up */
	struct opd_image image;
	char path[64];
};

struct opd_new_files {
	double per_minute;
	const char *proc_dir;
	struct op_id_ranges ranges;
	struct opd_new_files_user *users;
	size_t nr_users;
};

struct opd_new_files *opd_new_files_create(unsigned long per_minute, const char *proc_dir,
					   const char *subuid)
{
	struct opd_new_files *n = calloc(1, sizeof(*n));

	if (!n || op_id_ranges_read(&n->ranges, subuid)) {
		free(n);
		return NULL;
	}
	n->per_minute = per_minute;
	n->proc_dir = proc_dir;
	return n;
}

void opd_new_files_destroy(struct opd_new_files *n)
{
	if (!n)
		return;
	while (n->users) {
		struct opd_new_files_user *user = n->users;

		n->users = user->next;
		free(user);
	}
	op_id_ranges_release(&n->ranges);
	free(n);
}

static uint32_t payer_of(const struct opd_new_files *n, const struct opd_file_key *key)
{
	uint32_t uid = NOT_KNOWN;

	if (key->anon_label || key->tgid != OP_ALL)
		op_id_ranges_payer_of(&n->ranges, n->proc_dir,
				      key->anon_label ? key->anon_tgid : key->tgid, &uid);
	if (uid == NOT_KNOWN && key->app && key->app->identity.owner && !key->anon_label)
		uid = op_id_ranges_payer(&n->ranges, key->app->identity.owner - 1);
	/* If the waker is the kernel or a program of root, the user of the woken program pays,
	 * because users choose the names of their programs. */
	if (key->woken && key->woken->identity.owner && (!key->app || uid == 0))
		uid = op_id_ranges_payer(&n->ranges, key->woken->identity.owner - 1);
	return uid;
}

static struct opd_new_files_user *find(const struct opd_new_files *n, uint32_t uid)
{
	struct opd_new_files_user *user = n->users;

	while (user && user->uid != uid)
		user = user->next;
	return user;
}

/* Return true if the image replaces a user's programs, as the .image of a user does. Compare
 * addresses, not paths: in a user namespace, users can give their programs any path. */
static bool is_replacement(const struct opd_new_files *n, const struct opd_image *image)
{
	const struct opd_new_files_user *user = n->users;

	while (user && &user->image != image)
		user = user->next;
	return user;
}

struct opd_new_files_user *opd_new_files_user(struct opd_new_files *n,
					      const struct opd_file_key *key)
{
	struct opd_new_files_user *user;
	uint32_t uid;

	if (!n || !(key->app || key->woken) || is_replacement(n, key->app))
		return NULL;
	uid = payer_of(n, key);
	if (uid == 0)
		return NULL;
	user = find(n, uid);
	/* When MAX_USERS users have separate budgets, all further users share one budget. */
	if (!user && n->nr_users >= MAX_USERS) {
		uid = NOT_KNOWN;
		user = find(n, uid);
	}
	if (user)
		return user;
	user = calloc(1, sizeof(*user));
	if (!user)
		return NULL;
	*user = (struct opd_new_files_user){ n->users, .uid = uid, .left = n->per_minute,
					     .at_ms = op_now_coarse_ms() };
	if (uid == NOT_KNOWN)
		snprintf(user->path, sizeof(user->path), "/(more programs)");
	else
		snprintf(user->path, sizeof(user->path), "/(more programs of user %" PRIu32 ")",
			 uid);
	user->image.path = user->path;
	n->users = user;
	n->nr_users++;
	return user;
}

bool opd_new_files_may(struct opd_new_files *n, struct opd_new_files_user *user)
{
	uint64_t now = op_now_coarse_ms();

	if (!user)
		return true;
	user->left += (double)(now - user->at_ms) * n->per_minute / MINUTE_MS;
	if (user->left > n->per_minute)
		user->left = n->per_minute;
	user->at_ms = now;
	return user->left >= 1;
}

void opd_new_files_spend(struct opd_new_files_user *user, unsigned long dirs)
{
	if (user)
		user->left -= 1 + (double)dirs / DIRS_PER_FILE;
}

bool opd_new_files_instead(const struct opd_new_files_user *user, const struct opd_file_key *key,
			   struct opd_file_key *ret)
{
	bool roots = key->kimage || (key->image && key->image->identity.owner == 1);

	*ret = *key;
	ret->app = &user->image;
	ret->tgid = ret->tid = OP_ALL;
	ret->unit = NULL;
	ret->woken = key->woken ? &user->image : NULL;
	if (roots)
		return true;
	ret->image = &user->image;
	ret->anon_label = NULL;
	ret->anon_start = ret->anon_end = 0;
	ret->anon_tgid = 0;
	ret->anon_program = 0;
	return false;
}
