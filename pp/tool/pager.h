/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager.h -- a long report goes through a pager, as git's do.
 */
#ifndef PP_PAGER_H
#define PP_PAGER_H

#include <sys/types.h>

#include "pp/base/log.h"

struct pp_pager {
	pid_t pid;		/* 0: none runs */
	int stdout_fd;		/* what stdout was */
};

/*
 * Starts $OPROFILE_PAGER, else $PAGER, else less, and makes stdout its input; nothing when stdout
 * is no terminal, or the pager is empty or "cat". The words of the variable are split at blanks, no
 * shell sees them. A pager that cannot be run is warned of and done without.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flushes stdout, puts it back and waits until the user has read enough. Takes a zeroed struct. */
void pp_pager_finish(struct pp_pager *pager);

#endif
