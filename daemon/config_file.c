// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * config_file.c -- parsing of the file of --config, which has the format of daemonrc.
 */
#include "config.h"
#include "daemon/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/options.h"
#include "libop/settings_file.h"

#define PREFIX	"oprofiled: "	/* prefix of the messages of options.c, which this file removes */
#define MAX_SET	100		/* maximum number of settings in a configuration file */
/* value of the setting KEEP that deletes no interval; it is also valid with small disk limits */
#define LONGEST	"20y"

struct reading {
	struct opd_config *cfg;
	bool is_dir_given;
	/* .set: settings that the configuration file has set; .before: the values of all settings
	 * before the file was read */
	const struct op_setting *set[MAX_SET];
	size_t nr_set;
	struct op_settings before;
};

/* Return the message @text of options.c without its prefix and its newline. */
static const char *cause_of(char *text)
{
	if (!text)
		return "out of memory";
	text[strcspn(text, "\n")] = '\0';
	return strncmp(text, PREFIX, strlen(PREFIX)) ? text : text + strlen(PREFIX);
}

/* Set the setting @row to a value of the file, or add an event if @row is NULL. If the value is
 * invalid, record a complaint. Return 1 if the value was set, 0 if it is invalid, or a negative
 * errno. */
static int try(struct opd_config *cfg, unsigned int line, const struct op_setting *row,
	       const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *err = open_memstream(&text, &size);
	int ret;

	if (!err)
		return -ENOMEM;
	ret = row ? opd_config_set(cfg, row, value, err) : opd_config_add_events(cfg, value, err);
	fclose(err);
	if (ret && ret != -ENOMEM)
		ret = opd_config_complain(cfg, "line %u keeps its default: %s", line, cause_of(text));
	else if (!ret)
		ret = 1;
	free(text);
	return ret;
}

static int add_event(struct reading *r, unsigned int line, const char *value)
{
	int ret;

	if (!r->cfg->has_file_events)
		opd_config_clear_events(r->cfg);
	r->cfg->has_file_events = true;
	ret = try(r->cfg, line, NULL, value);
	return ret < 0 ? ret : 0;
}

static int set_dir(struct reading *r, unsigned int line, const struct op_setting *row,
		   const char *value)
{
	const char *dir = r->cfg->set.session_dir;
	int ret;

	if (!strcmp(value, dir))
		return 0;
	if (value[0] == '/' && !r->is_dir_given) {
		ret = try(r->cfg, line, row, value);
		return ret < 0 ? ret : 0;
	}
	return opd_config_complain(r->cfg, "line %u is ignored: the daemon already uses the "
					   "session directory %s%s", line, dir,
			r->is_dir_given ? ", which its command line sets" : "");
}

/* Apply one line of the configuration file. @value NULL: the line is malformed, and @name is its
 * text. */
static int apply_line(void *arg, unsigned int line, const char *name, const char *value)
{
	struct reading *r = arg;
	struct opd_config *cfg = r->cfg;
	const struct op_setting *row;
	int ret;

	if (!value)
		return opd_config_complain(cfg, "line %u is ignored: \"%s\" is not NAME=value, "
						"with the whole value in quotes or without any "
						"quotes",
					   line, name);
	if (!op_settings_variable_known(name))
		return opd_config_complain(cfg, "line %u is ignored: unknown setting %s", line, name);
	if (!*value)
		return 0;
	if (!strncmp(name, OP_EVENT_VARIABLE, strlen(OP_EVENT_VARIABLE)))
		return add_event(r, line, value);
	row = op_setting_by_variable(name, OP_FOR_DAEMON);
	if (!row) {
		row = op_setting_by_variable(name, OP_FOR_OPCONTROL);
		/* Skip settings that only opcontrol uses. Keep bits (OP_SETTING_BIT): the table
		 * lists their variables for opcontrol only, but each bit is a part of a daemon's
		 * setting. */
		if (!row || row->type != OP_SETTING_BIT)
			return 0;
	}
	if (!strcmp(name, "SESSION_DIR"))
		return set_dir(r, line, row, value);
	if (!strcmp(name, "VMLINUX") && !strcmp(value, OP_NO_VMLINUX)) {
		cfg->set.no_vmlinux = true;
		return 0;
	}
	ret = try(cfg, line, row, value);
	/* The line of KEEP is invalid: do not use the default of KEEP, which could delete intervals
	 * that the line meant to keep. */
	if (!ret && !strcmp(name, "KEEP") && !(ret = opd_config_complain(cfg, "until line %u is "
		"corrected, the daemon deletes intervals only because of MAX_DISK, not by "
		"age", line)))
		ret = try(cfg, line, row, LONGEST);
	if (ret > 0 && r->nr_set < MAX_SET)
		r->set[r->nr_set++] = row;
	return ret < 0 ? ret : 0;
}

