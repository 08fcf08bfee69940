// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_map.c -- parser for lines of "START SIZE NAME", with hexadecimal numbers, separated by
 * blanks or tabs. */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pp/image/jit.h"

#define MAX_CODE	(1ull << 30)	/* bytes of one function */

static int parse_hex(char **p, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**p))
		return -EINVAL;
	errno = 0;
	*ret = strtoull(*p, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return -EINVAL;
	*p = end + strspn(end, " \t");
	return 0;
}

/* Add the code of one line, which ends with a NUL. Return 0 or a negative errno. */
static int parse_line(struct pp_jit *jit, char *line)
{
	struct pp_jit_code code = { 0 };
	uint64_t size;

	line += strspn(line, " \t");
	if (parse_hex(&line, &code.start) || parse_hex(&line, &size) || !*line || size > MAX_CODE ||
	    code.start > UINT64_MAX - size)
		return -EINVAL;
	code.end = code.start + size;
	code.name = line;
	return pp_jit_add_code(jit, &code);
}

int pp_perf_map_parse(struct pp_jit *jit)
{
	char *line = jit->data, *end = jit->data + jit->size;
	size_t nr_bad = 0;

	while (line < end) {
		char *next = memchr(line, '\n', end - line);
		int err;

		if (!next)
			break;	/* still being written */
		*next = '\0';
		if (next > line && next[-1] == '\r')
			next[-1] = '\0';
		/* A NUL in the line only ends its name. */
		err = parse_line(jit, line);
		if (err == -ENOMEM)
			return err;
		nr_bad += !!err;
		line = next + 1;
	}
	return nr_bad && !jit->nr_codes ? -EINVAL : 0;
}
