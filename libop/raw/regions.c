// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regions.c -- parser of the executable regions in /proc/PID/maps.
 */
#include "libop/raw/regions.h"

#include <errno.h>
#include <stdbool.h>

#include "libop/raw/num.h"

struct line {
	const char *at, *end;
	bool wrong;
};

static uint64_t number(struct line *l, unsigned int base)
{
	uint64_t n = 0;
	size_t len = raw_str2num(&n, l->at, l->end - l->at, base);

	l->wrong |= !len;
	l->at += len;
	return n;
}

static void expect(struct line *l, char c)
{
	if (l->at < l->end && *l->at == c)
		l->at++;
	else
		l->wrong = true;
}

/* Parse a line "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH". Set *@is_code to whether the
 * region is executable. */
static bool parse(struct raw_region *r, bool *is_code, const char *text, const char *end)
{
	struct line l = { text, end, false };

	r->start = number(&l, 16);
	expect(&l, '-');
	r->end = number(&l, 16);
	expect(&l, ' ');
	if (l.wrong || l.end - l.at < 5)
		return false;
	*is_code = l.at[2] == 'x';
	l.at += 4;
	expect(&l, ' ');
	r->offset = number(&l, 16);
	expect(&l, ' ');
	r->major = number(&l, 16);
	expect(&l, ':');
	r->minor = number(&l, 16);
	expect(&l, ' ');
	r->inode = number(&l, 10);
	while (l.at < l.end && *l.at == ' ')
		l.at++;
	r->path = l.at;
	r->path_len = l.end - l.at;
	return !l.wrong && r->start < r->end;
}

static const char *end_of_line(const char *at, const char *end)
{
	while (at < end && *at != '\n')
		at++;
	return at;
}

/* Parse the complete lines from @buf up to @end. Set *@rest to the start of the last line, which is
 * not complete. */
static long lines(const char *buf, const char *end, const char **rest, raw_region_fn each,
		  void *arg)
{
	struct raw_region region;
	const char *newline;
	bool is_code;
	long err;

	for (; (newline = end_of_line(buf, end)) < end; buf = newline + 1) {
		if (!parse(&region, &is_code, buf, newline))
			return -EINVAL;
		err = is_code ? each(arg, &region) : 0;
		if (err)
			return err;
	}
	*rest = buf;
	return 0;
}

long raw_regions_walk(char *buf, size_t len, raw_next_fn next, void *from, raw_region_fn each,
		      void *arg)
{
	const char *rest = buf;
	size_t have = 0;

	for (;;) {
		long got = next(from, buf + have, len - have), err;

		if (got < 0)
			return got;
		if (!got)
			return have ? -EINVAL : 0;
		err = lines(buf, buf + have + got, &rest, each, arg);
		if (err)
			return err;
		have = buf + have + got - rest;
		if (have == len)
			/* cannot happen: a line of /proc/PID/maps is shorter than the buffer */
			return -EINVAL;
		__builtin_memmove(buf, rest, have);
	}
}
