// SPDX-License-Identifier: GPL-2.0-or-later
/* session.c -- the parts of a session, and the functions that free them. */
#include "config.h"
#include "pp/session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/grow.h"

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
	pp_apart_release(&session->apart);
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
	free(session->archive);
	free(session->dir);
	free(session);
}
