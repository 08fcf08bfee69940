// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limits.c -- the settings that limit how long and how many intervals are kept, stored in the
 * session directory.
 */
#include "config.h"
#include "daemon/limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "libop/base/dir_bytes.h"
#include "libop/base/fs.h"
#include "libop/base/time_words.h"

#define LIMITS_FILE	"limits"
#define MAX_TEXT	200
/* 20 years in s, an age that no interval exceeds */
#define LONGEST_S	(20ll * 365 * 24 * 3600)

struct limits {
	int64_t keep;		/* age in seconds at which intervals are deleted */
	uint64_t max_disk;	/* maximum size of the session directory in bytes */
};

bool opd_limits_are_sure(const struct opd_config *cfg)
{
	return !cfg->file || (!cfg->complaints && !access(cfg->file, F_OK));
}

int opd_limits_store(const struct opd_config *cfg, int dir_fd)
{
	char text[MAX_TEXT];
	int len = snprintf(text, sizeof(text), "keep %" PRId64 "\nmax-disk %" PRIu64 "\n",
			   cfg->intervals.keep, cfg->intervals.max_bytes);

	return op_replace_file(dir_fd, LIMITS_FILE, text, (size_t)len, 0644);
}

/* Read into *@ret the limits that an earlier daemon stored. If the file is missing or invalid,
 * return false and leave *@ret unchanged. */
static bool read_stored(struct limits *ret, int dir_fd)
{
	struct limits limits;
	char *text;
	size_t len;
	bool ok;

	if (op_read_file(dir_fd, LIMITS_FILE, MAX_TEXT, &text, &len))
		return false;
	ok = sscanf(text, "keep %" SCNd64 " max-disk %" SCNu64, &limits.keep, &limits.max_disk) == 2 &&
	     limits.keep > 0;
	free(text);
	if (ok)
		*ret = limits;
	return ok;
}

/* Return limits that delete no existing interval: no limit of age, and twice the current size of
 * the session directory @dir_fd. */
static struct limits unlimited(int dir_fd)
{
	struct limits limits = { .keep = LONGEST_S };
	uint64_t bytes;

	if (op_dir_bytes(dir_fd, &bytes) || bytes > UINT64_MAX / 2)
		limits.max_disk = UINT64_MAX / 2;
	else
		limits.max_disk = 2 * bytes;
	return limits;
}

/* Set *@setting to an allocated string with the number @value. Return 0 or -ENOMEM. */
static int set_number(char **setting, uint64_t value)
{
	char *text;

	if (asprintf(&text, "%" PRIu64, value) < 0)
		return -ENOMEM;
	free(*setting);
	*setting = text;
	return 0;
}

/* If a limit of @cfg is lower than the limit of @least, raise it to the limit of @least. Return 1
 * if a limit was raised, 0 if not, or -ENOMEM. */
static int raise_to(struct opd_config *cfg, const struct limits *least)
{
	struct itv_plan_config *plan = &cfg->intervals;
	int err = 0, is_raised = 0;

	if (plan->keep < least->keep) {
		plan->keep = least->keep;
		is_raised = 1;
		err = set_number(&cfg->set.keep, (uint64_t)plan->keep);
	}
	if (!err && plan->max_bytes < least->max_disk) {
		plan->max_bytes = least->max_disk;
		is_raised = 1;
		err = set_number(&cfg->set.max_disk, plan->max_bytes);
	}
	return err ? err : is_raised;
}

int opd_limits_complain(struct opd_config *cfg)
{
	char keep[OP_DURATION_TEXT_SIZE];

	return opd_config_complain(cfg, "until this file is %s, the daemon uses safe limits: "
					"intervals are deleted after %s, or above "
					"%" PRIu64 " MB on disk", access(cfg->file, F_OK) ? "restored" : "corrected",
				   op_duration_text(keep, cfg->intervals.keep),
				   cfg->intervals.max_bytes >> 20);
}

int opd_limits_apply(struct opd_config *cfg, int dir_fd)
{
	struct limits least = { 0 };
	bool is_stored;
	int ret;

	if (!cfg->intervals.interval)
		return 0;
	is_stored = read_stored(&least, dir_fd);
	/* Without a file of --config and without stored limits, use the limits of the command
	 * line. */
	if (opd_limits_are_sure(cfg) || (!is_stored && !cfg->complaints))
		return opd_limits_store(cfg, dir_fd);
	if (!is_stored)
		least = unlimited(dir_fd);
	ret = raise_to(cfg, &least);
	if (ret > 0)
		ret = opd_limits_complain(cfg);
	/* If no limits were stored, store these. The next daemon must use the same limits, but
	 * unlimited() would return other limits to it, because the session directory will have
	 * another size. */
	return ret || is_stored ? ret : opd_limits_store(cfg, dir_fd);
}
