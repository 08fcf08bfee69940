// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * session_settings.c -- the file stats/settings of a session: the settings of the daemon that took
 * its samples.
 */
#include "config.h"
#include "daemon/store/session_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/configuration.h"
#include "libop/base/fs.h"
#include "libop/session/paths.h"

#define SETTINGS_FILE	"stats/settings"
#define MAX_SETTINGS	(1u << 20)

char *opd_settings_events(const struct opd_config *cfg)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < cfg->nr_events; i++) {
		const struct op_event_spec *e = &cfg->events[i];
		char one[400];

		if (cfg->plan.choices)
			op_choice_text(&cfg->plan.choices[i], one, sizeof(one));
		else
			snprintf(one, sizeof(one), "%s:%llu:%u:%d:%d", e->name,
				 (unsigned long long)e->count, e->um, e->kernel, e->user);
		fprintf(f, "%s%s%s%s", i ? "," : "", one, e->filter ? "/" : "",
			e->filter ? e->filter : "");
	}
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

/* Return the settings of @cfg as lines "KEY VALUE" in a fixed order. Newlines in paths are replaced
 * by '?', because the text is only compared and displayed. */
static char *describe(const struct opd_config *cfg)
{
	char *events = opd_settings_events(cfg), separate[OP_SEPARATE_TEXT_SIZE], *text = NULL;
	size_t size;
	FILE *f = events ? open_memstream(&text, &size) : NULL;

	if (!f) {
		free(events);
		return NULL;
	}
	op_separate_text(separate, cfg->set.separate);
	fprintf(f, "events %s\nseparate %s\nimage ", events, *separate ? separate : "none");
	free(events);
	for (size_t i = 0; i < cfg->nr_images; i++) {
		fputs(i ? "," : "", f);
		for (const char *c = cfg->images[i]; *c; c++)
			fputc(*c == '\n' ? '?' : *c, f);
	}
	fputs(cfg->nr_images ? "\n" : "all\n", f);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static void print_differences(FILE *f, char *before, char *now)
{
	char *a, *b, *value;
	const char *between = "";

	while ((a = strsep(&before, "\n")) && (b = strsep(&now, "\n"))) {
		value = strchr(b, ' ');
		if (!strcmp(a, b) || !value)
			continue;
		fprintf(f, "%s%s, now%s", between, a, value);
		between = "; ";
	}
}

char *opd_settings_changed(const struct opd_config *cfg, int current_fd)
{
	char *before = NULL, *now = NULL, *text = NULL;
	size_t len, size;
	FILE *f;

	if (op_session_has_samples(current_fd) <= 0 ||
	    op_read_file(current_fd, SETTINGS_FILE, MAX_SETTINGS, &before, &len))
		return NULL;
	now = describe(cfg);
	f = now && strcmp(before, now) ? open_memstream(&text, &size) : NULL;
	if (f) {
		print_differences(f, before, now);
		if (fclose(f) || !*text) {
			free(text);
			text = NULL;
		}
	}
	free(before);
	free(now);
	return text;
}

int opd_settings_write(const struct opd_config *cfg, int current_fd)
{
	char *text = describe(cfg);
	int err;

	if (!text)
		return -ENOMEM;
	err = op_make_parents(current_fd, SETTINGS_FILE, 0755);
	if (!err)
		err = op_replace_file_nowait(current_fd, SETTINGS_FILE, text, strlen(text), 0644);
	free(text);
	return err;
}
