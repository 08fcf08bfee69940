// SPDX-License-Identifier: GPL-2.0-or-later
/* fit.c -- makes names safe for a terminal, and cuts them to a number of columns. */
#include "config.h"
#include "pp/top/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "libop/base/clean.h"
#include "pp/format/clip.h"

#define MAX_COLUMNS	(PP_CLIP_MAX / 4)

unsigned int pp_top_fit(char buf[PP_TOP_FIT_MAX], const char *text, unsigned int columns)
{
	char clean[PP_TOP_FIT_MAX], clipped[PP_CLIP_MAX];
	FILE *f = fmemopen(clean, sizeof(clean), "w");
	unsigned int used = 0;
	mbstate_t state = { 0 };
	const char *from;
	size_t len = 0;

	*buf = *clean = '\0';
	if (!f)
		return 0;
	op_put_clean(f, text, strnlen(text, sizeof(clean) - 1));
	fclose(f);
	clean[sizeof(clean) - 1] = '\0';
	if (columns > MAX_COLUMNS)
		columns = MAX_COLUMNS;
	from = columns >= 2 && MB_CUR_MAX > 1 ? pp_clip_name(clipped, clean, columns) : clean;
	while (*from) {
		wchar_t wide;
		size_t n = mbrtowc(&wide, from, strlen(from), &state);
		int width = n && n < (size_t)-2 ? wcwidth(wide) : -1;

		/* the locale of the terminal does not have the character */
		if (width < 0) {
			state = (mbstate_t){ 0 };
			n = 1;
			width = 1;
		}
		if (used + width > columns)
			break;
		if (n == 1 && (unsigned char)*from >= 0x80)
			buf[len++] = '?';
		else
			for (size_t i = 0; i < n; i++)
				buf[len++] = from[i];
		from += n;
		used += width;
	}
	buf[len] = '\0';
	return used;
}
