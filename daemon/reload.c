// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reload.c -- the daemon reads its configuration again: it changes the settings that it can change,
 * and names the others.
 */
#include "config.h"
#include "daemon/reload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/configuration.h"
#include "daemon/config_file.h"
#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/store/session_settings.h"
#include "daemon/verbs.h"

/*
 * Return whether the daemon may keep intervals for the time in @new. A shorter time deletes
 * intervals for good, so the time must come from a file without errors: another value may stand for
 * a line that cannot be used, or for a missing file.
 */
static bool may_keep(const struct opd_config *new)
{
	return !new->complaints && !access(new->file, F_OK);
}

/* A setting has another value. Return whether the daemon uses it from now on. */
static bool apply(struct opd_parts *p, const struct op_setting *row, const struct opd_config *new)
{
	/* Only the start and the end of a daemon begin and end intervals. */
	if (!new->intervals.interval || !p->cfg->intervals.interval)
		return false;
	if (!strcmp(row->variable, "INTERVAL"))
		opd_intervals_set_interval(&p->intervals, new->intervals.interval);
	else if (!strcmp(row->variable, "KEEP") && may_keep(new))
		opd_intervals_set_keep(&p->intervals, new->intervals.keep);
	else
		return false;
	return true;
}

/* Return whether a setting has the same value in both configurations. */
static bool is_same(const struct op_setting *row, const struct opd_config *a,
		    const struct opd_config *b)
{
	char *one = NULL, *other = NULL;
	bool same = true;

	if (!op_setting_text(&one, row, &a->set) && !op_setting_text(&other, row, &b->set))
		same = !strcmp(one ? one : "", other ? other : "");
	free(one);
	free(other);
	return same;
}

static bool has_same_events(const struct opd_config *a, const struct opd_config *b)
{
	char *one = opd_settings_events(a), *other = opd_settings_events(b);
	bool same = one && other && !strcmp(one, other);

	free(one);
	free(other);
	return same;
}

/* Compare the configurations, and write the names of the settings that differ to @used and
 * @later. */
static void change(struct opd_parts *p, struct opd_config *cfg, const struct opd_config *new,
		   FILE *used, FILE *later)
{
	const struct op_setting *row;

	op_for_each_setting(row, OP_FOR_DAEMON | OP_FOR_OPCONTROL) {
		FILE *list = later;

		if (!row->variable || is_same(row, cfg, new))
			continue;
		if (apply(p, row, new) && !op_setting_copy(row, &cfg->set, &new->set))
			list = used;
		fprintf(list, "%s%s", ftell(list) ? ", " : "", row->variable);
	}
	cfg->intervals.interval = p->intervals.interval;
	cfg->intervals.keep = p->intervals.keep;
	if (!has_same_events(cfg, new))
		fprintf(later, "%sthe events", ftell(later) ? ", " : "");
}

/* Log the names of the settings that differ. */
static void change_and_log(struct opd_parts *p, struct opd_config *cfg,
			   const struct opd_config *new)
{
	char *names[2] = { NULL, NULL };
	size_t size[2];
	FILE *used = open_memstream(&names[0], &size[0]);
	FILE *later = open_memstream(&names[1], &size[1]);

	if (used && later)
		change(p, cfg, new, used, later);
	if (used)
		fclose(used);
	if (later)
		fclose(later);
	if (names[0] && *names[0])
		opd_log(&p->log, OPD_INFO, "%s: changed: %s", cfg->file, names[0]);
	if (names[1] && *names[1])
		opd_log(&p->log, OPD_WARN, "%s: changed at the next start: %s; systemctl restart "
			"oprofile, or opcontrol --shutdown and --start", cfg->file, names[1]);
	if (names[0] && names[1] && !*names[0] && !*names[1])
		opd_log(&p->log, OPD_INFO, "%s: no change", cfg->file);
	free(names[0]);
	free(names[1]);
}

void opd_reload(struct opd_parts *p, struct opd_config *cfg)
{
	struct op_reason error = { "" };
	struct opd_config new;
	char *text = NULL;
	size_t size;
	FILE *err;
	int ret;

	if (!cfg->file)
		return;
	err = open_memstream(&text, &size);
	if (!err)
		return;
	ret = opd_config_parse(&new, cfg->argc, cfg->argv, err, err) == OPD_PARSE_RUN ? 0 : -1;
	fclose(err);
	if (!ret)
		ret = opd_events_resolve(&new, &error);
	if (ret && !opd_config_file_drop_events(&new, &error))
		ret = opd_events_resolve(&new, &error);
	opd_log_lines(&p->log, OPD_WARN, new.complaints);
	if (ret)
		opd_log(&p->log, OPD_WARN, "cannot read the configuration again: %s%s", text,
			error.text);
	else
		change_and_log(p, cfg, &new);
	opd_config_release(&new);
	free(text);
}
