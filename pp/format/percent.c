// SPDX-License-Identifier: GPL-2.0-or-later
/* percent.c -- fixed width whatever the value. */
#include "config.h"
#include "pp/format/percent.h"

#include <stdio.h>
#include <string.h>

void pp_percent(char buf[PP_PERCENT_WIDTH + 1], uint64_t part, uint64_t total)
{
	double percent = total ? 100.0 * part / total : 0;
	char text[32];

	if (!part || !total)
		snprintf(text, sizeof(text), "%*d", PP_PERCENT_WIDTH, 0);
	else if (part == total)
		snprintf(text, sizeof(text), "100.000");
	else if (percent >= 99.99995)	/* would be rounded up, but is not all */
		snprintf(text, sizeof(text), "99.9999");
	else if (percent < 0.001)
		snprintf(text, sizeof(text), "%*.1e", PP_PERCENT_WIDTH, percent);
	else
		snprintf(text, sizeof(text), "%*.4f", PP_PERCENT_WIDTH, percent);
	memcpy(buf, text, PP_PERCENT_WIDTH);
	buf[PP_PERCENT_WIDTH] = '\0';
}
