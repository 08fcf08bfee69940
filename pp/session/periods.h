/* SPDX-License-Identifier: GPL-2.0-or-later */
/* periods.h -- parses the values of the tag "time:" as periods of time. */
#ifndef PP_SESSION_PERIODS_H
#define PP_SESSION_PERIODS_H

#include <stddef.h>

#include "libop/base/time_words.h"
#include "pp/base/log.h"
#include "pp/session/spec.h"

/* Parse values of the tag "time:" such as "yesterday" and "FROM..TO", and sort the periods by their
 * begin. @values has at least one value. The caller frees *@ret. If an hour without a day means an
 * hour of yesterday, log a note. Return 0, or a negative errno with the cause in @log. */
int pp_periods_parse(struct op_period **ret, size_t *ret_nr, const struct pp_values *values,
		     struct pp_log *log);

#endif
