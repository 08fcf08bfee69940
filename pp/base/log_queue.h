/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log_queue.h -- a log that keeps messages until they are flushed, for work done by threads.
 */
#ifndef PP_LOG_QUEUE_H
#define PP_LOG_QUEUE_H

#include "pp/base/log.h"

struct pp_log_queue {
	struct pp_log log;	/* first: callers write to this log */
	struct pp_queued_message {
		enum pp_log_level level;
		char *text;
	} *messages;
	size_t nr;
	int lost;		/* messages were discarded, out of memory */
};

/* Keep messages of the levels that @to accepts. */
void pp_log_queue_init(struct pp_log_queue *queue, const struct pp_log *to);
/* Write all messages and the reason of a failure to @to, and empty the queue. */
void pp_log_queue_flush(struct pp_log_queue *queue, struct pp_log *to);
/* Discard all messages. @queue may be all zero. */
void pp_log_queue_release(struct pp_log_queue *queue);

#endif
