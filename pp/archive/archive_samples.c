// SPDX-License-Identifier: GPL-2.0-or-later
/* archive_samples.c -- copies of the sample files that match the specification, and of their
 * companions. */
#include "config.h"
#include "pp/archive/archive_samples.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "libop/base/dir.h"
#include "libop/base/error.h"
#include "libop/base/fs.h"
#include "libop/session/kernel_syms.h"
#include "libop/session/mangle.h"
#include "libop/session/path_files.h"
#include "libop/session/paths.h"
#include "libop/session/recover.h"
#include "pp/archive/arc_files.h"
#include "pp/archive/archive_paths.h"
#include "pp/archive/copy.h"
#include "pp/archive/places.h"
#include "pp/base/log.h"
#include "pp/image/kernel_code.h"
#include "pp/image/vdso.h"
#include "pp/session/session.h"

/* Return whether the archive of samples directory @i gets computed totals instead of a copy of the
 * session's totals. */
static bool pp_archive_makes_totals(const struct pp_session *session, size_t i)
{
	return session->sources[i]->stats.nr && !session->has_operf_stats;
}

/*
 * Totals of samples in an archive. A daemon may have added samples since the session's totals were
 * read, and a killed daemon may not have written its last totals. So the totals are corrected by
 * the sums of the copied files.
 */
/* Write corrected totals. @out: the new samples directory, which has all its files. Return 0, or a
 * negative errno with the cause in the log. */
static int pp_archive_totals(const struct pp_session *session, size_t i, int out,
			     struct pp_log *log)
{
	const struct op_session_stats *from = &session->sources[i]->stats;
	struct op_session_stats totals = { 0 };
	struct op_session_sums sums;
	uint64_t stored_before = op_session_stats_sum(from, OP_STAT_STORED);
	bool lives = op_session_writer_lives(&from->writer), is_part = session->is_filtered;
	int err = op_session_sums_read(&sums, out);

	if (!err)
		err = op_session_stats_add_all(&totals, from);
	if (!err && from->writer.pid && !lives)
		err = op_session_stats_add(&totals, "daemon_killed", 1);
	/* Correct the totals only if a daemon could have changed them, or if only some files were
	 * copied. Otherwise copy them unchanged, because reports detect damaged files by a
	 * difference between totals and files. */
	if (!err && (from->writer.pid || is_part)) {
		err = op_recover_stored(&totals, sums.stored,
					lives ? "archived_samples" : "recovered_samples",
					is_part ? "excluded_archive" : "lost_crash");
		if (!err)
			err = op_recover_paths(&totals, stored_before, &sums);
	}
	if (!err)
		err = op_session_stats_write(&totals, out);
	op_session_stats_release(&totals);
	return err ? op_fail(&log->error, err, "cannot write the archive's totals: %s",
			     op_strerror(err))
		   : 0;
}

/* Copy the files in which @process dumped code compiled at run time to the directory @dir of the
 * archive @out. The files are beside @path, a file of the process. Return 0, or a negative errno
 * with the cause in the log. */
static int pp_archive_dumps(const char *path, pid_t process, int out, const char *dir,
			    struct pp_log *log)
{
	static const char *const kinds[] = { "dump", "agent", "map" };
	const char *base = strrchr(path, '/');
	char *beside = base ? strndup(path, base - path + 1) : strdup(".");
	int err = beside ? 0 : -ENOMEM,
	    in = beside ? open(beside, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && in >= 0 && !err; i++) {
		char name[64], *to = NULL;
		int fd;

		snprintf(name, sizeof(name), "jit/%d.%s", (int)process, kinds[i]);
		/* Do not follow links: the directory's owner may have replaced the files by
		 * links. */
		fd = pp_open_below(in, name);
		if (fd < 0)
			continue;
		err = asprintf(&to, "%s/%s", dir, name) < 0 ? -ENOMEM
							    : pp_copy_file(fd, out, to, 0600);
		close(fd);
		if (err && err != -ENOMEM)
			op_fail(&log->error, err, "cannot copy %s%s: %s", beside, name,
				strerror(-err));
		free(to);
	}
	if (in >= 0)
		close(in);
	free(beside);
	return err;
}

