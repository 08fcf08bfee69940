// SPDX-License-Identifier: GPL-2.0-or-later
/* log_once.c -- suppression of repeated warnings and notes. */
#include "config.h"
#include "pp/base/log_once.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

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
	/* Out of memory, the message is repeated. */
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
