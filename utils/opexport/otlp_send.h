/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * otlp_send.h -- sends one interval to a collector of OpenTelemetry, at least once.
 *
 * A collector cannot report which intervals it has, and does not ignore a repeated request. So a
 * request is repeated until the collector accepts or refuses it: a request whose answer was lost is
 * stored twice. Requests that were accepted are not repeated while this process runs. A profile has
 * the same id in each repetition.
 */
#ifndef OPEXPORT_OTLP_SEND_H
#define OPEXPORT_OTLP_SEND_H

#include "utils/opexport/sender.h"

extern const struct export_sender_ops export_collector;

#endif