#define MAX_DEPTH	128
#define PATHS		OP_PATHS_DIR "/"

struct walk {
	struct pp_archive_job *job;
	/* descriptor of the new samples directory; -1: only list the files */
	int out;
	/* write new files of call paths instead of copying the session's files */
	bool makes_paths;
	/* compute totals of samples instead of copying the session's totals */
	bool makes_totals;
	/* compute call-graph files instead of copying the session's files */
	bool makes_arcs;
	size_t prefix;		/* length of "SAMPLES_DIR/" at the beginning of a path */
	char path[PATH_MAX];
	size_t len;
	int depth;
};

void pp_archive_list(const struct pp_archive_job *job, const char *path)
{
	op_put_clean(job->list, path, strlen(path));
	putc('\n', job->list);
}

static bool same_image(const struct op_image_name *a, const struct op_image_name *b)
{
	return a->kind == b->kind && !strcmp(a->path, b->path) && a->kind != OP_IMAGE_ANON;
}

/* Return 1 if the file is to be archived, else 0 or -ENOMEM. All files are archived, except sample
 * files that do not match the specification. */
static int is_wanted(const struct walk *walk, const char *relative, bool *is_sample)
{
	const struct pp_archive_job *job = walk->job;
	struct op_sample_name name = { 0 };
	int err, wanted = 1;

	*is_sample = false;
	if (walk->makes_totals && !strncmp(relative, OP_STATS_FILE, strlen(OP_STATS_FILE)))
		return 0;
	err = op_tree_unname(&name, relative);
	if (!err)
		op_sample_name_release(&name);
	if (walk->makes_paths && !strncmp(relative, PATHS, strlen(PATHS)))
		return walk->out < 0 && err == OP_ERR_NAME;
	if (!err)
		return 1;
	if (err != -ENOMEM)
		err = op_unmangle(&name, relative);
	if (err == -ENOMEM)
		return err;
	*is_sample = !err;
	if (!err)
		wanted = pp_spec_matches(job->spec, &name, relative) &&
			 !(job->exclude_dependent && !same_image(&name.app, &name.image)) &&
			 !(walk->makes_arcs && name.callee.path);
	op_sample_name_release(&name);
	return wanted;
}

static int archive_file(struct walk *walk, int fd, mode_t mode)
{
	struct pp_archive_job *job = walk->job;
	const char *relative = walk->path + walk->prefix;
	bool is_sample;
	int err = is_wanted(walk, relative, &is_sample);

	if (err == -ENOMEM)
		return err;
	if (!err)
		return 0;
	job->nr_samples += is_sample;
	if (walk->out < 0) {
		pp_archive_list(job, walk->path);
		return 0;
	}
	err = pp_copy_file(fd, walk->out, relative, mode & 0777);
	if (!err)
		return 0;
	return op_fail(&job->log->error, err, "cannot copy %s: %s", walk->path, strerror(-err));
}

static int walk_dir(struct walk *walk, int fd);

static int walk_entry(struct walk *walk, int dirfd, const char *name)
{
	size_t old_len = walk->len, n = strlen(name);
	struct stat st;
	int fd, err = 0;

	/* Skip damaged files that the daemon set aside: reports do not read them. */
	if (!walk->depth && !strcmp(name, "damaged"))
		return 0;
	if (walk->len + 1 + n + 1 > sizeof(walk->path))
		/* an error such as -ENOENT: skip the directory entry, as reports do */
		return 0;
	/* Check the type of the file before opening it: opening a FIFO or a device may have side
	 * effects. */
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;	/* skip a file that was removed after the directory was read */
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0;
	walk->path[walk->len++] = '/';
	memcpy(walk->path + walk->len, name, n + 1);
	walk->len += n;
	fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT) {
		err = op_fail(&walk->job->log->error, -errno, "%s: %s", walk->path,
			      strerror(errno));
	} else if (fd >= 0 && S_ISDIR(st.st_mode)) {
		walk->depth++;
		err = walk->depth < MAX_DEPTH ? walk_dir(walk, fd) : 0;
		walk->depth--;
	} else if (fd >= 0) {
		err = archive_file(walk, fd, st.st_mode);
	}
	if (fd >= 0)
		close(fd);
	walk->len = old_len;
	walk->path[old_len] = '\0';
	return err;
}

