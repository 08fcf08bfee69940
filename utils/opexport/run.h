/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h -- exports the closed intervals of a session directory: once, or as a service. */
#ifndef OPEXPORT_RUN_H
#define OPEXPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "pp/base/log.h"
#include "utils/opexport/options.h"

/* Export the intervals once. Print a summary. Return 0, or a negative error with a message in the
 * log. */
int export_run_once(const struct export_options *options, struct pp_log *log);

/* Export the intervals until SIGTERM or SIGINT. After a failure, log it and try again. Return 0, or
 * a negative error with a message in the log if the service cannot start. */
int export_run_service(const struct export_options *options, struct pp_log *log);

#endif
