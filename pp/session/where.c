// SPDX-License-Identifier: GPL-2.0-or-later
/* where.c -- the session directory of a report. */
#include "config.h"
#include "pp/session/where.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool pp_is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Find the session directory in an archive. oparchive always stores a session at the default path;
 * OProfile 1.4's oparchive stores it at its original path. Return 0 or -ENOMEM. */
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

int pp_find_archive(char **ret_archive, char **ret_dir, const struct pp_spec *spec,
			const char *session_dir, struct pp_log *log)
{
	const struct pp_values *archives = &spec->tags[PP_TAG_ARCHIVE];

	if (!archives->nr)
		return 0;
	if (archives->nr > 1) {
		return op_fail(&log->error, -EINVAL,
			       "archive:%s and archive:%s: a report reads only one archive",
			       archives->items[0], archives->items[1]);
	}
	*ret_archive = strdup(archives->items[0]);
	if (!*ret_archive || session_in_archive(ret_dir, *ret_archive, session_dir))
		return -ENOMEM;
	if (!pp_is_directory(*ret_dir)) {
		return op_fail(&log->error, -EINVAL,
			       "archive:%s: has no directory %s. Was it made by oparchive? If the "
			       "session was not in %s, name its directory with --session-dir=DIR",
			       *ret_archive, *ret_dir, OP_DEFAULT_SESSION_DIR);
	}
	return 0;
}

int pp_find_session_dir(struct op_session_paths *paths, const char *session_dir, bool tell,
			struct pp_log *log)
{
	const char *env = getenv(OP_SESSION_DIR_ENV);
	int err;

	if (!session_dir && env && *env)
		session_dir = env;
	if (!session_dir && pp_is_directory(OP_LOCAL_SESSION_DIR)) {
		session_dir = OP_LOCAL_SESSION_DIR;
		if (tell)
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
