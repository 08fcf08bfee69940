// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * configuration.c -- release of the configuration's memory.
 */
#include "config.h"
#include "daemon/base/configuration.h"

#include <stdlib.h>
#include <string.h>

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
