// SPDX-License-Identifier: GPL-2.0-or-later
/* log.c -- formatting of messages for the tool. */
#include "config.h"
#include "pp/base/log.h"

#include <stdarg.h>
#include <stdlib.h>

#include "libop/base/clean.h"

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
