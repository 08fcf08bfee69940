// SPDX-License-Identifier: GPL-2.0
/*
 * identity.c -- setup and release of the shared tables of cookies and programs, which are
 * reference-counted.
 */
#include "identity.h"

void oprofile_identity_init(struct oprofile_identity *i)
{
	mutex_init(&i->lock);
	oprofile_cookies_init(&i->cookies);
}

int oprofile_identity_get(struct oprofile_identity *i)
{
	int err = 0;

	mutex_lock(&i->lock);
	if (!i->users) {
		err = oprofile_cookies_setup(&i->cookies);
		if (!err)
			oprofile_programs_clear(&i->programs);
	}
	i->users += !err;
	mutex_unlock(&i->lock);
	return err;
}

void oprofile_identity_put(struct oprofile_identity *i)
{
	mutex_lock(&i->lock);
	if (!--i->users)
		oprofile_cookies_shutdown(&i->cookies);
	mutex_unlock(&i->lock);
}
