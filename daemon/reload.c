// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reload.c -- reload of the daemon's configuration: applies the settings that a running daemon can
 * change, and logs the names of the others.
 */
#include "config.h"
#include "daemon/reload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "daemon/config_file.h"
#include "daemon/limits.h"
#include "daemon/options.h"
#include "daemon/source/events.h"
#include "daemon/store/session_settings.h"
#include "daemon/verbs.h"
#include "libop/base/error.h"

/* Apply the setting @row, which has a new value. Return true if the daemon uses the new value now,
 * or false if it uses the value only after a restart. */
static bool apply(struct opd_parts *p, const struct op_setting *row, const struct opd_config *new)
{
	/* Only a restart can enable or disable intervals. */
	if (!new->intervals.interval || !p->cfg->intervals.interval)
		return false;
	if (!strcmp(row->variable, "INTERVAL"))
		opd_intervals_set_interval(&p->intervals, new->intervals.interval);
	else if (!strcmp(row->variable, "KEEP") && opd_limits_are_sure(new))
		opd_intervals_set_keep(&p->intervals, new->intervals.keep);
	else
		return false;
	return true;
}

/* Return true if the setting @row has the same value in both configurations. */
static bool is_same(const struct op_setting *row, const struct opd_config *a,
		    const struct opd_config *b)
{
	char *one = NULL, *other = NULL;
	bool same = true;

	/* Compare KEEP and MAX_DISK as numbers: the daemon may have raised a limit that is too
	 * low, and then the text of the limit differs from the text in the file. */
	if (row->variable && !strcmp(row->variable, "KEEP"))
		return a->intervals.keep == b->intervals.keep;
	if (row->variable && !strcmp(row->variable, "MAX_DISK"))
		return a->intervals.max_bytes == b->intervals.max_bytes;
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

/* Return true if the daemon must not use the new value of the setting @row, not even at its next
 * start: the setting is a limit of intervals, the new value is lower, and the file of --config has
 * an error, so the value may be wrong. */
static bool must_keep_limit(const struct op_setting *row, const struct opd_config *cfg,
		    const struct opd_config *new)
{
	if (opd_limits_are_sure(new) || !cfg->intervals.interval)
		return false;
	return (!strcmp(row->variable, "KEEP") && new->intervals.keep < cfg->intervals.keep) ||
	       (!strcmp(row->variable, "MAX_DISK") &&
		new->intervals.max_bytes < cfg->intervals.max_bytes);
}

/* Lists of names of settings whose values differ. USED: the new value is used now. LATER: the new
 * value is used at the next start. HELD: the new value is not used; see must_keep_limit(). */
enum { USED, LATER, HELD, NR_LISTS };

/* Apply the settings whose values differ, and write the name of each to one of the @lists. */
static void change(struct opd_parts *p, struct opd_config *cfg, const struct opd_config *new,
		   FILE *lists[NR_LISTS])
{
	FILE *later = lists[LATER];
	const struct op_setting *row;

	op_for_each_setting(row, OP_FOR_DAEMON | OP_FOR_OPCONTROL) {
		FILE *list = later;

		if (!row->variable || is_same(row, cfg, new))
			continue;
		if (must_keep_limit(row, cfg, new))
			list = lists[HELD];
		else if (apply(p, row, new) && !op_setting_copy(row, &cfg->set, &new->set))
			list = lists[USED];
		fprintf(list, "%s%s", ftell(list) ? ", " : "", row->variable);
	}
	cfg->intervals.interval = p->intervals.interval;
	cfg->intervals.keep = p->intervals.keep;
	if (!has_same_events(cfg, new))
		fprintf(later, "%sthe events", ftell(later) ? ", " : "");
}

/* Log the names of the settings in the lists USED, LATER and HELD. */
static void log_lists(struct opd_log *log, const char *file, char *const names[NR_LISTS])
{
	if (*names[USED])
		opd_log(log, OPD_INFO, "%s: new settings in use: %s", file, names[USED]);
	if (*names[LATER])
		opd_log(log, OPD_WARN, "%s: new settings that wait for a restart: %s; run "
				       "systemctl restart oprofile, or opcontrol --shutdown and "
				       "--start", file, names[LATER]);
	if (*names[HELD])
		opd_log(log, OPD_WARN, "%s: settings not applied: %s; the file has errors, and "
				       "lower limits would delete intervals; correct the file, "
				       "then run systemctl reload oprofile", file, names[HELD]);
	if (!*names[USED] && !*names[LATER] && !*names[HELD])
		opd_log(log, OPD_INFO, "%s: no change", file);
}

/* Apply the settings whose values differ, and log their names. Return true if the daemon keeps a
 * limit although the file of --config contains a lower value (must_keep_limit()). */
static bool change_and_log(struct opd_parts *p, struct opd_config *cfg,
			   const struct opd_config *new)
{
	char *names[NR_LISTS] = { NULL };
	FILE *lists[NR_LISTS];
	size_t size[NR_LISTS];
	bool ok = true, is_held;

	for (int i = 0; i < NR_LISTS; i++) {
		lists[i] = open_memstream(&names[i], &size[i]);
		ok &= lists[i] != NULL;
	}
	if (ok)
		change(p, cfg, new, lists);
	for (int i = 0; i < NR_LISTS; i++)
		ok &= lists[i] && !fclose(lists[i]);
	if (ok)
		log_lists(&p->log, cfg->file, names);
	is_held = ok && *names[HELD];
	for (int i = 0; i < NR_LISTS; i++)
		free(names[i]);
	return is_held;
}

/* Move the complaints about the file of --config, which --status prints, from @new to @cfg, and
 * store the limits of intervals in the session directory. @is_held: the daemon keeps a limit
 * although the file contains a lower value. */
static void note_file(struct opd_parts *p, struct opd_config *cfg, struct opd_config *new,
		      bool is_held)
{
	const int err = opd_limits_are_sure(new) && cfg->intervals.interval ?
			opd_limits_store(cfg, p->session.dir_fd) : 0;
	char *old = cfg->complaints;

	if (err)
		opd_log(&p->log, OPD_WARN, "cannot write the limits of intervals into %s: %s",
			p->session.paths.dir, op_strerror(err));
	cfg->complaints = new->complaints;
	new->complaints = old;
	if (is_held)
		opd_limits_complain(cfg);
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
	if (ret) {
		opd_log(&p->log, OPD_WARN, "cannot reload the configuration: %s%s", text,
			error.text);
	} else {
		note_file(p, cfg, &new, change_and_log(p, cfg, &new));
	}
	opd_config_release(&new);
	free(text);
}
