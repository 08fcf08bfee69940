// SPDX-License-Identifier: GPL-2.0-or-later
/* log.c -- formatting of messages. */
#include "config.h"
#include "pp/base/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/grow.h"

static void log_va(struct pp_log *log, enum pp_log_level level, const char *fmt, va_list ap)
{
	char *text = op_clean_vformat(fmt, ap);

	if (!text) {
		log->write(log, level, "out of memory");
		return;
	}
	log->write(log, level, text);
	free(text);
}

void pp_error(struct pp_log *log, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_va(log, PP_LOG_ERROR, fmt, ap);
	va_end(ap);
}

void pp_warn(struct pp_log *log, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_va(log, PP_LOG_WARNING, fmt, ap);
	va_end(ap);
}

void pp_note(struct pp_log *log, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_va(log, PP_LOG_NOTE, fmt, ap);
	va_end(ap);
}

void pp_verbose(struct pp_log *log, const char *fmt, ...)
{
	va_list ap;

	if (!log->verbose)
		return;
	va_start(ap, fmt);
	log_va(log, PP_LOG_VERBOSE, fmt, ap);
	va_end(ap);
}

void pp_log_failure(struct pp_log *log, int err)
{
	log->write(log, PP_LOG_ERROR, op_reason_text(&log->error, err));
	*log->error.text = '\0';
}

void pp_progress(struct pp_log *log, size_t done, size_t of)
{
	if (log->progress)
		log->progress(log, done, of);
}

/* The following functions implement a log that keeps messages until pp_log_queue_flush(). */

static void queue_message(struct pp_log *log, enum pp_log_level level, const char *text)
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
	*queue = (struct pp_log_queue){ .log = { .verbose = to->verbose, .write = queue_message } };
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

/* The following functions implement a log that suppresses repeated warnings and notes. */

static bool was_reported(const struct pp_log_once *once, const char *text)
{
	for (size_t i = 0; i < once->nr; i++)
		if (!strcmp(once->reported[i], text))
			return true;
	return false;
}

static void pass_on(struct pp_log *log, enum pp_log_level level, const char *text)
{
	struct pp_log_once *once = (struct pp_log_once *)log;
	bool once_only = level == PP_LOG_WARNING || level == PP_LOG_NOTE;
	char *copy;

	if (once_only && was_reported(once, text))
		return;
	once->to->write(once->to, level, text);
	if (!once_only)
		return;
	/* If memory is short, the text is not remembered, so a repetition may be printed. */
	copy = strdup(text);
	if (copy && !op_grow(&once->reported, once->nr))
		once->reported[once->nr++] = copy;
	else
		free(copy);
}

static void progress(struct pp_log *log, size_t done, size_t of)
{
	pp_progress(((struct pp_log_once *)log)->to, done, of);
}

void pp_log_once_init(struct pp_log_once *once, struct pp_log *to)
{
	*once = (struct pp_log_once){
		.log = { .verbose = to->verbose, .write = pass_on, .progress = progress },
		.to = to,
	};
}

void pp_log_once_release(struct pp_log_once *once)
{
	if (*once->log.error.text)
		once->to->error = once->log.error;
	for (size_t i = 0; i < once->nr; i++)
		free(once->reported[i]);
	free(once->reported);
}
