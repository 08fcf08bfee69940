// SPDX-License-Identifier: GPL-2.0-or-later
/* gaps.c -- reads and writes the file that lists a session's times without samples (gaps). */
#include "config.h"
#include "intervals/gaps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "libop/base/grow.h"

#define MAX_FILE	(1u << 20)

int itv_gaps_append(int samples_dirfd, int64_t from_ns, int64_t to_ns, const char *reason)
{
	char line[200];
	int len = snprintf(line, sizeof(line), "%" PRId64 " %" PRId64 " %.100s\n", from_ns, to_ns,
			   reason);
	int fd = openat(samples_dirfd, ITV_GAPS_FILE,
			O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
	int err;

	if (fd < 0)
		return -errno;
	err = op_write_all(fd, line, (size_t)len);
	close(fd);
	return err;
}

static int compare_gaps(const void *a, const void *b)
{
	const struct itv_gap *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

static int add_gap(struct itv_accounting *a, char *line)
{
	struct itv_gap gap;
	int at = 0;

	if (sscanf(line, "%" SCNd64 " %" SCNd64 " %n", &gap.from_ns, &gap.to_ns, &at) != 2 || !at ||
	    gap.from_ns >= gap.to_ns || !line[at])
		return 0;
	if (op_grow(&a->gaps, a->nr_gaps))
		return -ENOMEM;
	gap.reason = strdup(line + at);
	if (!gap.reason)
		return -ENOMEM;
	a->gaps[a->nr_gaps++] = gap;
	return 0;
}

/* Remove overlaps of gaps: if a gap begins before the end of the gap before it, move its start to
 * this end. */
static void separate(struct itv_accounting *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->nr_gaps; i++) {
		struct itv_gap *gap = &a->gaps[i];

		if (kept && gap->from_ns < a->gaps[kept - 1].to_ns)
			gap->from_ns = a->gaps[kept - 1].to_ns;
		if (gap->from_ns < gap->to_ns)
			a->gaps[kept++] = *gap;
		else
			free(gap->reason);
	}
	a->nr_gaps = kept;
}

int itv_gaps_read(struct itv_accounting *a, int samples_dirfd)
{
	char *text, *line, *end;
	size_t len;
	int err = op_read_file(samples_dirfd, ITV_GAPS_FILE, MAX_FILE, &text, &len);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (line = text; !err && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		err = add_gap(a, line);
	}
	free(text);
	if (a->nr_gaps)
		qsort(a->gaps, a->nr_gaps, sizeof(*a->gaps), compare_gaps);
	separate(a);
	return err;
}