/* Return 0 if the settings of @cfg are consistent; otherwise return a negative errno and set
 * *@ret_text to the message, which the caller frees. */
static int check(struct opd_config *cfg, char **ret_text)
{
	size_t size;
	FILE *err;
	int ret;

	*ret_text = NULL;
	err = open_memstream(ret_text, &size);
	if (!err)
		return -ENOMEM;
	ret = opd_config_complete(cfg, err);
	fclose(err);
	return ret;
}

/*
 * Set the setting @row to its value in @file, the values of the configuration file, and check that
 * all settings are consistent. Return 1 if they are. Otherwise restore the earlier value, set
 * *@ret_cause to the message, which the caller frees, and return 0. Return a negative errno for
 * other errors.
 */
static int try_with(struct reading *r, const struct op_setting *row, const struct op_settings *file,
		    char **ret_cause)
{
	struct op_settings *set = &r->cfg->set;
	int err = op_setting_copy(row, set, file);

	*ret_cause = NULL;
	if (err)
		return err;
	if (check(r->cfg, ret_cause))
		return op_setting_copy(row, set, &r->before);
	return 1;
}

/*
 * Set one setting of the file after the other, if it is consistent with the settings already set;
 * repeat this until no further setting can be set. Record a complaint about each remaining setting.
 * @file: the values of the file.
 */
static int set_consistent(struct reading *r, const struct op_settings *file)
{
	bool is_done[MAX_SET] = { false }, goes_on = true;
	char *cause;
	int ret = 0;

	while (goes_on && ret >= 0) {
		goes_on = false;
		for (size_t i = 0; i < r->nr_set && ret >= 0; i++) {
			if (is_done[i])
				continue;
			ret = try_with(r, r->set[i], file, &cause);
			is_done[i] = ret > 0;
			goes_on |= ret > 0;
			free(cause);
		}
	}
	for (size_t i = 0; i < r->nr_set && ret >= 0; i++) {
		if (is_done[i])
			continue;
		ret = try_with(r, r->set[i], file, &cause);
		if (!ret)
			ret = opd_config_complain(r->cfg, "%s keeps its default: %s", r->set[i]->variable,
				       cause_of(cause));
		free(cause);
	}
	return ret < 0 ? ret : 0;
}

/* If the file's events cannot be counted together, use the default event. */
static int check_events(struct opd_config *cfg)
{
	char *cause;
	int err = 0;

	if (check(cfg, &cause) && cfg->has_file_events) {
		err = opd_config_complain(cfg, "the events are replaced by the default event: %s",
			       cause_of(cause));
		opd_config_clear_events(cfg);
		cfg->has_file_events = false;
	}
	free(cause);
	return err;
}

/* If the settings are inconsistent, reject the settings of the file that conflict with other
 * settings. */
static int make_consistent(struct reading *r)
{
	struct opd_config *cfg = r->cfg;
	struct op_settings file = { 0 };
	char *cause;
	int err = check(cfg, &cause);

	free(cause);
	if (!err)
		return 0;
	err = 0;
	for (size_t i = 0; i < r->nr_set && !err; i++) {
		err = op_setting_copy(r->set[i], &file, &cfg->set);
		if (!err)
			err = op_setting_copy(r->set[i], &cfg->set, &r->before);
	}
	if (!err)
		err = check_events(cfg);
	if (!err)
		err = set_consistent(r, &file);
	op_settings_release(&file);
	return err;
}

int opd_config_file_read(struct opd_config *cfg, bool is_dir_given)
{
	struct reading r = { .cfg = cfg, .is_dir_given = is_dir_given };
	const struct op_setting *row;
	int err = 0;

	op_for_each_setting(row, OP_FOR_DAEMON | OP_FOR_OPCONTROL) {
		if (!err)
			err = op_setting_copy(row, &r.before, &cfg->set);
	}
	if (err)
		goto release_before;
	err = op_settings_file_read(cfg->file, apply_line, &r);
	if (err && err != -ENOENT && err != -ENOMEM)
		err = opd_config_complain(cfg, "cannot read the file: %s; all settings have their "
					       "defaults",
			       strerror(-err));
	else if (err == -ENOENT)
		err = 0;
	if (!err)
		err = make_consistent(&r);

release_before:
	op_settings_release(&r.before);
	return err;
}

int opd_config_file_drop_events(struct opd_config *cfg, const struct op_reason *error)
{
	char *text;
	int err;

	if (!cfg->has_file_events)
		return -EINVAL;
	err = opd_config_complain(cfg, "the events are replaced by the default event: %s", error->text);
	if (err)
		return err;
	cfg->has_file_events = false;
	opd_config_clear_events(cfg);
	err = check(cfg, &text);
	free(text);
	return err;
}
