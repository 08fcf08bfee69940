/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_queue.h -- a log that keeps messages until somebody takes them, for work done by threads.
 */
#ifndef PP_LOG_QUEUE_H
#define PP_LOG_QUEUE_H

#include "pp/base/log.h"

struct pp_log_queue {
	struct pp_log log;	/* first: what is written to */
	struct pp_queued_message {
		enum pp_log_level level;
		char *text;
	} *messages;
	size_t nr;
	int lost;		/* there was no memory to keep all of them */
};

/* Takes messages of the levels that @to takes. */
void pp_log_queue_init(struct pp_log_queue *queue, const struct pp_log *to);
/* Writes all messages to @to, which has the reason of a failure then too, and forgets them. */
void pp_log_queue_flush(struct pp_log_queue *queue, struct pp_log *to);
/* Forgets them. Takes a zeroed struct. */
void pp_log_queue_release(struct pp_log_queue *queue);

#endif
