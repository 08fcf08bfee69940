/* SPDX-License-Identifier: GPL-2.0 */
/* identity.h -- the tables of cookies and of programs, which all users share. The first
 * user sets them up, and the last user frees them. */
#ifndef OPROFILE_IDENTITY_H
#define OPROFILE_IDENTITY_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "cookie.h"
#include "programs.h"

struct oprofile_identity {
	struct oprofile_cookies cookies;
	struct oprofile_programs programs;
	struct mutex lock;
	u32 users;		/* number of users; protected by .lock */
};

void oprofile_identity_init(struct oprofile_identity *i);
/*
 * Add a user of the tables, and set up the tables for the first user. Return 0 or -ENOMEM. The
 * first user becomes the reader: its root directory decides which file names are foreign
 * (cookie.h).
 */
int oprofile_identity_get(struct oprofile_identity *i);
void oprofile_identity_put(struct oprofile_identity *i);

#endif
