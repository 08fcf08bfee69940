// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * previous.c -- renaming of the previous profile, and its restoration.
 */
#include "config.h"
#include "utils/operf/previous.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "utils/shared/session_files.h"

#define CURRENT "current"
#define REPLACED ".replaced"	/* not a valid name, so no session of a user */
#define PREVIOUS "previous"

/* Return 0, or -ENOENT without text if there is no profile, or another negative errno with text. */
static int move(const char *session_dir, const char *from, const char *to, struct op_reason *error)
{
	int samples = ctl_session_open_samples(session_dir, error);
	int err = 0;

	if (samples < 0)
		return samples;
	/* Correct the totals of a killed daemon before the session gets another name. */
	err = ctl_session_recover(samples, from);
	if (!err && renameat(samples, from, samples, to) < 0)
		err = -errno;
	close(samples);
	if (err && err != -ENOENT)
		op_fail(error, err, "cannot rename %s/samples/%s to %s: %s", session_dir, from, to,
			strerror(-err));
	return err;
}

static int delete(const char *session_dir, const char *name, struct op_reason *error)
{
	int err = ctl_session_remove(session_dir, name, error);

	if (err != -ENOENT)
		return err;
	/* ignore the error: there may be no earlier profile */
	*error = (struct op_reason){ "" };
	return 0;
}

/* Return 1 if the session has samples, 0 if it has no samples or does not exist, or a negative
 * errno with text. */
static int has_samples(const char *session_dir, const char *name, struct op_reason *error)
{
	int has = ctl_session_has_samples(session_dir, name, error);

	return has == -ENOENT ? 0 : has;
}

int operf_previous_keep(const char *session_dir, struct op_reason *error)
{
	int err = has_samples(session_dir, REPLACED, error);

	if (err == 0)	/* the profile may have counts of losses, but no samples to report */
		return delete(session_dir, REPLACED, error);
	if (err > 0)
		err = delete(session_dir, PREVIOUS, error);
	if (!err)
		err = move(session_dir, REPLACED, PREVIOUS, error);
	return err;
}

static bool is_replaced(const char *session_dir)
{
	struct op_reason unheard = { "" };
	bool is = ctl_session_has_samples(session_dir, REPLACED, &unheard) >= 0;

	return is;
}

int operf_previous_take_back(const char *session_dir, struct op_reason *error)
{
	int err;

	if (!is_replaced(session_dir))
		return 0;
	/* rename(2) replaces a directory only if it is empty. */
	err = ctl_session_reset(session_dir, error);
	return err ? err : move(session_dir, REPLACED, CURRENT, error);
}

int operf_previous_set_aside(const char *session_dir, struct op_reason *error)
{
	int err = has_samples(session_dir, CURRENT, error);

	/* An operf that was killed left the profile. */
	if (err > 0)
		err = operf_previous_keep(session_dir, error);
	else if (!err)
		err = operf_previous_take_back(session_dir, error);
	if (!err)
		err = move(session_dir, CURRENT, REPLACED, error);
	return err == -ENOENT ? 0 : err;
}
