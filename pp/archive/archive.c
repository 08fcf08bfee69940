// SPDX-License-Identifier: GPL-2.0-or-later
/* archive.c -- archives of sessions: copies of the binaries and their debug files. */
#include "config.h"
#include "pp/archive/archive.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/grow.h"
#include "libop/base/search.h"
#include "libop/session/build_ids.h"
#include "libop/session/sample_header.h"
#include "pp/annotate/reader.h"
#include "pp/archive/archive_samples.h"
#include "pp/archive/copy.h"
#include "pp/archive/places.h"
#include "pp/image/build.h"
#include "pp/image/debug_file.h"
#include "pp/image/elf.h"

/* State while the symbol tables that the daemon stored for the samples of a session are
 * archived. */
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

/* Read the header of a sample file or tree. Return 0, or -ENOENT if the header cannot be read. */
static int archive_read_header(const struct pp_sample_file *file, struct op_sample_header *ret)
{
	int fd = open(file->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool ok = fd >= 0 && pread(fd, ret, sizeof(*ret), 0) == sizeof(*ret) &&
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

	if (file->name.image.kind != OP_IMAGE_ROOT || archive_read_header(file, &header) ||
	    !header.build)
		return 0;
	wanted = (struct pp_build_wanted){
		.path = file->name.image.path,
		.identity = { header.build, header.owner },
		.mtime = header.mtime,
	};
	/* The files are sorted by image. If the previous file has the same build, the build's
	 * symbol table is in the archive already. */
	if (last->path && !strcmp(last->path, wanted.path) && last->mtime == wanted.mtime &&
	    last->identity.build == wanted.identity.build)
		return 0;
	*last = wanted;
	return pp_build_each_table(&wanted, &t->ids, try_table, t) == -ENOMEM ? -ENOMEM : 0;
}

/* Archive the symbol tables of images that occur only in call paths. */
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

/* Archive the symbol tables to the directory @out, or list their paths if @out is -1. Add files
 * that cannot be copied to job->nr_failed. Return 0 or -ENOMEM. */
static int archive_tables(struct pp_archive_job *job, int out)
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

static bool is_copied(int fd, int out, const char *to)
{
	struct stat a, b;
	int there = pp_open_below(out, to);
	bool same = there >= 0 && !fstat(fd, &a) && !fstat(there, &b) && S_ISREG(b.st_mode) &&
		   a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
		   a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;

	if (there >= 0)
		close(there);
	return same;
}

static void fail(struct pp_archive_job *job, const char *from, const char *to, int err)
{
	job->nr_failed++;
	pp_error(job->log, "cannot archive %s as %s/%s: %s", from, job->output, to,
		 err == -ELOOP || err == -ENOTDIR ? "a symbolic link or a file of that name exists" :
						    strerror(-err));
}

static int find_readers(struct pp_archive_job *job)
{
	for (size_t i = 0; i < job->session->nr_samples_dirs; i++) {
		const struct pp_source *source = job->session->sources[i];
		int err;

		if (!source->memory || source->owner == geteuid())
			continue;
		if (op_grow(&job->readers, job->nr_readers))
			return -ENOMEM;
		err = pp_reader_init(&job->readers[job->nr_readers], source->owner);
		if (err)
			return err;
		job->nr_readers++;
	}
	return 0;
}

static void release_readers(struct pp_archive_job *job)
{
	for (size_t i = 0; i < job->nr_readers; i++)
		pp_reader_release(&job->readers[i]);
	free(job->readers);
	job->readers = NULL;
	job->nr_readers = 0;
}

static bool could_be_read(const struct pp_archive_job *job, int fd)
{
	bool is_public;

	for (size_t i = 0; i < job->nr_readers; i++)
		if (pp_reader_check(&job->readers[i], fd, *job->root ? job->root : NULL,
				    &is_public))
			return false;
	return true;
}

/* Copy the open file @fd with the path @from to the path @to in the archive. Count a failure in
 * job->nr_failed. Return false if the file is skipped. */
static bool archive_open_file(struct pp_archive_job *job, int out, int fd, const char *from,
			      const char *to)
{
	struct stat st;
	int err;

	if (!could_be_read(job, fd)) {
		pp_warn(job->log,
			"%s: skipped: the owner of the sample file for this binary has no "
			"permission to read the binary",
			from);
		return false;
	}
	if (is_copied(fd, out, to)) {
		job->nr_same++;
		return true;
	}
	err = fstat(fd, &st) ? -errno : pp_copy_file(fd, out, to, st.st_mode & 0777);
	if (err)
		fail(job, from, to, err);
	return true;
}

/* Open @path if it is an ELF file. Reports need only ELF files, and another file may be a user's
 * secret. The caller uses only the returned descriptor, because the path may be replaced later.
 * Return the descriptor or a negative errno. */
static int open_elf(const char *path)
{
	int fd = pp_open_regular(path);
	char magic[SELFMAG];

	if (fd >= 0 && (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
			memcmp(magic, ELFMAG, SELFMAG))) {
		close(fd);
		fd = -ENOEXEC;
	}
	return fd;
}

/* Copy the binary that is open as @fd to the archive, or list the binary's path. Return false if
 * the file is skipped. */
static bool archive_file(struct pp_archive_job *job, int out, int fd, const char *from,
			 const char *to)
{
	if (out >= 0)
		return archive_open_file(job, out, fd, from, to);
	pp_archive_list(job, from);
	return true;
}

/* Archive the supplementary file of the debug file open as @fd. dwz moves data that several debug
 * files share into a supplementary file. */
static int archive_shared_debug(struct pp_archive_job *job, int out, int fd, const char *path)
{
	char *place, name[32], from[PATH_MAX] = "";
	int alt = -ENOENT, err = 0;
	struct pp_elf elf;
	ssize_t n;

	if (!pp_elf_read(&elf, fd)) {
		alt = pp_alt_file_open(&elf, path, job->root);
		pp_elf_release(&elf);
	}
	if (alt < 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", alt);
	n = readlink(name, from, sizeof(from) - 1);
	from[n < 0 ? 0 : n] = '\0';
	place = pp_archive_debug_place(alt, from, "");
	job->nr_debug++;
	if (!place)
		err = -ENOMEM;
	else
		archive_file(job, out, alt, from, place);
	free(place);
	close(alt);
	return err;
}

/* Archive the debug file open as @fd, and close @fd. If @fd is a negative errno, count a failure.
 * @path: the debug file's path on this machine. @place: the debug file's path in the archive; NULL:
 * the path at which reports search the debug file of @binary. */
static int archive_debug(struct pp_archive_job *job, int out, int fd, const char *path,
			 const char *binary, const char *place)
{
	char *found = NULL;
	int err = -ENOMEM;

	if (fd < 0) {
		fail(job, path, "", fd);
		return 0;
	}
	if (!place)
		place = found = pp_archive_debug_place(fd, path, binary + 1);
	if (place) {
		job->nr_debug++;
		archive_file(job, out, fd, path, place);
		err = archive_shared_debug(job, out, fd, path);
	}
	free(found);
	close(fd);
	return err;
}

/* Arguments and result of archive_split(), which copies a file of split debug data (.dwo, .dwp). */
struct split_file {
	struct pp_archive_job *job;
	int out;
	const char *binary;
	int err;
};

static void archive_split(void *arg, int fd, const char *path)
{
	struct split_file *split = arg;
	char *place = pp_archive_split_place(path, split->binary, split->job->root);

	split->job->nr_debug++;
	if (!place)
		split->err = -ENOMEM;
	else
		archive_file(split->job, split->out, fd, path, place);
	free(place);
}

/* Return whether @path would be inside the archived session, where reports would parse a binary as
 * a sample file. */
static bool is_inside_session(const char *path)
{
	size_t n = strlen(PP_ARCHIVE_SESSION_DIR);

	return !strncmp(path + 1, PP_ARCHIVE_SESSION_DIR, n) &&
	       (path[1 + n] == '/' || !path[1 + n]);
}

static int archive_binary(struct pp_archive_job *job, int out, const char *name,
			  const struct pp_image_info *info)
{
	bool is_taken;
	int fd, err = 0;

	if (!info->path || !info->has_elf)
		return 0;
	if (name[0] != '/' || is_inside_session(name)) {
		pp_warn(job->log, "%s: skipped: an archive cannot have a file with this path",
			info->path);
		return 0;
	}
	fd = open_elf(info->path);
	if (fd < 0)
		fail(job, info->path, name + 1, fd);
	is_taken = fd < 0 || archive_file(job, out, fd, info->path, name + 1);
	job->nr_binaries += is_taken;
	if (is_taken && fd >= 0 && info->debug_path && !strcmp(info->debug_path, info->path))
		err = archive_shared_debug(job, out, fd, info->path);
	if (fd >= 0)
		close(fd);
	if (!is_taken)
		return 0;
	if (!err && info->symbols_path)
		err = archive_debug(job, out, open_elf(info->symbols_path), info->symbols_path,
				    name, NULL);
	if (err || !info->debug_path || !strcmp(info->debug_path, info->path) ||
	    (info->symbols_path && !strcmp(info->debug_path, info->symbols_path)))
		return err;
	return archive_debug(job, out, open_elf(info->debug_path), info->debug_path, name, NULL);
}

/* Archive the vmlinux or module file that has the kernel's line tables. Its symbols are not needed,
 * because the session has the kernel's symbols. A module file may be compressed. */
static int archive_kernel(struct pp_archive_job *job, int out, const struct pp_image_info *info)
{
	const char *path = info->debug_path;
	size_t n = strlen(job->root);

	if (!path)
		return 0;
	if (!strncmp(path, job->root, n))
		path += n;
	if (path[0] != '/' || is_inside_session(path))
		return archive_debug(job, out, pp_open_regular(info->debug_path), info->debug_path,
				     "/vmlinux", NULL);
	return archive_debug(job, out, pp_open_regular(info->debug_path), info->debug_path, NULL,
			     path + 1);
}

/* Archive the file of the image, if the image has one: a binary with its debug files, or the
 * kernel's vmlinux or module. */
static int archive_found(struct pp_archive_job *job, int out, struct pp_image *image,
			 const struct op_image_name *name)
{
	struct split_file split = { job, out, name->path, 0 };
	struct pp_image_info info = { 0 };
	int err;

	pp_image_info(image, 1, &info);
	switch (name->kind) {
	case OP_IMAGE_ROOT:
		err = archive_binary(job, out, name->path, &info);
		if (!err && name->path[0] == '/')
			pp_image_each_split(image, archive_split, &split);
		return err ? err : split.err;
	case OP_IMAGE_KERN:
		return archive_kernel(job, out, &info);
	case OP_IMAGE_ANON:
		break;	/* the session has the symbols of such an image, so no file is archived */
	}
	return 0;
}

/* Find the build of the image to which the samples of a file belong. Return false if the sample
 * file cannot be read. */
static bool find_samples(const struct pp_archive_job *job, const struct pp_sample_file *file,
			 struct pp_image_samples *ret)
{
	const struct pp_source *source = job->session->sources[file->session];
	struct op_sample_header header;

	*ret = (struct pp_image_samples){
		.name = &file->name.image, .path = file->path, .is_linked = source->linked
	};
	if (source->memory) {
		ret->identity = source->binaries[file->part.binary].image.identity;
		return true;
	}
	if (archive_read_header(file, &header))
		return false;
	ret->identity = (struct op_identity){ header.build, header.owner };
	ret->mtime = header.mtime;
	return true;
}

/* Archive the files of each build of one image. @nr: the number of sample files of the image. */
static int archive_image(struct pp_archive_job *job, int out, const struct pp_sample_file *files,
			 size_t nr)
{
	const struct op_image_name *name = &files[0].name.image;
	struct pp_image_samples samples;
	struct pp_image *image;
	uint32_t nr_seen = 0;
	int err = pp_image_open(&image, job->images, name, job->log);

	if (err)
		return err;
	for (size_t i = 0; i < nr && !err && name->kind == OP_IMAGE_ROOT; i++) {
		if (!find_samples(job, &files[i], &samples))
			continue;
		err = pp_image_begin(image, &samples);
		if (!err && pp_image_build(image) >= nr_seen) {
			nr_seen = pp_image_build(image) + 1;
			err = archive_found(job, out, image, name);
		}
	}
	if (!err && !nr_seen)
		err = archive_found(job, out, image, name);
	pp_image_close(image);
	return err;
}

/* Archive the images of all sample files. The files are sorted by image, so each image is opened
 * once. */
static int archive_images(struct pp_archive_job *job, int out)
{
	const struct pp_files *files = &job->session->files;
	size_t nr;
	int err = 0;

	for (size_t i = 0; i < files->nr && !err; i += nr) {
		for (nr = 1; i + nr < files->nr &&
			     !strcmp(files->items[i + nr].image, files->items[i].image);)
			nr++;
		pp_progress(job->log, i, files->nr);
		err = archive_image(job, out, &files->items[i], nr);
	}
	return err;
}

/* An image that occurs in call paths but has no sample file. */
struct symlink_image {
	const char *title;
	const struct op_path_image *image;
	/* path of the list of images in which the image was found */
	const char *path;
};

static int compare_titles(const void *a, const void *b)
{
	return strcmp(((const struct symlink_image *)a)->title,
		      ((const struct symlink_image *)b)->title);
}

static bool has_samples(const struct pp_files *files, const char *title)
{
	size_t i = op_partition_point(k, files->nr, strcmp(files->items[k].image, title) < 0);

	return i < files->nr && !strcmp(files->items[i].image, title);
}

/* Archive the files of each build of one image. @items: @nr elements with the title of that
 * image. */
static int archive_symlink_images(struct pp_archive_job *job, int out,
				  const struct symlink_image *items, size_t nr)
{
	const struct op_image_name *name = &items->image->name;
	struct pp_image *image;
	uint32_t nr_seen = 0;
	int err = pp_image_open(&image, job->images, name, job->log);

	if (err)
		return err;
	for (size_t i = 0; i < nr && !err; i++) {
		err = pp_image_begin(image, &(struct pp_image_samples){
			.identity = items[i].image->identity,
			.mtime = items[i].image->mtime,
			.name = name,
			.path = items[i].path,
			.is_kernel = items[i].image->is_kernel,
		});
		if (!err && (pp_image_build(image) >= nr_seen || name->kind != OP_IMAGE_ROOT)) {
			nr_seen = pp_image_build(image) + 1;
			err = archive_found(job, out, image, name);
		}
	}
	pp_image_close(image);
	return err;
}

/* Archive images that occur in call paths but have no samples, because reports show the names of
 * their functions. */
static int archive_path_images(struct pp_archive_job *job, int out)
{
	const struct pp_session *session = job->session;
	struct symlink_image *items = NULL;
	size_t nr = 0, same;
	int err = 0;

	for (size_t s = 0; s < session->nr_samples_dirs && !err; s++) {
		const struct pp_session_images *images = &session->path_images[s];

		for (size_t i = 0; i < images->list.nr && !err; i++) {
			if ((job->leads && job->leads[s] && !job->leads[s][i]) ||
			    !images->titles[i] ||
			    images->list.images[i].name.kind == OP_IMAGE_ANON ||
			    has_samples(&session->files, images->titles[i]))
				continue;
			err = op_grow(&items, nr);
			if (!err)
				items[nr++] = (struct symlink_image){
					images->titles[i], &images->list.images[i], images->path,
				};
		}
	}
	if (nr)
		qsort(items, nr, sizeof(*items), compare_titles);
	for (size_t i = 0; i < nr && !err; i += same) {
		for (same = 1; i + same < nr && !compare_titles(&items[i + same], &items[i]);)
			same++;
		err = archive_symlink_images(job, out, &items[i], same);
	}
	free(items);
	return err;
}

/* Check that the archive is not inside a directory that is copied. Otherwise the archive would be
 * copied into itself without end. */
static int check_place(const struct pp_archive_job *job)
{
	char *out = realpath(job->output, NULL);
	int err = out ? 0 : -ENOMEM;

	for (size_t i = 0; i < job->session->nr_samples_dirs && !err; i++) {
		char *dir = realpath(job->session->samples_dirs[i], NULL);
		size_t n = dir ? strlen(dir) : 0;

		if (n && !strncmp(out, dir, n) && (out[n] == '/' || !out[n])) {
			err = op_fail(&job->log->error, -EINVAL,
				      "cannot archive to %s: it is inside %s, which will be "
				      "archived; name another directory", job->output, dir);
		}
		free(dir);
	}
	free(out);
	return err;
}

/* Open or create the archive's directory. An archive lists all programs that ran, and may have
 * files that only its creator could read. So a new directory gets mode 0700. An existing directory
 * keeps its mode, but must belong to the user. */
static int open_output(const struct pp_archive_job *job, int *ret)
{
	struct stat st;

	if (mkdir(job->output, 0700) && errno != EEXIST)
		return op_fail(&job->log->error, -errno, "%s: %s", job->output, strerror(errno));
	*ret = open(job->output, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0 || fstat(*ret, &st))
		return op_fail(&job->log->error, -errno, "%s: %s", job->output, strerror(errno));
	if (st.st_uid != geteuid()) {
		return op_fail(&job->log->error, -EINVAL,
			       "%s: belongs to another user, who could change the archive; name "
			       "a new directory, or a directory of your own",
			       job->output);
	}
	return check_place(job);
}

int pp_archive(struct pp_archive_job *job)
{
	int out = -1, err = job->output ? open_output(job, &out) : 0;

	if (!err)
		err = find_readers(job);
	if (!err)
		err = pp_archive_samples(job, out);
	if (!err)
		err = archive_images(job, out);
	if (!err)
		err = archive_path_images(job, out);
	if (!err)
		err = archive_tables(job, out);
	if (!err && job->nr_failed) {
		err = op_fail(&job->log->error, -EINVAL, "%zu file(s) are missing in the archive",
			      job->nr_failed);
	}
	if (out >= 0)
		close(out);
	release_readers(job);
	for (size_t i = 0; job->leads && i < job->session->nr_samples_dirs; i++)
		free(job->leads[i]);
	free(job->leads);
	job->leads = NULL;
	return err;
}
