// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * service.c -- controls the systemd unit oprofile.service by systemctl.
 */
#include "config.h"
#include "utils/opcontrol/service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/shared/spawn.h"

#define UNIT	"oprofile.service"

const char *ctl_root(void)
{
	const char *root = secure_getenv(CTL_ROOT_ENV);

	return root ? root : "";
}

/* Return the path of systemctl (the caller frees it), or NULL if it was not found. */
static char *systemctl(void)
{
	static const char *const places[] = { "/usr/bin/systemctl", "/bin/systemctl" };
	char *path;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (asprintf(&path, "%s%s", ctl_root(), places[i]) < 0)
			return NULL;
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* Return whether systemd is the init system of this machine (sd_booted(3)). */
static bool is_booted(void)
{
	char *path;
	bool is;

	if (asprintf(&path, "%s/run/systemd/system/", ctl_root()) < 0)
		return false;
	is = access(path, F_OK) == 0;
	free(path);
	return is;
}

/* Copy VALUE of the line "NAME=VALUE" in @text to @value. Return false if @text has no such
 * line. */
static bool value_of(char *value, size_t size, const char *text, const char *name)
{
	const size_t len = strlen(name);

	for (; text && *text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, len) || text[len] != '=')
			continue;
		text += len + 1;
		snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
		return true;
	}
	return false;
}

void ctl_service_find(struct ctl_service *ret)
{
	char *program = is_booted() ? systemctl() : NULL, *text = NULL, value[32];
	char *const argv[] = { program, (char *)"show", (char *)"--property=LoadState,ActiveState,MainPID",
			       (char *)UNIT, NULL };

	*ret = (struct ctl_service){ 0 };
	if (program && ctl_spawn(argv, &text) == 0 &&
	    value_of(value, sizeof(value), text, "LoadState") && !strcmp(value, "loaded")) {
		ret->is_there = true;
		if (value_of(value, sizeof(value), text, "MainPID"))
			ret->pid = (pid_t)strtol(value, NULL, 10);
		value_of(ret->state, sizeof(ret->state), text, "ActiveState");
	}
	free(text);
	free(program);
}

int ctl_service_run(const char *verb, struct op_reason *error)
{
	char *program = systemctl();
	char *const reset[] = { program, (char *)"reset-failed", (char *)UNIT, NULL };
	char *const argv[] = { program, (char *)verb, (char *)UNIT, NULL };
	int status;

	/* Starts by hand count for StartLimitBurst= of the unit. */
	if (program && !strcmp(verb, "start"))
		ctl_spawn(reset, NULL);
	status = program ? ctl_spawn(argv, NULL) : -ENOENT;
	free(program);
	if (status < 0)
		return op_fail(error, status, "cannot run systemctl %s " UNIT ": %s", verb,
			       strerror(-status));
	if (status)
		return op_fail(error, -EIO, "cannot %s the service oprofile: the cause is in systemctl "
					    "status oprofile, and in journalctl -u oprofile", verb);
	return 0;
}
