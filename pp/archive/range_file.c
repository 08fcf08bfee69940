// SPDX-License-Identifier: GPL-2.0-or-later
/* range_file.c -- archives of a range of time in one file. */
#include "config.h"
#include "pp/archive/range_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/archive.h"
#include "intervals/file.h"
#include "libop/base/grow.h"
#include "libop/session/identity.h"
#include "pp/image/build.h"
#include "pp/session/range.h"
#include "pp/session/where.h"

#define LEVEL		9	/* compression level of zstd for packing a session */
#define NANO		1000000000
#define NAME_SIZE	160

struct name {
	char text[OP_TABLE_NAME_SIZE];
};

/* An archive of a range of time that is being written. */
struct writer {
	struct itv_archive archive;
	struct pp_range_file sums;
	struct pp_log *log;
	/* path of the directory of intervals; the directory of symbol tables is beside it */
	char *beside;
	int fd, store;
	/* temporary store of symbol tables, for kernel symbols that only a session contains */
	struct pp_scratch scratch;
	int scratch_store;
	/* names of the symbol tables of the images in the archive, possibly with duplicates */
	struct name *tables;
	size_t nr_tables;
	uint32_t *kernels;		/* kernels whose symbols were added to the archive */
	size_t nr_kernels;
	struct itv_entry last;		/* the last session that was added to the archive */
};

static void release_scratch(struct writer *w)
{
	if (w->scratch_store >= 0)
		close(w->scratch_store);
	w->scratch_store = -1;
	pp_scratch_release(&w->scratch);
}

static int begin(void *arg)
{
	struct writer *w = arg;

	release_scratch(w);
	w->sums = (struct pp_range_file){ .samples = 0 };
	w->nr_tables = w->nr_kernels = 0;
	w->last = (struct itv_entry){ .begin = 0 };
	return itv_archive_begin(&w->archive, w->fd);
}

static int note_tables(struct writer *w, const struct itv *v)
{
	for (uint32_t i = 0; i < v->nr_images; i++) {
		const struct itv_image *image = &v->images[i];

		if (image->image.name.kind != OP_IMAGE_ROOT || image->image.is_kernel)
			continue;
		if (op_grow(&w->tables, w->nr_tables))
			return -ENOMEM;
		if (!op_table_name(w->tables[w->nr_tables].text, &image->image.identity,
				   image->image.mtime, image->build_id, image->build_id_len))
			w->nr_tables++;
	}
	return 0;
}

/* Open the temporary store of symbol tables, for kernel symbols that only a session contains. */
static int open_scratch(struct writer *w)
{
	int samples;

	if (w->scratch_store >= 0)
		return 0;
	samples = pp_scratch_make(&w->scratch, false);
	if (samples < 0)
		return samples;
	w->scratch_store = samples;
	return 0;
}

static int add_file(struct writer *w, int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
	    err;

	if (fd < 0)
		return -errno;
	err = itv_archive_add(&w->archive, name, fd);
	close(fd);
	return err;
}

/* Add the symbols of the profiled kernel, unless they are in the archive. */
static int add_kernel(struct writer *w, const struct itv_range_source *source)
{
	char name[32];
	uint32_t kernel;
	int err;

	for (size_t i = 0; i < w->nr_kernels; i++)
		if (w->kernels[i] == source->kernel)
			return 0;
	if (!source->kernel)
		return 0;
	snprintf(name, sizeof(name), "kernel-%08" PRIx32 ".zst", source->kernel);
	err = add_file(w, w->store, name);
	if (err == -ENOENT && source->is_session) {
		err = open_scratch(w);
		if (!err)
			err = itv_store_kernel(&kernel, w->scratch_store, source->fd);
		if (!err)
			err = add_file(w, w->scratch_store, name);
	}
	if (err == -ENOENT)
		return 0;
	if (!err)
		err = op_grow(&w->kernels, w->nr_kernels);
	if (!err)
		w->kernels[w->nr_kernels++] = source->kernel;
	return err;
}

