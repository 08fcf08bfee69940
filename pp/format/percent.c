// SPDX-License-Identifier: GPL-2.0-or-later
/* percent.c -- fixed width whatever the value. */
#include "config.h"
#include "pp/format/percent.h"

#include <stdio.h>
#include <string.h>

/* "12.3456" from 123456, without the generality of printf: reports have millions of these. */
static void put_fixed(char *buf, uint32_t ten_thousandths)
{
	for (int i = PP_PERCENT_WIDTH - 1; i >= 0; i--) {
		if (i == 2) {
			buf[i] = '.';
			continue;
		}
		buf[i] = i == 0 && !ten_thousandths ? ' ' : '0' + ten_thousandths % 10;
		ten_thousandths /= 10;
	}
}

void pp_percent(char buf[PP_PERCENT_WIDTH + 1], uint64_t part, uint64_t total)
{
	unsigned __int128 scaled = (unsigned __int128)part * 1000000;
	uint64_t rounded, rest;
	char text[32];

	buf[PP_PERCENT_WIDTH] = '\0';
	if (!part || !total) {
		memcpy(buf, "      0", PP_PERCENT_WIDTH);
		return;
	}
	if (part >= total) {
		memcpy(buf, "100.000", PP_PERCENT_WIDTH);
		return;
	}
	if (scaled < (unsigned __int128)total * 10) {	/* below 0.001 */
		snprintf(text, sizeof(text), "%*.1e", PP_PERCENT_WIDTH, 100.0 * part / total);
		memcpy(buf, text, PP_PERCENT_WIDTH);
		return;
	}
	rounded = scaled / total;
	rest = scaled % total;
	if (rest > total - rest || (rest == total - rest && (rounded & 1)))
		rounded++;
	/* What would be rounded up to all is not all. */
	put_fixed(buf, rounded > 999999 ? 999999 : rounded);
}
