// SPDX-License-Identifier: GPL-2.0-or-later
/* archive.c -- binaries and debug files, each once. */
#include "config.h"
#include "pp/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/fs.h"
#include "pp/archive/archive_samples.h"
#include "pp/archive/copy.h"
#include "pp/image/debug_file.h"
#include "pp/image/elf.h"

static int is_copied(int fd, int out, const char *to)
{
	struct stat a, b;
	int there = pp_open_below(out, to);
	int same = there >= 0 && !fstat(fd, &a) && !fstat(there, &b) && S_ISREG(b.st_mode) &&
		   a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
		   a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;

	if (there >= 0)
		close(there);
	return same;
}

/* @from becomes @to below the archive. Goes on after failures; they are counted. */
static void archive_file(struct pp_archive_job *job, int out, const char *from, const char *to)
{
	struct stat st;
	int fd, err;

	if (out < 0) {
		pp_archive_list(job, from);
		return;
	}
	fd = pp_open_regular(from);
	err = fd < 0 ? fd : 0;
	if (!err && is_copied(fd, out, to))
		job->nr_same++;
	else if (!err)
		err = fstat(fd, &st) ? -errno : pp_copy_file(fd, out, to, st.st_mode & 0777);
	if (fd >= 0)
		close(fd);
	if (!err)
		return;
	job->nr_failed++;
	pp_error(job->log, "%s: cannot be archived as %s/%s: %s", from, job->output, to,
		 err == -ELOOP || err == -ENOTDIR ? "a symbolic link or a file is in the way" :
						    strerror(-err));
}

/* The build-id of the file at @path, malloc'd; NULL when there is none. */
static char *build_id_of(const char *path)
{
	char *id = NULL;
	struct pp_elf elf;
	int fd = pp_open_regular(path);

	if (fd < 0)
		return NULL;
	if (!pp_elf_read(&elf, fd)) {
		id = pp_elf_build_id(&elf);
		pp_elf_release(&elf);
	}
	close(fd);
	return id;
}

/* Where a debug file is looked for first, whatever place it was found in here. */
static char *debug_place(const char *path, const char *binary)
{
	const char *slash = strrchr(binary, '/'), *leaf = strrchr(path, '/');
	char *id = build_id_of(path), *place = NULL;
	int n;

	if (id)
		n = asprintf(&place, "%s/.build-id/%.2s/%s.debug", PP_DEBUG_DIR + 1, id, id + 2);
	else
		n = asprintf(&place, "%.*s/.debug/%s", (int)(slash ? slash - binary : 0), binary,
			     leaf ? leaf + 1 : path);
	free(id);
	return n < 0 ? NULL : place;
}

static int archive_debug(struct pp_archive_job *job, int out, const char *path, const char *binary)
{
	char *place = debug_place(path, binary + 1);

	if (!place)
		return pp_oom(job->log);
	job->nr_debug++;
	archive_file(job, out, path, place);
	free(place);
	return 0;
}

/* A place in the session itself is none for a binary: it could be a sample file of the archive. */
static int is_inside_session(const char *path)
{
	size_t n = strlen(PP_ARCHIVE_SESSION_DIR);

	return !strncmp(path + 1, PP_ARCHIVE_SESSION_DIR, n) &&
	       (path[1 + n] == '/' || !path[1 + n]);
}

static int archive_image(struct pp_archive_job *job, int out, const struct op_image_name *name)
{
	struct pp_image_info info = { 0 };
	struct pp_image *image;
	const char *place;
	int err = pp_image_open(&image, job->images, name, job->log);

	if (err)
		return err;
	pp_image_info(image, 1, &info);
	/* A file that is no ELF file is of no use to a report, and may be anybody's secret. */
	if (!info.path || !info.has_elf)
		goto done;
	place = name->kind == OP_IMAGE_ROOT		     ? name->path :
		!strncmp(info.path, job->root, strlen(job->root)) ? info.path + strlen(job->root) :
								    info.path;
	if (place[0] != '/' || is_inside_session(place)) {
		pp_warn(job->log, "%s: is left out: it cannot lie there in an archive", info.path);
		goto done;
	}
	job->nr_binaries++;
	archive_file(job, out, info.path, place + 1);
	if (info.symbols_path)
		err = archive_debug(job, out, info.symbols_path, place);
	if (!err && info.debug_path && strcmp(info.debug_path, info.path) &&
	    !(info.symbols_path && !strcmp(info.debug_path, info.symbols_path)))
		err = archive_debug(job, out, info.debug_path, place);
done:
	pp_image_close(image);
	return err;
}

/* Files are sorted by image. */
static int archive_images(struct pp_archive_job *job, int out)
{
	const struct pp_files *files = &job->session->files;
	int err = 0;

	for (size_t i = 0; i < files->nr && !err; i++) {
		pp_progress(job->log, i, files->nr);
		if (i && !strcmp(files->items[i].image, files->items[i - 1].image))
			continue;
		err = archive_image(job, out, &files->items[i].name.image);
	}
	return err;
}

/* An archive inside what it archives would never end. */
static int check_place(const struct pp_archive_job *job)
{
	char *out = realpath(job->output, NULL);
	int err = out ? 0 : pp_oom(job->log);

	for (size_t i = 0; i < job->session->nr_samples_dirs && !err; i++) {
		char *dir = realpath(job->session->samples_dirs[i], NULL);
		size_t n = dir ? strlen(dir) : 0;

		if (n && !strncmp(out, dir, n) && (out[n] == '/' || !out[n])) {
			pp_error(job->log, "%s: lies inside %s, which is to be archived",
				 job->output, dir);
			err = PP_ERR_TOLD;
		}
		free(dir);
	}
	free(out);
	return err;
}

static int open_output(const struct pp_archive_job *job, int *ret)
{
	if (mkdir(job->output, 0755) && errno != EEXIST) {
		pp_error(job->log, "%s: %s", job->output, strerror(errno));
		return PP_ERR_TOLD;
	}
	*ret = open(job->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0) {
		pp_error(job->log, "%s: %s", job->output, strerror(errno));
		return PP_ERR_TOLD;
	}
	return check_place(job);
}

int pp_archive(struct pp_archive_job *job)
{
	int out = -1, err = job->output ? open_output(job, &out) : 0;

	if (!err)
		err = pp_archive_samples(job, out);
	if (!err)
		err = archive_images(job, out);
	if (!err && job->nr_failed) {
		pp_error(job->log, "%zu file(s) are missing in the archive", job->nr_failed);
		err = PP_ERR_TOLD;
	}
	if (out >= 0)
		close(out);
	return err;
}
