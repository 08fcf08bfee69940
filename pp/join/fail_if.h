/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fail_if.h -- conditions on the changes in a differential profile, for the exit status of a check:
 * "symbol:NAME|GLOB > 5%".
 *
 * A condition is met if the whole confidence interval of a line's change is beyond the limit. The
 * certainty applies to all examined lines together: two equal profiles meet a condition with a
 * limit of 0 or more in at most 1 of 100 comparisons, however many lines match.
 */
#ifndef PP_JOIN_FAIL_IF_H
#define PP_JOIN_FAIL_IF_H

#include <stdbool.h>

#include "pp/join/certainty.h"
#include "pp/session/spec.h"

enum pp_fail_kind { PP_FAIL_SYMBOL, PP_FAIL_IMAGE, PP_FAIL_PROGRAM, PP_FAIL_TOTAL };

struct pp_fail_if {
	char *text;			/* text of the condition as the user wrote it */
	enum pp_fail_kind kind;
	struct pp_values globs;		/* names of the lines to examine; empty for the total */
	bool is_less;			/* the operator is '<'; false: '>' */
	double percent;			/* the limit of the condition, in percent */
};

/* Parse a condition. Return 0, -ENOMEM, or -EINVAL with the cause in the log. The caller releases
 * *@ret. */
int pp_fail_if_parse(struct pp_fail_if *ret, const char *text, struct pp_log *log);
/* Free the contents of @condition, which may be zeroed. */
void pp_fail_if_release(struct pp_fail_if *condition);

/* Check @diff, from which no lines have been removed. Log a warning for each line that meets the
 * condition, and set *@met to whether there are any. Return 0, -ENOMEM, or -ENOENT with the cause
 * in the log if the condition matches no line. */
int pp_fail_if_check(bool *met, const struct pp_fail_if *condition, const struct pp_profile *diff,
		     double percent, struct pp_log *log);

#endif
