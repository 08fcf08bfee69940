// SPDX-License-Identifier: GPL-2.0-or-later
/* cpu_list.c -- lists of CPUs as sysfs writes them. */
#include <config.h>
#include "daemon/cpu_list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int opd_cpu_list_parse(bool set[OPD_MAX_CPUS], const char *text)
{
	const char *p = text;

	memset(set, 0, OPD_MAX_CPUS * sizeof(set[0]));
	while (*p && *p != '\n') {
		unsigned long first, last;
		char *end;

		if (*p < '0' || *p > '9')
			return -EINVAL;
		first = last = strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			if (*p < '0' || *p > '9')
				return -EINVAL;
			last = strtoul(p, &end, 10);
		}
		if (last < first || last >= OPD_MAX_CPUS)
			return -EINVAL;
		for (unsigned long i = first; i <= last; i++)
			set[i] = true;
		p = end;
		if (*p == ',')
			p++;
		else if (*p && *p != '\n')
			return -EINVAL;
	}
	return 0;
}

int opd_cpu_list_online(bool set[OPD_MAX_CPUS])
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	char *line = NULL;
	size_t cap = 0;
	int err;

	if (!f)
		return -errno;
	err = getline(&line, &cap, f) > 0 ? opd_cpu_list_parse(set, line) : -EINVAL;
	free(line);
	fclose(f);
	return err;
}
