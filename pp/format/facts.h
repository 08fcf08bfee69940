/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.h -- what stands above a report, for formats that are not text: CPU, events, losses.
 */
#ifndef PP_FORMAT_FACTS_H
#define PP_FORMAT_FACTS_H

#include <stdbool.h>

#include "pp/format/format.h"
#include "libop/base/json.h"

/* Members "sessions", "profiled" and "losses" of the object that is open. */
void pp_facts_json_session(struct op_json *json, const struct pp_session *session);
/* These of the report's session, and "command" and "cpu". */
void pp_facts_json(struct op_json *json, const struct pp_report *report);

/* Return whether the session took samples. If it only counted calls of programs, its numbers of
 * lost samples mean nothing. */
bool pp_facts_has_losses(const struct pp_session *session);

/* The text format's header, without columns: lines for people, malloc'd. NULL: out of memory. */
char *pp_facts_text(const struct pp_report *report);

#endif
