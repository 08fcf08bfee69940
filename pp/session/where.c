// SPDX-License-Identifier: GPL-2.0-or-later
/* where.c -- search for the session directory of a report. */
#include "config.h"
#include "pp/session/where.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intervals/archive.h"
#include "intervals/file.h"
#include "intervals/range.h"
#include "pp/session/store.h"

#define MAX_ARCHIVE	(4ull << 30)	/* maximum unpacked size of an archive, in bytes */
/* maximum size, in bytes, of an archive that is unpacked in memory */
#define MAX_IN_MEMORY	(64 << 20)

bool pp_is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Find the session directory in an archive. Our oparchive always stores the session at the default
 * path; the oparchive of OProfile 1.4 stores it at its path on the profiled machine. Return 0 or
 * -ENOMEM. */
static int session_in_archive(char **ret, const char *archive, const char *session_dir)
{
	char *dir = NULL;

	if (session_dir && asprintf(&dir, "%s%s%s", archive, session_dir[0] == '/' ? "" : "/",
				    session_dir) < 0)
		return -ENOMEM;
	if (!dir || !pp_is_directory(dir)) {
		free(dir);
		if (asprintf(&dir, "%s%s", archive, OP_DEFAULT_SESSION_DIR) < 0)
			return -ENOMEM;
	}
	*ret = dir;
	return 0;
}

static void warn_of_damaged(void *arg, const char *name)
{
	pp_warn(arg, "%s: damaged in the archive; symbols are missing", name);
}

/* Unpack the open archive @fd into a temporary session directory. */
static int unpack(struct pp_scratch *unpacked, int fd, bool on_disk, struct pp_log *log)
{
	int samples = pp_scratch_make(unpacked, on_disk), store = -1, err;

	if (samples < 0)
		return samples;
	err = mkdirat(samples, ITV_STORE_DIR, 0700) ? -errno : 0;
	if (!err)
		err = store = itv_range_open_store(samples);
	if (store >= 0) {
		err = itv_archive_unpack(fd, store, MAX_ARCHIVE, warn_of_damaged, log);
		close(store);
	}
	close(samples);
	return err;
}

/* If the archive @path is a file, unpack it. Return 1 after unpacking, 0 if @path is a directory or
 * does not exist, or a negative errno with the cause in the log. */
static int unpack_file(struct pp_scratch *unpacked, const char *path, struct pp_log *log)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return op_fail(&log->error, -errno, "cannot open the archive %s: %s", path,
			       strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return 0;
	}
	err = unpack(unpacked, fd, st.st_size > MAX_IN_MEMORY, log);
	if (err == -ENOSPC) {
		pp_scratch_release(unpacked);
		err = unpack(unpacked, fd, true, log);
	}
	close(fd);
	if (err == ITV_ERR_FORMAT)
		return op_fail(&log->error, -EINVAL,
			       "cannot read the archive %s: it is damaged, or not a file of "
			       "oparchive", path);
	if (err)
		return op_fail(&log->error, err < -4095 ? -EINVAL : err,
			       "cannot read the archive %s: %s", path, itv_strerror(err));
	return 1;
}

/* If @spec has samples of a database, set *@ret to their session directory, and return 1. Return 0
 * if @spec names no database, or a negative errno with the cause in the log. */
static int find_store(char **ret, const struct pp_spec *spec, struct pp_log *log)
{
	static const enum pp_tag only[] = {
		PP_TAG_HOST, PP_TAG_SERVICE, PP_TAG_VERSION, PP_TAG_BUILD_ID,
	};

	if (spec->store) {
		*ret = strdup(spec->store->scratch.dir);
		return *ret ? 1 : -ENOMEM;
	}
	if (spec->tags[PP_TAG_STORE].nr)
		return op_fail(&log->error, -EINVAL,
			       "only opreport reads a database: it has neither addresses nor "
			       "binaries; run this program on a host that was profiled");
	for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
		if (spec->tags[only[i]].nr)
			return op_fail(&log->error, -EINVAL,
				       "%s: selects samples of a database: add its URL, "
				       "clickhouse://HOST/DATABASE", pp_tag_name(only[i]));
	return 0;
}

int pp_find_archive(char **ret_archive, char **ret_dir, struct pp_scratch *unpacked,
		    const struct pp_spec *spec, const char *session_dir, struct pp_log *log)
{
	const struct pp_values *archives = &spec->tags[PP_TAG_ARCHIVE];
	int err;

	err = find_store(ret_dir, spec, log);
	if (err)
		return err < 0 ? err : 0;
	if (!archives->nr)
		return 0;
	if (archives->nr > 1) {
		return op_fail(&log->error, -EINVAL,
			       "archive:%s and archive:%s: a report reads only one archive",
			       archives->items[0], archives->items[1]);
	}
	*ret_archive = strdup(archives->items[0]);
	if (!*ret_archive)
		return -ENOMEM;
	err = unpack_file(unpacked, *ret_archive, log);
	if (err < 0)
		return err;
	if (err) {
		*ret_dir = strdup(unpacked->dir);
		return *ret_dir ? 0 : -ENOMEM;
	}
	if (session_in_archive(ret_dir, *ret_archive, session_dir))
		return -ENOMEM;
	if (!pp_is_directory(*ret_dir)) {
		return op_fail(&log->error, -EINVAL,
			       "archive:%s: has no directory %s. Was it made by oparchive? If the "
			       "session was not in %s, name its directory with --session-dir=DIR",
			       *ret_archive, *ret_dir, OP_DEFAULT_SESSION_DIR);
	}
	return 0;
}

int pp_find_session_dir(struct op_session_paths *paths, const char *session_dir, bool notes,
			struct pp_log *log)
{
	const char *env = getenv(OP_SESSION_DIR_ENV);
	int err;

	if (!session_dir && env && *env)
		session_dir = env;
	if (!session_dir && pp_is_directory(OP_LOCAL_SESSION_DIR)) {
		session_dir = OP_LOCAL_SESSION_DIR;
		if (notes)
			pp_note(log,
				"using %s in this directory; --session-dir=%s reads the system's "
				"session",
				OP_LOCAL_SESSION_DIR, OP_DEFAULT_SESSION_DIR);
	}
	err = op_session_paths_init(paths, session_dir);
	if (err && err != -ENOMEM)
		return op_fail(&log->error, err, "--session-dir: needs the name of a directory");
	return err;
}
