// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live.c -- a .csp.live file as a source of samples. Such a file belongs to a program that is
 * running or was killed.
 *
 * The program may truncate the file at any time, so the file is copied first. The copy is converted
 * to a .csp file in memory.
 */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/raw/live_to_csp.h"
#include "libop/base/copy.h"
#include "pp/source/memory.h"

struct text {
	unsigned char *bytes;
	size_t size, room;
};

static int append(void *arg, const void *buf, size_t len)
{
	struct text *text = arg;

	if (text->size + len > text->room) {
		size_t room = 2 * text->room + len;
		unsigned char *more = realloc(text->bytes, room);

		if (!more)
			return -ENOMEM;
		text->bytes = more;
		text->room = room;
	}
	memcpy(text->bytes + text->size, buf, len);
	text->size += len;
	return 0;
}

/* Convert the copy of a .csp.live file to the contents of a .csp file. @has_ended: the program no
 * longer adds samples to the file. */
static int to_csp(const struct op_copy *copy, bool has_ended, struct text *text,
		  struct raw_live_sums *sums)
{
	struct raw_csp_out *out = malloc(sizeof(*out));
	struct raw_live live = { .has_ended = has_ended };
	int nr = raw_live_count(copy->bytes, copy->size), err = nr < 0 ? nr : 0;

	if (!err) {
		live.nr_arenas = nr;
		live.arenas = calloc(nr, sizeof(*live.arenas));
		if (!live.arenas || !out)
			err = -ENOMEM;
	}
	if (!err)
		err = raw_live_open(&live, copy->bytes, copy->size);
	if (!err) {
		raw_csp_begin(out, append, text);
		err = raw_live_to_csp(&live, out, 0, sums);
	}
	free(live.arenas);
	free(out);
	return err;
}

/*
 * Set *@damaged if @sums has more samples than the program counted as taken. A running program
 * takes further samples while its file is copied. So read the number of samples taken from a
 * second, later copy of the file.
 */
static int compare_taken(int fd, const struct raw_live_sums *sums, bool *damaged)
{
	struct raw_live_sums later = { 0 };
	struct text text = { 0 };
	struct op_copy copy;
	int err;

	if (sums->surplus <= RAW_LIVE_IN_FLIGHT)
		return 0;
	err = op_copy_make(&copy, fd);
	if (err)
		return err;
	err = to_csp(&copy, true, &text, &later);
	free(text.bytes);
	op_copy_release(&copy);
	*damaged = !err && (sums->samples.taken < sums->surplus ||
			    later.samples.taken < sums->samples.taken - RAW_LIVE_IN_FLIGHT);
	return err;
}

static int open_copy(struct pp_source **ret, const char *path, int fd, const struct op_copy *copy,
		     struct op_reason *error)
{
	struct raw_live_sums sums = { 0 };
	struct text text = { 0 };
	bool damaged = false;
	int err = to_csp(copy, false, &text, &sums);

	if (!err)
		err = compare_taken(fd, &sums, &damaged);
	if (damaged) {
		/* Convert the copy again as if the program had ended. This conversion does not
		 * adjust the number of samples taken to the sum of recorded and lost samples, so
		 * the reader of the .csp file reports the difference. */
		text.size = 0;
		err = to_csp(copy, true, &text, &sums);
	}
	if (err == -EUCLEAN)
		op_fail(error, err,
			"%s: was not written by opprobe, or is truncated before the first sample",
			path);
	if (!err)
		err = pp_csp_open_bytes(ret, path, text.bytes, text.size, error);
	/* Report damaged trees last: they may be the cause of the differing sums, too. */
	if (!err && sums.broken)
		op_fail(&(*ret)->broken, 0, "%s: %u damaged trees or lists of modules skipped",
			path, (unsigned int)sums.broken);
	free(text.bytes);
	return err;
}

int pp_live_open(struct pp_source **ret, const char *path, struct op_reason *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct op_copy copy;
	uid_t owner;

	if (fd < 0)
		return op_fail(error, -errno, "%s: %s", path, strerror(errno));
	err = op_copy_make(&copy, fd);
	owner = pp_source_owner(fd);
	if (err) {
		close(fd);
		return err == -ENOMEM ? err : op_fail(error, err, "%s: %s", path, strerror(-err));
	}
	err = open_copy(ret, path, fd, &copy, error);
	if (!err)
		(*ret)->owner = owner;
	op_copy_release(&copy);
	close(fd);
	return err;
}
