/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verbs.h -- what can be done with the daemon, whoever asks for it: a request, a signal, or its own end.
 */
#ifndef OPD_VERBS_H
#define OPD_VERBS_H

#include <stdbool.h>

#include "daemon/base/log.h"
#include "daemon/base/session.h"
#include "daemon/books.h"
#include "daemon/keep.h"
#include "daemon/sampling.h"

/* What verbs work on; daemon.c owns it, and makes it in this order. */
struct opd_parts {
	const struct opd_config *cfg;
	struct opd_log log;
	struct opd_session session;
	struct opd_books books;
	struct opd_keep keep;
	struct opd_sampling sampling;
	bool finished;
	bool quit;		/* the loop is to end */
};

/* All: 0 or negative errno. Starting what runs, or stopping what does not, is no error. */
int opd_start(struct opd_parts *p);
/* Everything sampled is on disk then. */
int opd_stop(struct opd_parts *p);
/* What was sampled by now is on disk then. */
int opd_dump(struct opd_parts *p);
/* What was current becomes @name, or nothing when @name is NULL. */
int opd_new_session(struct opd_parts *p, const char *name);
/* Stops for ever. Again: does nothing. */
int opd_finish(struct opd_parts *p);

/* The log and the sample files are opened anew. */
void opd_hang_up(struct opd_parts *p);

#endif
