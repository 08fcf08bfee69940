// SPDX-License-Identifier: GPL-2.0-or-later
/* list.c -- lists of CPUs in the format of sysfs. */
#include "config.h"
#include "libop/cpu/list.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

int op_cpu_list_parse(bool set[OP_MAX_CPUS], const char *text)
{
	const char *p = text;

	memset(set, 0, OP_MAX_CPUS * sizeof(set[0]));
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
		if (last < first || last >= OP_MAX_CPUS)
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

/* Remove the CPUs that are listed in the file @file of @sysfs from @wanted. A missing file
 * counts as an empty list. */
static void exclude_cpus(bool wanted[OP_MAX_CPUS], const char *sysfs, const char *file)
{
	char path[256], text[4096];
	bool listed[OP_MAX_CPUS];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", sysfs, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* nohz_full contains "(null)" if the machine has no nohz_full CPUs. */
	if (op_cpu_list_parse(listed, text))
		return;
	for (size_t i = 0; i < OP_MAX_CPUS; i++)
		if (listed[i])
			wanted[i] = false;
}

int op_cpus_select(bool wanted[OP_MAX_CPUS], const char *list, const char *sysfs)
{
	bool is_auto = !strcmp(list, "auto");

	if (!is_auto && strcmp(list, "all"))
		return *list ? op_cpu_list_parse(wanted, list) : -EINVAL;
	for (size_t i = 0; i < OP_MAX_CPUS; i++)
		wanted[i] = true;
	if (is_auto) {
		exclude_cpus(wanted, sysfs, "isolated");
		exclude_cpus(wanted, sysfs, "nohz_full");
	}
	return 0;
}

int op_online_cpus_open(struct op_online_cpus *o)
{
	o->last[0] = '\0';
	o->fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	return o->fd < 0 ? -errno : 0;
}

void op_online_cpus_close(struct op_online_cpus *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

void op_online_cpus_forget(struct op_online_cpus *o)
{
	o->last[0] = '\0';
}

int op_online_cpus_changed(struct op_online_cpus *o, bool set[OP_MAX_CPUS])
{
	char text[sizeof(o->last)];
	ssize_t n = pread(o->fd, text, sizeof(text) - 1, 0);
	int err;

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (!strcmp(text, o->last))
		return 0;
	err = op_cpu_list_parse(set, text);
	if (err)
		return err;
	memcpy(o->last, text, (size_t)n + 1);
	return 1;
}
