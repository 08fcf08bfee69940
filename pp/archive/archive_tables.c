// SPDX-License-Identifier: GPL-2.0-or-later
/* archive_tables.c -- the symbol tables of the builds that have samples. */
#include "config.h"
#include "pp/archive/archive_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/session/build_ids.h"
#include "libop/session/sample_header.h"
#include "pp/archive/archive_samples.h"
#include "pp/archive/copy.h"
#include "pp/archive/places.h"
#include "pp/image/build.h"

struct tables {
	struct pp_archive_job *job;
	int out;
	struct op_build_ids ids;
};

static int copy_table(struct tables *t, const char *samples_dir, const char *name)
{
	struct pp_archive_job *job = t->job;
	char *from, to[PATH_MAX];
	int fd = pp_build_open_table(samples_dir, name, &from), there, err = 0;

	if (fd < 0)
		return fd;
	snprintf(to, sizeof(to), PP_ARCHIVE_SESSION_DIR "/samples/" OP_TABLES_DIR "/%s",
		 strrchr(from, '/') + 1);
	there = t->out < 0 ? -1 : pp_open_below(t->out, to);
	if (t->out < 0)
		pp_archive_list(job, from);
	else if (there < 0)
		err = pp_copy_file(fd, t->out, to, 0644);
	if (there >= 0)
		close(there);
	close(fd);
	if (err) {
		job->nr_failed++;
		pp_error(job->log, "cannot archive %s: %s", from, strerror(-err));
	}
	free(from);
	return 0;
}

static int try_table(void *arg, const char *name)
{
	struct tables *t = arg;
	const struct pp_session *session = t->job->session;
	int err = -ENOENT;

	for (size_t i = 0; i < session->nr_samples_dirs && err && err != -ENOMEM; i++)
		err = copy_table(t, session->samples_dirs[i], name);
	return err;
}

int pp_archive_read_header(const struct pp_sample_file *file, struct op_sample_header *ret)
{
	int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int ok = fd >= 0 && pread(fd, ret, sizeof(*ret), 0) == sizeof(*ret) &&
		 !op_sample_header_check(ret);

	if (fd >= 0)
		close(fd);
	return ok ? 0 : -ENOENT;
}

static int archive_table(struct tables *t, const struct pp_sample_file *file,
			 struct pp_build_wanted *last)
{
	struct op_sample_header header;
	struct pp_build_wanted wanted;

	if (file->name.image.kind != OP_IMAGE_ROOT || pp_archive_read_header(file, &header) ||
	    !header.build)
		return 0;
	wanted = (struct pp_build_wanted){
		.path = file->name.image.path,
		.identity = { header.build, header.owner },
		.mtime = header.mtime,
	};
	/* Files are sorted by image, so most have the same build as the previous one. */
	if (last->path && !strcmp(last->path, wanted.path) && last->mtime == wanted.mtime &&
	    last->identity.build == wanted.identity.build)
		return 0;
	*last = wanted;
	return pp_build_each_table(&wanted, &t->ids, try_table, t) == -ENOMEM ? -ENOMEM : 0;
}

/* Archive the tables of images that call paths use. */
static int archive_path_tables(struct tables *t, const struct op_path_images *images,
			       const bool *leads)
{
	int err = 0;

	for (size_t i = 0; i < images->nr && err != -ENOMEM; i++) {
		const struct op_path_image *image = &images->images[i];
		const struct pp_build_wanted wanted = {
			.path = image->name.path,
			.identity = image->identity,
			.mtime = image->mtime,
		};

		if ((!leads || leads[i]) && image->name.path && image->name.kind == OP_IMAGE_ROOT &&
		    image->identity.build)
			err = pp_build_each_table(&wanted, &t->ids, try_table, t);
	}
	return err == -ENOMEM ? err : 0;
}

int pp_archive_tables(struct pp_archive_job *job, int out)
{
	const struct pp_session *session = job->session;
	struct tables t = { .job = job, .out = out };
	struct pp_build_wanted last = { 0 };
	int err = 0;

	for (size_t i = 0; i < session->nr_samples_dirs && err != -ENOMEM; i++) {
		int dirfd = open(session->samples_dirs[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		err = dirfd < 0 ? 0 : op_build_ids_read(&t.ids, dirfd);
		if (dirfd >= 0)
			close(dirfd);
	}
	err = err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < session->files.nr && !err; i++)
		err = archive_table(&t, &session->files.items[i], &last);
	for (size_t s = 0; s < session->nr_samples_dirs && !err; s++)
		err = archive_path_tables(&t, &session->path_images[s].list,
					  job->leads ? job->leads[s] : NULL);
	op_build_ids_release(&t.ids);
	return err;
}
