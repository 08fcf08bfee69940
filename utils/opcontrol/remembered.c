// SPDX-License-Identifier: GPL-2.0-or-later
/* remembered.c -- a report of settings that earlier commands made. */
#include "config.h"
#include "utils/opcontrol/remembered.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"

static bool is_chosen(const struct ctl_request *req, const struct op_setting *row)
{
	for (size_t i = 0; i < req->nr_settings; i++)
		if (req->settings[i].setting == row)
			return true;
	return false;
}

/* Print " --NAME=VALUE" for a setting that differs from the default. */
static int add_row(FILE *list, const struct op_setting *row, const struct op_settings *cfg,
		   const struct op_settings *defaults)
{
	char *text = NULL, *usual = NULL;
	int err = op_setting_text(&text, row, cfg);

	if (!err)
		err = op_setting_text(&usual, row, defaults);
	if (!err && strcmp(text ? text : "", usual ? usual : ""))
		op_clean_printf(list, " --%s=%s", row->name, text ? text : row->type == OP_SETTING_SEPARATE ? "none" : "0");
	free(usual);
	free(text);
	return err;
}

static int add_all(FILE *list, const struct op_settings *cfg, const struct ctl_request *req,
		   const struct op_settings *defaults)
{
	const struct op_setting *row;
	int err = 0;

	for (size_t i = 0; i < cfg->nr_events && !ctl_options_choose_events(req); i++)
		op_clean_printf(list, " --event=%s", cfg->events[i]);
	op_for_each_setting(row, OP_FOR_OPCONTROL) {
		if (!err && row->name && row->type != OP_SETTING_OWN && !is_chosen(req, row))
			err = add_row(list, row, cfg, defaults);
	}
	return err;
}

int ctl_remembered_print(FILE *out, const struct op_settings *cfg, const struct ctl_request *req,
			 const char *config_path)
{
	struct op_settings defaults;
	char *text = NULL;
	size_t size;
	FILE *list;
	int err;

	if (op_settings_init(&defaults, OP_FOR_OPCONTROL))
		return -ENOMEM;
	list = open_memstream(&text, &size);
	err = list ? add_all(list, cfg, req, &defaults) : -ENOMEM;
	if (list && fclose(list))
		err = -ENOMEM;
	if (!err && *text)
		op_clean_printf(out, "Settings remembered from earlier commands:%s; to return to "
				     "the defaults at the next start, run rm '%s'\n",
				text, config_path);
	free(text);
	op_settings_release(&defaults);
	return err;
}
