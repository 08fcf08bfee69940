// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c -- adds sources to a session, looks up pairs of program and binary, and releases a
 * session. */
#include "config.h"
#include "pp/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"
#include "pp/session/range.h"

/* Compare two pairs by session, binary and program. */
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

static void apart_release(struct pp_apart *apart)
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

int pp_session_add_source(struct pp_session *session, struct pp_source *source)
{
	size_t nr = session->nr_samples_dirs;
	char *dir = strdup(source->path);

	if (!dir || op_grow(&session->samples_dirs, nr) || op_grow(&session->sources, nr) ||
	    op_grow(&session->about, nr) || op_grow(&session->task_names, nr)) {
		free(dir);
		return -ENOMEM;
	}
	session->about[nr] = (struct op_session_about){ 0 };
	session->task_names[nr] = (struct op_task_names){ 0 };
	session->sources[nr] = source;
	session->samples_dirs[session->nr_samples_dirs++] = dir;
	return 0;
}

char *pp_session_name(const char *samples_dir)
{
	char *whole = realpath(samples_dir, NULL), *slash = whole ? strrchr(whole, '/') : NULL;
	char *name = slash ? strdup(slash + 1) : NULL;

	free(whole);
	return name;
}

bool pp_session_has_trees(const struct pp_session *session, size_t samples_dir)
{
	for (size_t i = 0; i < session->files.nr_trees; i++)
		if (session->files.trees[i].session == samples_dir)
			return true;
	return false;
}

static void release_path_images(struct pp_session *session)
{
	for (size_t i = 0; session->path_images && i < session->nr_samples_dirs; i++) {
		op_path_images_release(&session->path_images[i].list);
		free(session->path_images[i].titles);
		free(session->path_images[i].path);
	}
	free(session->path_images);
}

void pp_session_close(struct pp_session *session)
{
	if (!session)
		return;
	op_session_stats_release(&session->stats);
	op_session_stats_release(&session->beside);
	pp_classes_release(&session->classes);
	release_path_images(session);
	apart_release(&session->apart);
	pp_range_close(session->range);
	pp_files_release(&session->files);
	for (size_t i = 0; i < session->nr_samples_dirs; i++) {
		op_task_names_release(&session->task_names[i]);
		pp_source_close(session->sources[i]);
		free(session->samples_dirs[i]);
	}
	free(session->sources);
	free(session->task_names);
	free(session->samples_dirs);
	free(session->about);
	free(session->columns);
	pp_scratch_release(&session->unpacked);
	free(session->archive);
	free(session->dir);
	free(session);
}
