/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h -- the header of a report in other formats than text: CPU, events, losses.
 */
#ifndef PP_FORMAT_FACTS_H
#define PP_FORMAT_FACTS_H

#include <stdbool.h>

#include "pp/format/format.h"
#include "libop/base/json.h"

struct pp_range;

/* Write the member "range": the requested periods, the time that the intervals cover, the number of
 * intervals by length, and the gaps between intervals. */
void pp_facts_json_range(struct op_json *json, const struct pp_range *range);
/* Return the name of a length of intervals (intervals/store.h): "interval", "hour", "day" or
 * "month". */
const char *pp_facts_step(unsigned int step);
/* Return the end of the last interval, in seconds since 1970. */
int64_t pp_facts_range_end(const struct pp_range *range);

/* Write the members "range", "sessions", "profiled" and "losses" into the open JSON object. */
void pp_facts_json_session(struct op_json *json, const struct pp_session *session);
/* Write the members of pp_facts_json_session() for the report's session, and the members "command"
 * and "cpu". */
void pp_facts_json(struct op_json *json, const struct pp_report *report);

/* Return whether the session took samples. If it only counted calls, numbers of lost samples are
 * meaningless. */
bool pp_facts_has_losses(const struct pp_session *session);

/* Return the header of a text report without column heads, malloc'd, or NULL if out of memory. */
char *pp_facts_text(const struct pp_report *report);

#endif
