/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pp_log.h -- a log for tests, which stores the last message and the number of messages. */
#ifndef TESTS_UNIT_PP_LOG_H
#define TESTS_UNIT_PP_LOG_H

#include <stdio.h>
#include <string.h>

#include "pp/base/log.h"

struct check_log {
	/* must be the first member, because write() casts the pointer to this member */
	struct pp_log log;
	char last[4096];
	int nr[PP_LOG_VERBOSE + 1];
};

static inline void check_log_write(struct pp_log *log, enum pp_log_level level, const char *text)
{
	struct check_log *check = (struct check_log *)log;

	snprintf(check->last, sizeof(check->last), "%s", text);
	check->nr[level]++;
}

static inline struct check_log check_log(void)
{
	return (struct check_log){ .log = { .write = check_log_write } };
}

#define assert_said(check, text) assert_non_null(strstr((check)->last, text))

/* Check that the error message contains @words. */
#define assert_failed_with(check, words) assert_non_null(strstr((check)->log.error.text, words))

#endif
