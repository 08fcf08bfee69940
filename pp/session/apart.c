// SPDX-License-Identifier: GPL-2.0-or-later
/* apart.c -- pairs of program and binary in the names of sample files. */
#include "config.h"
#include "pp/session/apart.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_pairs(const void *a, const void *b)
{
	const struct pp_apart_pair *x = a, *y = b;
	int d = x->session < y->session ? -1 : x->session > y->session;

	if (!d)
		d = strcmp(x->image, y->image);
	return d ? d : strcmp(x->app, y->app);
}

int pp_apart_init(struct pp_apart *apart, const struct pp_files *files)
{
	size_t nr = 0;

	apart->pairs = calloc(files->nr + 1, sizeof(*apart->pairs));
	if (!apart->pairs)
		return -ENOMEM;
	for (size_t i = 0; i < files->nr; i++) {
		const struct pp_sample_file *file = &files->items[i];

		apart->pairs[nr++] = (struct pp_apart_pair){file->session, file->app, file->image};
	}
	if (nr)
		qsort(apart->pairs, nr, sizeof(*apart->pairs), compare_pairs);
	apart->nr = nr;
	return 0;
}

void pp_apart_release(struct pp_apart *apart)
{
	free(apart->pairs);
	*apart = (struct pp_apart){ 0 };
}

static bool has_pair(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image)
{
	const struct pp_apart_pair key = { session, app, image };

	return apart->nr && bsearch(&key, apart->pairs, apart->nr, sizeof(key), compare_pairs);
}

bool pp_apart_merged(const struct pp_apart *apart, size_t session, const char *app,
		     const char *image)
{
	return !has_pair(apart, session, app, image) && has_pair(apart, session, image, image);
}
