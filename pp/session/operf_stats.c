// SPDX-License-Identifier: GPL-2.0-or-later
/* operf_stats.c -- the statistics of OProfile 1.4's operf: one file for each counter, with a
 * number. */
#include "config.h"
#include "pp/session/operf_stats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "libop/base/fs.h"

#define TOTAL "total_samples"

/* The counter of ours for each file. */
static const struct {
	const char *theirs, *ours;
} losses[] = {
	{ "lost_invalid_domain", "lost_no_domain" },
	{ "lost_kernel", "lost_kernel" },
	{ "lost_samplefile", "lost_sample_file" },
	{ "lost_no_mapping", "perf_lost_mapping" },
	{ "lost_no_app_for_kernel_sample", "lost_no_app_kernel" },
	{ "lost_no_app_for_user_sample", "perf_lost_process" },
	{ "lost_invalid_hypervisor_addr", "lost_hypervisor" },
};

/* operf never received these samples, so its total lacks them. */
#define LOST_BY_KERNEL "lost_records_by_kernel"

static int read_number(uint64_t *ret, int dirfd, const char *name)
{
	char path[64], *text, *end;
	unsigned long long n;
	size_t len;
	int err;

	snprintf(path, sizeof(path), "stats/%s", name);
	err = op_read_file(dirfd, path, 64, &text, &len);
	if (err)
		return err;
	errno = 0;
	n = strtoull(text, &end, 10);
	err = errno || end == text || text[0] == '-' ? -EINVAL : 0;
	free(text);
	if (!err)
		*ret = n;
	return err;
}

/* Return whether the error means that the file is missing or has no number. */
static bool is_none(int err)
{
	return err == -ENOENT || err == -EINVAL || err == -EFBIG;
}

int pp_operf_stats_read(struct op_session_stats *stats, int samples_dirfd)
{
	uint64_t total, by_kernel = 0, stored;
	int err = read_number(&total, samples_dirfd, TOTAL);

	if (err)
		return is_none(err) ? -ENOENT : err;
	stored = total;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		uint64_t lost;

		err = read_number(&lost, samples_dirfd, losses[i].theirs);
		if (is_none(err) || (!err && lost > stored))
			continue;
		if (!err)
			err = op_session_stats_add(stats, losses[i].ours, lost);
		if (err)
			return err;
		stored -= lost;
	}
	err = read_number(&by_kernel, samples_dirfd, LOST_BY_KERNEL);
	if (is_none(err))
		err = 0;
	else if (!err)
		err = op_session_stats_add(stats, "perf_lost_ring", by_kernel);
	if (!err)
		err = op_session_stats_add(stats, "perf_taken", total + by_kernel);
	if (!err)
		err = op_session_stats_add(stats, "stored", stored);
	return err;
}
