// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shares.c -- users' shares of the daemon's resources: looks up the user of a process and the share
 * of this user.
 */
#include "config.h"
#include "daemon/base/shares.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/clock.h"
#include "libop/base/id_ranges.h"

/* maximum number of users with separate shares; all further users use one common share */
#define MAX_USERS	1024
#define NOT_KNOWN	UINT32_MAX	/* pseudo user id that selects the common share */
/* number of entries in the cache from process ids to shares; a power of two */
#define MEMORY		256
/* lifetime in ms of an entry in the cache of processes; limited, because the kernel reuses process
 * ids */
#define MEMORY_MS	1000

struct user {
	struct user *next;
	struct opd_share share;
};

struct remembered {
	int32_t tgid;
	uint32_t owner;
	uint64_t until_ms;
	struct opd_share *share;
};

struct opd_shares {
	const char *proc_dir;
	struct op_id_ranges ranges;
	struct user *users;
	size_t nr_users;
	struct remembered memory[MEMORY];
};

struct opd_shares *opd_shares_create(const char *proc_dir, const char *subuid)
{
	struct opd_shares *s = calloc(1, sizeof(*s));

	if (!s || op_id_ranges_read(&s->ranges, subuid)) {
		free(s);
		return NULL;
	}
	s->proc_dir = proc_dir;
	return s;
}

void opd_shares_destroy(struct opd_shares *s)
{
	if (!s)
		return;
	while (s->users) {
		struct user *user = s->users;

		s->users = user->next;
		free(user);
	}
	op_id_ranges_release(&s->ranges);
	free(s);
}

static struct user *find_user(const struct opd_shares *s, uint32_t uid)
{
	struct user *user = s->users;

	while (user && user->share.uid != uid)
		user = user->next;
	return user;
}

/* Return the share of user @uid, or NULL for root. Also return NULL if memory for a new share is
 * short: then the daemon works for the user without a limit. */
static struct opd_share *share_of(struct opd_shares *s, uint32_t uid)
{
	struct user *user = uid ? find_user(s, uid) : NULL;

	/* A user who already has a separate share keeps it; a further user gets the common
	 * share. */
	if (uid && !user && s->nr_users >= MAX_USERS) {
		uid = NOT_KNOWN;
		user = find_user(s, uid);
	}
	if (uid && !user) {
		user = calloc(1, sizeof(*user));
		if (!user)
			return NULL;
		user->share.uid = uid;
		user->next = s->users;
		s->users = user;
		s->nr_users++;
	}
	return user ? &user->share : NULL;
}

struct opd_share *opd_shares_find(struct opd_shares *s, int32_t tgid, uint32_t owner)
{
	struct remembered *at = &s->memory[(uint32_t)tgid % MEMORY];
	uint64_t now = op_now_coarse_ms();
	uint32_t uid = NOT_KNOWN;

	if (at->until_ms > now && at->tgid == tgid && at->owner == owner)
		return at->share;
	if (!tgid)
		uid = 0;
	/* The process has ended: use the share of the user who owns the program's file. If root
	 * owns the file, use the common share, because any user may run root's programs. */
	else if (op_id_ranges_payer_of(&s->ranges, s->proc_dir, tgid, &uid) && owner > 1)
		uid = op_id_ranges_payer(&s->ranges, owner - 1);
	*at = (struct remembered){ tgid, owner, now + MEMORY_MS, share_of(s, uid) };
	return at->share;
}

struct opd_share *opd_shares_of(struct opd_shares *s, uint32_t uid)
{
	return share_of(s, op_id_ranges_payer(&s->ranges, uid));
}

void opd_shares_for_each(struct opd_shares *s, void (*visit)(struct opd_share *share, void *arg),
			 void *arg)
{
	for (struct user *user = s->users; user; user = user->next)
		visit(&user->share, arg);
}
