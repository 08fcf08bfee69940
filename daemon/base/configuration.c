// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * configuration.c -- messages about invalid settings in the file of --config, and release of the
 * configuration's memory.
 */
#include "config.h"
#include "daemon/base/configuration.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"

int opd_config_complain(struct opd_config *cfg, const char *fmt, ...)
{
	char text[600], clean[700], *all;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	op_clean(clean, sizeof(clean), text);
	if (asprintf(&all, "%s%s: %s\n", cfg->complaints ? cfg->complaints : "", cfg->file, clean) < 0)
		return -ENOMEM;
	free(cfg->complaints);
	cfg->complaints = all;
	return 0;
}

void opd_config_release(struct opd_config *cfg)
{
	for (size_t i = 0; i < cfg->nr_events; i++)
		op_event_spec_release(&cfg->events[i]);
	for (size_t i = 0; i < cfg->nr_images; i++)
		free(cfg->images[i]);
	free(cfg->events);
	op_event_plan_release(&cfg->plan);
	free(cfg->images);
	free(cfg->pids);
	free(cfg->file);
	free(cfg->complaints);
	op_settings_release(&cfg->set);
	memset(cfg, 0, sizeof(*cfg));
}
