// SPDX-License-Identifier: GPL-2.0-or-later
/* short_titles.c -- finds titles of programs and binaries whose last path components are equal. */
#include "config.h"
#include "pp/profile/short_titles.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/search.h"
#include "pp/session/tasks.h"

const char *pp_short_name(const char *title)
{
	const char *slash = memrchr(title, '/', pp_task_path_len(title));

	return slash && slash[1] ? slash + 1 : title;
}

struct ending {
	const char *title;
	size_t length;
};

/* Return the character of the title at distance @i from the end, or -1 before the beginning. Return
 * '/' as 0, so that titles with equal last components are adjacent after sorting. */
static int from_end(const struct ending *e, size_t i)
{
	if (i >= e->length)
		return -1;
	return e->title[e->length - 1 - i] == '/' ? 0 : (unsigned char)e->title[e->length - 1 - i];
}

static size_t common_end(const struct ending *a, const struct ending *b)
{
	size_t n = 0;

	while (n < a->length && n < b->length && from_end(a, n) == from_end(b, n))
		n++;
	return n;
}

static int compare_endings(const void *a, const void *b)
{
	const struct ending *x = a, *y = b;
	size_t n = common_end(x, y);

	return from_end(x, n) - from_end(y, n);
}

/* Return whether the last @n characters of the title are whole path components. */
static bool is_part(const struct ending *e, size_t n)
{
	return from_end(e, n) <= 0;
}

/* Return the number of characters in the last path components that two different titles share. */
static size_t common_parts(const struct ending *a, const struct ending *b)
{
	size_t n = common_end(a, b);

	while (n && !(is_part(a, n) && is_part(b, n)))
		n--;
	return n;
}

/* Return the end of the title: the last @n characters, which another title also has, and one more
 * path component. */
static const char *longer(const struct ending *e, size_t n)
{
	n++;	/* skip the slash before the last @n characters */
	while (!is_part(e, n))
		n++;
	return n < e->length ? e->title + e->length - n : e->title;
}

static size_t drop_twins(struct ending *endings, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (!kept || strcmp(endings[kept - 1].title, endings[i].title))
			endings[kept++] = endings[i];
	return kept;
}

static int compare_titles(const void *a, const void *b)
{
	return strcmp(((const struct pp_short_title *)a)->title,
		      ((const struct pp_short_title *)b)->title);
}

static void find(struct pp_profile *profile, const struct ending *endings, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t before = i ? common_parts(&endings[i], &endings[i - 1]) : 0;
		size_t behind = i + 1 < nr ? common_parts(&endings[i], &endings[i + 1]) : 0;
		size_t common = before > behind ? before : behind;

		if (common)
			profile->short_titles[profile->nr_short_titles++] = (struct pp_short_title){
				endings[i].title, longer(&endings[i], common)};
	}
	if (profile->nr_short_titles)
		qsort(profile->short_titles, profile->nr_short_titles,
		      sizeof(*profile->short_titles), compare_titles);
}

int pp_short_titles_find(struct pp_profile *profile)
{
	size_t nr = 0, max = profile->nr_binaries + profile->nr_apps;
	struct ending *endings = calloc(max + 1, sizeof(*endings));

	profile->short_titles = calloc(max + 1, sizeof(*profile->short_titles));
	if (!endings || !profile->short_titles) {
		free(endings);
		return -ENOMEM;
	}
	for (size_t i = 0; i < profile->nr_binaries; i++)
		endings[nr++].title = profile->binaries[i].title;
	for (size_t i = 0; i < profile->nr_apps; i++)
		endings[nr++].title = profile->apps[i].app;
	for (size_t i = 0; i < nr; i++)
		endings[i].length = strlen(endings[i].title);
	qsort(endings, nr, sizeof(*endings), compare_endings);
	find(profile, endings, drop_twins(endings, nr));
	free(endings);
	return 0;
}

const char *pp_short_title(const struct pp_profile *profile, const char *title)
{
	const struct pp_short_title *all = profile->short_titles;
	size_t at =
		op_partition_point(i, profile->nr_short_titles, strcmp(all[i].title, title) < 0);

	return at < profile->nr_short_titles && !strcmp(all[at].title, title)
		       ? all[at].shown
		       : pp_short_name(title);
}
