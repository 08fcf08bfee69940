// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * id_ranges.c -- parser of subordinate user ids: lines "NAME:FIRST:NUMBER" of /etc/subuid.
 */
#include "config.h"
#include "libop/base/id_ranges.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/grow.h"

#define MAX_RANGES	65536

/* Parse a decimal number that ends at a ':' or at the end of the text, and advance *@at past the
 * ':'. Return -1 if the text is not a valid number. */
static int parse_number(char **at, uint32_t *ret)
{
	unsigned long long n;
	char *end;

	if (**at < '0' || **at > '9')
		return -1;
	errno = 0;
	n = strtoull(*at, &end, 10);
	if (errno || n > UINT32_MAX || (*end && *end != ':'))
		return -1;
	*at = end + (*end == ':');
	*ret = n;
	return 0;
}

static int add_line(struct op_id_ranges *r, char *line)
{
	char *at = line + strcspn(line, ":");
	struct op_id_range range;

	if (*at++ != ':' || parse_number(&at, &range.first) || parse_number(&at, &range.nr) ||
	    *at || !range.first)
		return 0;
	if (op_grow(&r->items, r->nr))
		return -ENOMEM;
	r->items[r->nr++] = range;
	return 0;
}

int op_id_ranges_read(struct op_id_ranges *r, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	while (f && !err && r->nr < MAX_RANGES && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		err = add_line(r, line);
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}

void op_id_ranges_release(struct op_id_ranges *r)
{
	free(r->items);
	*r = (struct op_id_ranges){ 0 };
}

uint32_t op_id_ranges_payer(const struct op_id_ranges *r, uint32_t uid)
{
	for (size_t i = 0; i < r->nr; i++)
		if (uid >= r->items[i].first && uid - r->items[i].first < r->items[i].nr)
			return r->items[i].first;
	return uid;
}

int op_id_ranges_payer_of(const struct op_id_ranges *r, const char *proc_dir, int32_t tgid,
			  uint32_t *ret)
{
	/* the ids follow the name, which has at most 64 bytes, and a few numbers */
	char path[64], text[1024], *ids;
	unsigned int uid;
	ssize_t len;
	int fd;

	/* The daemon calls this function for each request to the finder, so use neither a stream
	 * nor memory of the heap. */
	snprintf(path, sizeof(path), "%s/%" PRId32 "/status", proc_dir, tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ENOENT;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	ids = strncmp(text, "Uid:", 4) ? strstr(text, "\nUid:") : text;
	if (!ids || sscanf(ids, " Uid: %u", &uid) != 1)
		return -ENOENT;
	*ret = op_id_ranges_payer(r, uid);
	return 0;
}