/* Pack a closed session that is not packed yet, and add the packed session to the archive. */
static int add_session(struct writer *w, const struct itv *v, const struct itv_range_part *part,
		       const struct itv_range_source *source)
{
	struct itv_entry entry = {
		.begin = part->begin, .end = part->end, .kernel = source->kernel,
	};
	struct itv_entry session;
	struct itv packed = *v;
	int fd = memfd_create("interval", MFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	packed.accounting.kernel = source->kernel;
	packed.accounting.begun_ns = part->begin * NANO;
	packed.accounting.ended_ns = part->end * NANO;
	err = itv_file_write(&packed, fd, LEVEL, NULL);
	/* After the clock was set back, a closed session may have the same times as another session
	 * or interval; then only its name distinguishes it. The current session has a name of
	 * another kind. Sessions arrive in order of time. */
	if (itv_name_parse(&session, source->name))
		entry.copy = session.copy;
	else if (entry.begin == w->last.begin && entry.end == w->last.end)
		entry.copy = w->last.copy + 1;
	w->last = entry;
	itv_name(entry.name, &entry);
	if (!err)
		err = itv_archive_add(&w->archive, entry.name, fd);
	close(fd);
	return err;
}

static int add_part(void *arg, const struct itv *v, const struct itv_range_part *part,
		    const struct itv_range_source *source)
{
	struct writer *w = arg;
	int err = source->is_session ? add_session(w, v, part, source) :
				       itv_archive_add(&w->archive, source->name, source->fd);

	if (!err)
		err = add_kernel(w, source);
	if (!err)
		err = note_tables(w, v);
	w->sums.nr_intervals++;
	w->sums.samples += v->accounting.samples;
	return err;
}

static int compare_names(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* Add the symbol tables of all images to the archive. */
static int add_tables(struct writer *w)
{
	int err = 0;

	if (w->nr_tables)
		qsort(w->tables, w->nr_tables, sizeof(*w->tables), compare_names);
	for (size_t i = 0; i < w->nr_tables && !err; i++) {
		char name[NAME_SIZE], *path;
		int fd;

		if (i && !compare_names(&w->tables[i - 1], &w->tables[i]))
			continue;
		fd = pp_build_open_table(w->beside, w->tables[i].text, &path);
		if (fd == -ENOMEM)
			return fd;
		if (fd < 0) {
			w->sums.nr_nameless++;
			continue;
		}
		snprintf(name, sizeof(name), ITV_ARCHIVE_TABLES "%s", strrchr(path, '/') + 1);
		free(path);
		err = itv_archive_add(&w->archive, name, fd);
		close(fd);
		w->sums.nr_tables++;
	}
	return err;
}

static int write_archive(struct writer *w, const struct pp_spec *spec,
			 const struct op_session_paths *paths)
{
	const struct pp_range_visitor visitor = {
		.part = add_part, .reads = ITV_READ_IMAGES, .again = begin, .arg = w,
	};
	struct pp_range *range = NULL;
	int err, samples = open(paths->samples, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* pp_range_visit() will report the missing directory. */
	w->store = samples < 0 ? -1 : itv_range_open_store(samples);
	if (samples >= 0)
		close(samples);
	if (asprintf(&w->beside, "%s/" ITV_STORE_DIR, paths->samples) < 0)
		w->beside = NULL;
	err = !w->beside ? -ENOMEM : pp_range_visit(&range, spec, paths, &visitor, w->log);
	pp_range_close(range);
	if (!err)
		err = add_tables(w);
	if (!err)
		err = itv_archive_end(&w->archive);
	if (w->store >= 0)
		close(w->store);
	release_scratch(w);
	free(w->beside);
	free(w->tables);
	free(w->kernels);
	return err;
}

/* Open the directory of the file @output, and set *@leaf to the file's name. Return a descriptor or
 * a negative errno. */
static int open_dir_of(const char *output, const char **leaf)
{
	const char *slash = strrchr(output, '/');
	char *path = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = path ? -errno : -ENOMEM;

	*leaf = slash ? slash + 1 : output;
	free(path);
	return fd < 0 ? err : fd;
}

/* Create a new file beside @leaf. Return a descriptor or a negative errno. */
static int create_new(int dir, const char *leaf, char name[NAME_SIZE])
{
	struct stat st;
	int fd;

	if (!fstatat(dir, leaf, &st, AT_SYMLINK_NOFOLLOW) && !S_ISREG(st.st_mode))
		return -EEXIST;
	snprintf(name, NAME_SIZE, ".%.100s.new-%d", leaf, (int)getpid());
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int write_file(struct writer *w, const char *output, const struct pp_spec *spec,
		      const struct op_session_paths *paths)
{
	struct op_reason *error = &w->log->error;
	char name[NAME_SIZE];
	const char *leaf;
	int dir = open_dir_of(output, &leaf), err;

	if (dir < 0)
		return op_fail(error, dir, "cannot write %s: %s", output, strerror(-dir));
	w->fd = err = create_new(dir, leaf, name);
	if (w->fd >= 0) {
		err = write_archive(w, spec, paths);
		if (!err && fsync(w->fd))
			err = -errno;
		if (close(w->fd) && !err)
			err = -errno;
		if (!err && renameat(dir, name, dir, leaf))
			err = -errno;
		if (err)
			unlinkat(dir, name, 0);
	}
	close(dir);
	if (err == -EEXIST && !*error->text)
		return op_fail(error, err, "cannot write %s: it exists, and is not a file", output);
	if (err && !*error->text)
		return op_fail(error, err < -4095 ? -EINVAL : err, "cannot write %s: %s", output,
			       itv_strerror(err));
	return err;
}

/* Check that the specification selects whole intervals (a session, and times), because an archive
 * cannot contain a part of an interval. */
static int check_spec(const struct pp_spec *spec, struct pp_log *log)
{
	for (unsigned int tag = 0; tag < PP_NR_TAGS; tag++)
		if (spec->tags[tag].nr && tag != PP_TAG_TIME && tag != PP_TAG_ARCHIVE &&
		    tag != PP_TAG_SESSION_DIR && tag != PP_TAG_STORE)
			return op_fail(&log->error, -EINVAL,
				       "%s: cannot archive a part of an interval: archive the "
				       "time, and select samples with opreport "
				       "archive:FILE", pp_tag_name(tag));
	return 0;
}

int pp_range_file_write(struct pp_range_file *ret, const char *output, const struct pp_spec *spec,
			const char *session_dir, struct pp_log *log)
{
	struct writer w = {
		.log = log, .store = -1, .scratch_store = -1, .scratch = { .lock_fd = -1 },
	};
	struct pp_scratch unpacked = { .lock_fd = -1 };
	struct op_session_paths paths = { .dir = NULL };
	char *archive = NULL, *in_archive = NULL;
	int err = check_spec(spec, log);

	if (!err)
		err = pp_find_archive(&archive, &in_archive, &unpacked, spec, session_dir, log);
	if (!err)
		err = pp_find_session_dir(&paths, in_archive ? in_archive : session_dir, true, log);
	if (!err)
		err = write_file(&w, output, spec, &paths);
	if (!err)
		*ret = w.sums;
	op_session_paths_release(&paths);
	pp_scratch_release(&unpacked);
	free(in_archive);
	free(archive);
	return err;
}