static int walk_dir(struct walk *walk, int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int err = 0;

	if (!dir) {
		err = op_fail(&walk->job->log->error, -errno, "%s: %s", walk->path,
			      strerror(errno));
		if (copy >= 0)
			close(copy);
		return err;
	}
	while (!err && (entry = op_next_entry(dir)))
		err = walk_entry(walk, dirfd(dir), entry->d_name);
	closedir(dir);
	return err;
}

static void list_tree(void *context, const char *path)
{
	pp_archive_list(context, path);
}

static int archive_paths(struct pp_archive_job *job, size_t session, int out)
{
	const struct pp_archive_paths paths = {
		.session = job->session,
		.log = job->log,
		.report = out < 0 ? list_tree : NULL,
		.context = job,
	};

	if (!job->leads)
		job->leads = calloc(job->session->nr_samples_dirs + 1, sizeof(*job->leads));
	return job->leads ? pp_archive_paths(&paths, session, out, &job->leads[session]) : -ENOMEM;
}

static int walk_session(struct pp_archive_job *job, size_t session, int out)
{
	const char *samples_dir = job->session->samples_dirs[session];
	struct walk *walk = calloc(1, sizeof(*walk));
	size_t n = strlen(samples_dir);
	int err, fd;

	if (!walk)
		return -ENOMEM;
	while (n > 1 && samples_dir[n - 1] == '/')
		n--;
	fd = open(samples_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || n + 1 >= sizeof(walk->path)) {
		err = op_fail(&job->log->error, fd < 0 ? -errno : -ENAMETOOLONG, "%s: %s",
			      samples_dir, strerror(fd < 0 ? errno : ENAMETOOLONG));
	} else {
		memcpy(walk->path, samples_dir, n);
		walk->job = job;
		walk->out = out;
		walk->makes_paths = pp_archive_paths_are_part(job->session);
		walk->makes_totals = out >= 0 && pp_archive_makes_totals(job->session, session);
		walk->makes_arcs = job->arcs && pp_session_has_trees(job->session, session);
		walk->len = n;
		walk->prefix = n + 1;
		err = walk_dir(walk, fd);
	}
	if (fd >= 0)
		close(fd);
	if (!err && walk->makes_paths)
		err = archive_paths(job, session, out);
	if (!err && walk->makes_totals)
		err = pp_archive_totals(job->session, session, out, job->log);
	free(walk);
	return err;
}

/* Replace @path by a new, empty directory. Return a descriptor of the new directory, or a negative
 * errno. */
