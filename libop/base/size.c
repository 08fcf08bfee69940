// SPDX-License-Identifier: GPL-2.0-or-later
/* size.c -- parsing of a number of bytes with a unit. */
#include "config.h"
#include "libop/base/size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int op_size_parse(uint64_t *ret, const char *text)
{
	static const char units[] = "KMG";
	unsigned long long n;
	unsigned int shift = 0;
	const char *unit;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (*end) {
		unit = strchr(units, *end & ~0x20);
		if (!unit || end[1])
			return -EINVAL;
		shift = 10 * (unit - units + 1);
	}
	if (n > UINT64_MAX >> shift)
		return -ERANGE;
	*ret = n << shift;
	return 0;
}
