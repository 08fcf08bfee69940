// SPDX-License-Identifier: GPL-2.0-or-later
/* storage_kernel.c -- the kernel's symbols in a session, and sessions of another kernel. */
#include "config.h"
#include "daemon/storage_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/accounting.h"
#include "daemon/base/log.h"
#include "daemon/base/next_session.h"
#include "daemon/base/session.h"
#include "daemon/image/kernel.h"
#include "daemon/sampling.h"
#include "daemon/storage.h"
#include "libop/base/error.h"
#include "libop/session/paths.h"

/* Save the current session under a name that contains @release, the release of the kernel that its
 * samples were taken on. */
static int save_other_kernel(struct opd_storage *k, const char *release)
{
	char name[160];
	int err = -EEXIST;

	for (int i = 1; i < 1000 && err == -EEXIST; i++) {
		snprintf(name, sizeof(name), "kernel-%.100s-%d", release, i);
		err = opd_session_save(k->session, name);
	}
	if (err)
		return err;
	opd_log(k->log, OPD_WARN, "the current session was recorded under another kernel: saved "
				  "it as session %s and began a new session", name);
	op_session_stats_release(&k->accounting->stats.earlier);
	return 0;
}

/*
 * If the current session's samples were taken on another kernel, save the session under another
 * name, because this kernel's symbols do not match the samples. Continue a session without samples.
 * In both cases, remove the other kernel's symbols from the session: a new session starts with a
 * hard link to the symbols of the session before it.
 */
static int put_other_kernel_away(struct opd_storage *k)
{
	char *release;
	int has, err = 0;

	if (!opd_kernel_differs(k->kernel, k->session->current_fd, &release))
		return 0;
	has = op_session_has_samples(k->session->current_fd);
	if (has)
		err = has < 0 ? has : save_other_kernel(k, release);
	free(release);
	if (!err && unlinkat(k->session->current_fd, OP_KERNEL_SYMS_FILE, 0) && errno != ENOENT)
		err = -errno;
	return err;
}

int opd_storage_create_kernel(struct opd_storage *k, struct op_reason *error)
{
	int err;

	err = opd_kernel_create(&k->kernel, k->cfg, k->log, &opd_kernel_files_default);
	if (err)
		return op_fail(error, err, "cannot read the kernel's symbols or modules: %s",
			       op_strerror(err));
	err = put_other_kernel_away(k);
	return err ? op_fail(error, err, "cannot rename the session of another kernel: %s",
			     op_strerror(err))
		   : 0;
}

static void read_between(void *arg)
{
	opd_sampling_read_between(arg);
}

void opd_storage_write_kernel_symbols(struct opd_storage *k, bool now)
{
	int err;

	if (!opd_kernel_snapshot_due(k->kernel, now))
		return;
	err = opd_kernel_snapshot(k->kernel, k->session->current_fd, read_between, k->sampling);
	if (err)
		opd_log(k->log, OPD_WARN, "cannot write the kernel's symbols: %s",
			op_strerror(err));
}