static int new_directory(int out, const char *path)
{
	const char *leaf;
	int dir, fd, err = pp_remove_tree(out, path);

	if (err)
		return err;
	dir = op_open_parent(out, path, &leaf, 1, 0755);
	if (dir < 0)
		return dir;
	fd = mkdirat(dir, leaf, 0755) ?
		     -1 :
		     openat(dir, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int move_into_place(int out, const char *from, const char *to)
{
	int err = pp_remove_tree(out, to);

	/* No parent directory of @from is a link, because @from was created without following
	 * links. */
	if (!err && renameat(out, from, out, to))
		err = -errno;
	return err;
}

static bool has_vdso(const struct pp_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		if (files->items[i].name.image.kind == OP_IMAGE_ANON &&
		    !strcmp(files->items[i].name.image.path, "[vdso]"))
			return true;
	return false;
}

/* Archive the vdso (code that the kernel maps into processes), which is not a file on disk. If the
 * session has no copy of it and the running kernel was profiled, archive this process's own
 * vdso. */
static int archive_vdso(struct pp_archive_job *job, int samples)
{
	struct op_kernel_syms kernel = { 0 };
	struct utsname uts;
	int fd, err;

	if (!has_vdso(&job->session->files) || !faccessat(samples, PP_VDSO_FILE, F_OK, 0))
		return 0;
	err = op_kernel_syms_read(&kernel, samples);
	if (err)
		return err == -ENOMEM ? err : 0;
	fd = !uname(&uts) && !strcmp(uts.release, kernel.release) ? pp_vdso_open() : -ENOENT;
	op_kernel_syms_release(&kernel);
	if (fd < 0)
		return 0;
	err = pp_copy_file(fd, samples, PP_VDSO_FILE, 0644);
	close(fd);
	if (!err)
		return 0;
	return op_fail(&job->log->error, err, "cannot archive the vdso: %s", strerror(-err));
}

static int archive_code_of(struct pp_archive_job *job, const struct op_kernel_syms *kernel,
			   const char *name, int samples)
{
	const struct op_kimage *image = op_kernel_syms_image(
		kernel, strcmp(name, OP_KERNEL_NO_VMLINUX) ? name : OP_KERNEL_IMAGE);
	struct pp_kernel_code code = { .fd = -1 };
	int err = image ? pp_kernel_code_open(&code, kernel, image, NULL, 0) : -ENOENT;

	if (!err)
		err = pp_kernel_code_copy(&code, image, samples);
	pp_kernel_code_close(&code);
	if (!err)
		return 0;
	pp_warn(job->log, "cannot archive the code of %s: %s", name,
		err == -ENOENT ? "it is not the running kernel, or a loaded module" :
		err == -EACCES ? "only root may read /proc/kcore" : strerror(-err));
	return 0;
}

/* Archive the running kernel's code, because it can be read only from the running kernel if no
 * vmlinux exists. */
static int archive_kernel_code(struct pp_archive_job *job, int samples)
{
	const struct pp_files *files = &job->session->files;
	struct op_kernel_syms kernel = { 0 };
	const char *last = "";
	int err = op_kernel_syms_read(&kernel, samples);

	if (err)
		return err == -ENOMEM ? err : 0;
	/* The sample files are sorted by image: archive the code of each image once. */
	for (size_t i = 0; i < files->nr && !err; i++) {
		const struct op_image_name *name = &files->items[i].name.image;

		if (name->kind != OP_IMAGE_KERN || !strcmp(name->path, last))
			continue;
		last = name->path;
		err = archive_code_of(job, &kernel, name->path, samples);
	}
	op_kernel_syms_release(&kernel);
	return err;
}

static int archive_session(struct pp_archive_job *job, size_t session, int out)
{
	char *name = pp_session_name(job->session->samples_dirs[session]), *to = NULL,
	     *partial = NULL;
	int err, fd;

	if (!name || asprintf(&to, PP_ARCHIVE_SESSION_DIR "/samples/%s", name) < 0 ||
	    asprintf(&partial, PP_ARCHIVE_SESSION_DIR "/samples/.%s.partial", name) < 0) {
		err = -ENOMEM;
		goto done;
	}
	fd = new_directory(out, partial);
	if (fd < 0) {
		err = op_fail(&job->log->error, fd, "%s/%s: %s", job->output, partial,
			      strerror(-fd));
		goto done;
	}
	err = walk_session(job, session, fd);
	if (!err)
		err = archive_vdso(job, fd);
	if (!err && job->kernel_code)
		err = archive_kernel_code(job, fd);
	close(fd);
	if (err) {
		pp_remove_tree(out, partial);
		goto done;
	}
	err = move_into_place(out, partial, to);
	if (err) {
		err = op_fail(&job->log->error, err, "%s/%s: %s", job->output, to, strerror(-err));
	}
done:
	free(partial);
	free(to);
	free(name);
	return err;
}

/* Archive a profile that a program wrote about itself, which is a single file. */
static int archive_profile(struct pp_archive_job *job, size_t session, int out)
{
	const char *path = job->session->samples_dirs[session], *base = strrchr(path, '/');
	char *to = NULL;
	int fd, err;

	if (out < 0) {
		pp_archive_list(job, path);
		return 0;
	}
	if (asprintf(&to, PP_ARCHIVE_SESSION_DIR "/" PP_ARCHIVE_PROFILES "/%s",
		     base ? base + 1 : path) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	err = fd < 0 ? -errno : pp_copy_file(fd, out, to, 0600);
	if (fd >= 0)
		close(fd);
	if (err)
		op_fail(&job->log->error, err, "cannot copy %s: %s", path, strerror(-err));
	job->nr_samples += !err;
	free(to);
	return err || !job->session->sources[session]->process ? err :
	       pp_archive_dumps(path, job->session->sources[session]->process, out,
				PP_ARCHIVE_SESSION_DIR "/" PP_ARCHIVE_PROFILES, job->log);
}

/* Check that all sessions have different names, because a session's name is its directory in the
 * archive. */
static int check_names(const struct pp_archive_job *job)
{
	const struct pp_session *session = job->session;
	int err = 0;

	for (size_t i = 1; i < session->nr_samples_dirs && !err; i++) {
		char *name = pp_session_name(session->samples_dirs[i]);

		for (size_t j = 0; j < i && name && !err; j++) {
			char *other = pp_session_name(session->samples_dirs[j]);

			if (other && !strcmp(name, other)) {
				err = op_fail(&job->log->error, -EINVAL,
					      "%s and %s are both named %s, and would be the "
					      "same in the archive: archive them separately, to "
					      "different directories",
					      session->samples_dirs[j], session->samples_dirs[i],
					      name);
			}
			free(other);
		}
		free(name);
	}
	return err;
}

static int archive_abi(struct pp_archive_job *job, int out)
{
	char *path;
	int fd, err = 0;

	if (asprintf(&path, "%s/abi", job->session->dir) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && out < 0)
		pp_archive_list(job, path);
	else if (fd >= 0)
		err = pp_copy_file(fd, out, PP_ARCHIVE_SESSION_DIR "/abi", 0644);
	if (fd >= 0)
		close(fd);
	if (err)
		op_fail(&job->log->error, err, "cannot copy %s: %s", path, strerror(-err));
	free(path);
	return err;
}

static int open_directory(int out, const char *path)
{
	const char *leaf;
	int dir = op_open_parent(out, path, &leaf, 0, 0), fd;

	if (dir < 0)
		return dir;
	fd = openat(dir, leaf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int make_arcs(struct pp_archive_job *job, int out)
{
	const struct pp_session *session = job->session;
	struct pp_arc_files files = { .session = session, .images = job->images, .log = job->log };
	int *samples = calloc(session->nr_samples_dirs + 1, sizeof(*samples)),
	    err = samples ? 0 : -ENOMEM;
	size_t nr = 0;

	for (; nr < session->nr_samples_dirs && !err; nr += !err) {
		char *name = pp_session_name(session->samples_dirs[nr]), *path = NULL;

		if (!name || asprintf(&path, PP_ARCHIVE_SESSION_DIR "/samples/%s", name) < 0)
			err = -ENOMEM;
		else
			samples[nr] = open_directory(out, path);
		if (!err && samples[nr] < 0)
			err = op_fail(&job->log->error, samples[nr], "%s/%s: %s", job->output, path,
				      strerror(-samples[nr]));
		free(name);
		free(path);
	}
	if (!err)
		err = pp_arc_files_write(&files, samples);
	while (nr--)
		close(samples[nr]);
	free(samples);
	return err;
}

int pp_archive_samples(struct pp_archive_job *job, int out)
{
	const struct pp_session *session = job->session;
	int err = check_names(job);

	if (!err && job->arcs && session->nr_profiles)
		err = op_fail(&job->log->error, -EINVAL,
			      "--arcs: call-graph files can be made from sessions, not from "
			      "files that a program wrote about itself");
	for (size_t i = 0; i < session->nr_samples_dirs && !err; i++) {
		if (session->sources[i]->memory)
			err = archive_profile(job, i, out);
		else
			err = out < 0 ? walk_session(job, i, out) : archive_session(job, i, out);
	}
	if (!err && job->arcs && out >= 0)
		err = make_arcs(job, out);
	return err || session->nr_profiles == session->nr_samples_dirs ? err
								       : archive_abi(job, out);
}
