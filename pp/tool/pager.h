/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pager.h -- a pager for long reports, as git has.
 */
#ifndef PP_PAGER_H
#define PP_PAGER_H

#include <sys/types.h>

#include "pp/base/log.h"

struct pp_pager {
	pid_t pid;		/* 0: no pager runs */
	int stdout_fd;		/* a copy of the original stdout */
};

/*
 * Start $OPROFILE_PAGER, else $PAGER, else less, with stdout as its input. Do nothing if stdout is
 * not a terminal, or the pager is empty or "cat". The variable is split at blanks, without a shell.
 * If the pager cannot be run, warn and print directly.
 */
void pp_pager_start(struct pp_pager *pager, struct pp_log *log);
/* Flush and restore stdout, and wait until the user quits the pager. @pager may be all zero. */
void pp_pager_finish(struct pp_pager *pager);

#endif
