/* SPDX-License-Identifier: GPL-2.0 */
/*
 * identity.h -- numbers for files, and for which of them an address space runs. They know nothing of who
 * uses them, and mean the same to all: the first user has them made, the last one freed.
 */
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
	u32 users;		/* lock */
};

void oprofile_identity_init(struct oprofile_identity *i);
/* 0 or ENOMEM. The first user's names of files are the ones that are not foreign. */
int oprofile_identity_get(struct oprofile_identity *i);
void oprofile_identity_put(struct oprofile_identity *i);

#endif
