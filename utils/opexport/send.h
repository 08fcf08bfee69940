/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h -- sends one interval to ClickHouse, exactly once.
 *
 * An interval has three INSERTs, in this order: its stacks, its samples, and its row of table
 * sessions, which marks the interval as complete. The server stores an INSERT as a whole or not at
 * all, because its rows are one block of one partition in a gzip stream. After an interruption, the
 * next attempt skips the INSERTs that the server has stored:
 *
 * If the server has the row of table sessions, the interval is complete.
 *
 * If the server has more samples with this host and time than its rows of table sessions account
 * for, it has the samples of the interval, and only the row of table sessions is sent.
 *
 * Otherwise all is sent. Table stacks merges equal rows.
 *
 * The id of an INSERT contains the interval's name, so that the server refuses a second attempt
 * while the first one runs. Servers with deduplication also ignore an INSERT that the network
 * repeats.
 */
#ifndef OPEXPORT_SEND_H
#define OPEXPORT_SEND_H

#include "utils/opexport/sender.h"

extern const struct export_sender_ops export_clickhouse;

#endif
