// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * about.c -- a session's metadata file: when and where its samples were taken, and with which
 * programs.
 */
#include "config.h"
#include "daemon/store/about.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "daemon/base/configuration.h"
#include "libop/base/clock.h"
#include "libop/session/about.h"

/* Write to @ret the path of the program that the symbolic link @link names. Write "" if the path is
 * too long: a truncated path could be the path of another program. */
static void name_program(char *ret, size_t size, const char *link)
{
	char path[PATH_MAX];

	*ret = '\0';
	if (link && realpath(link, path) && strlen(path) < size)
		strcpy(ret, path);
}

int opd_about_write(struct opd_about *state, const struct opd_config *cfg, const char *limits,
		    bool is_running, const char *reader, const char *packer, int current_fd)
{
	struct op_session_about about = { 0 };
	const uint64_t now = op_now_ms();
	struct utsname uts;
	int err;

	if (cfg->source == OPD_SOURCE_REPLAY || uname(&uts))
		return 0;
	err = op_session_about_read(&about, current_fd);
	/* If reading the existing file failed for lack of memory or because of the disk, do not
	 * replace it: the file may be intact. */
	if (err && err != -ENOENT && err != -EINVAL && err != -EFBIG && err != -ELOOP)
		return err;
	/* Add the time of sampling, but only the part in this session. */
	if (state->since_ms && about.begun)
		about.sampled_ms += (int64_t)(now - state->since_ms);
	if (!about.begun)
		about.begun = time(NULL);
	about.ended = time(NULL);
	snprintf(about.host, sizeof(about.host), "%s", uts.nodename);
	snprintf(about.kernel, sizeof(about.kernel), "%s", uts.release);
	/* Add this daemon's command to the file once per session. */
	if (cfg->set.command && (!state->is_named || !*about.command))
		op_session_about_add_command(&about, cfg->set.command);
	state->is_named = true;
	snprintf(about.limits, sizeof(about.limits), "%s", limits);
	name_program(about.daemon, sizeof(about.daemon), "/proc/self/exe");
	name_program(about.reader, sizeof(about.reader), reader);
	name_program(about.packer, sizeof(about.packer), packer);
	err = op_session_about_write(&about, current_fd);
	if (!err)
		state->since_ms = is_running ? now : 0;
	return err;
}
