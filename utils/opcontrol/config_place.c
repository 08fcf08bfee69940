// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * config_place.c -- location of opcontrol's settings, and migration of root's daemonrc to the
 * machine's configuration file.
 */
#include "config.h"
#include "utils/opcontrol/config_place.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libop/base/clean.h"
#include "utils/opcontrol/options.h"
#include "utils/opcontrol/service.h"
#include "utils/shared/daemonrc.h"

#define MACHINE_DIR	SYSCONFDIR "/oprofile"

/* Return the path of the file daemonrc in the home directory of the effective user. Ignore $HOME,
 * because after sudo it may be the home of another user. */
static char *home_place(void)
{
	const struct passwd *user = getpwuid(geteuid());
	char *path;

	return asprintf(&path, "%s%s/.oprofile/daemonrc", ctl_root(),
			user ? user->pw_dir : "/root") < 0 ? NULL : path;
}

char *ctl_config_place(const struct ctl_request *req, bool *is_machine)
{
	const char *env = getenv("OPROFILE_CONFIG");
	char *dir, *path;

	*is_machine = false;
	if (req->config_file)
		return strdup(req->config_file);
	if (env && *env)
		return strdup(env);
	if (geteuid())
		return home_place();
	if (asprintf(&dir, "%s" MACHINE_DIR, ctl_root()) < 0)
		return NULL;
	*is_machine = access(dir, F_OK) == 0;
	if (!*is_machine)
		path = home_place();
	else if (asprintf(&path, "%s/oprofile.conf", dir) < 0)
		path = NULL;
	free(dir);
	return path;
}

/* Copy to @to those settings of @from that differ from opcontrol's defaults. */
static int copy_chosen(struct op_settings *to, const struct op_settings *from)
{
	const struct op_setting *row;
	struct op_settings defaults;
	int err = op_settings_init(&defaults, OP_FOR_OPCONTROL);

	if (err)
		return err;
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		char *chosen = NULL, *usual = NULL;

		if (!err)
			err = op_setting_text(&chosen, row, from);
		if (!err)
			err = op_setting_text(&usual, row, &defaults);
		if (!err && strcmp(chosen ? chosen : "", usual ? usual : ""))
			err = op_setting_copy(row, to, from);
		free(usual);
		free(chosen);
	}
	if (!err && from->nr_events)
		op_settings_clear_events(to);
	for (size_t i = 0; i < from->nr_events && !err; i++)
		err = op_settings_add_event(to, from->events[i]);
	op_settings_release(&defaults);
	return err;
}

/* Write the settings in the file @old to @path, and rename the file @old. */
static int move(const char *old, const char *path, bool is_service, struct op_reason *error)
{
	struct op_settings cfg, from;
	char *moved = NULL;
	int err;

	if (op_settings_init(&from, OP_FOR_OPCONTROL))
		return -ENOMEM;
	err = is_service ? ctl_settings_service(&cfg) : op_settings_init(&cfg, OP_FOR_OPCONTROL);
	if (!err)
		err = ctl_settings_read_machine(&cfg, path, is_service, stderr, error);
	if (err == -ENOENT)
		err = 0;
	if (!err)
		err = ctl_settings_read(&from, old, error);
	if (!err)
		err = copy_chosen(&cfg, &from);
	if (!err)
		err = ctl_settings_write(&cfg, path, error);
	if (!err && (asprintf(&moved, "%s.moved", old) < 0 || rename(old, moved)))
		err = op_fail(error, -errno, "cannot rename %s: %s", old, strerror(errno));
	free(moved);
	op_settings_release(&cfg);
	op_settings_release(&from);
	return err;
}

int ctl_config_move(FILE *out, const char *path, bool is_service)
{
	struct op_reason error = { "" };
	char *old = home_place();
	int err;

	if (!old)
		return -ENOMEM;
	if (access(old, F_OK) == 0) {
		err = move(old, path, is_service, &error);
		if (err)
			op_clean_printf(stderr, "opcontrol: warning: the settings in %s are not used: %s\n",
					old, op_reason_text(&error, err));
		else
			op_clean_printf(out, "Moved the settings in %s to %s.\n", old, path);
	}
	free(old);
	return 0;
}
