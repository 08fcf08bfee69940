// SPDX-License-Identifier: GPL-2.0-or-later
/* log_queue.c -- a queue of messages. */
#include "config.h"
#include "pp/base/log_queue.h"

#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

static void keep(struct pp_log *log, enum pp_log_level level, const char *text)
{
	struct pp_log_queue *queue = (struct pp_log_queue *)log;
	char *copy = strdup(text);

	if (!copy || op_grow(&queue->messages, queue->nr)) {
		free(copy);
		queue->lost = 1;
		return;
	}
	queue->messages[queue->nr++] = (struct pp_queued_message){ .level = level, .text = copy };
}

void pp_log_queue_init(struct pp_log_queue *queue, const struct pp_log *to)
{
	*queue = (struct pp_log_queue){ .log = { .verbose = to->verbose, .write = keep } };
}

void pp_log_queue_flush(struct pp_log_queue *queue, struct pp_log *to)
{
	for (size_t i = 0; i < queue->nr; i++)
		to->write(to, queue->messages[i].level, queue->messages[i].text);
	if (*queue->log.error.text)
		to->error = queue->log.error;
	if (queue->lost)
		pp_warn(to, "out of memory: some messages were lost");
	pp_log_queue_release(queue);
}

void pp_log_queue_release(struct pp_log_queue *queue)
{
	for (size_t i = 0; i < queue->nr; i++)
		free(queue->messages[i].text);
	free(queue->messages);
	queue->messages = NULL;
	queue->nr = 0;
	queue->lost = 0;
}
