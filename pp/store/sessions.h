/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sessions.h -- the times and the accounting of the hosts' intervals, from table sessions. */
#ifndef PP_STORE_SESSIONS_H
#define PP_STORE_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "intervals/store.h"
#include "libop/base/reason.h"
#include "pp/base/block.h"
#include "pp/store/decode.h"

/* An interval of a host. */
struct store_session {
	uint32_t begin, end;	/* seconds since 1970 */
	const char *host, *name;
	uint64_t samples, sent, taken, stored;
	uint32_t rows;
	/* names and counts of the losses, adjacent in .losses of struct store_sessions */
	size_t loss, nr_losses;
	const char *kernel, *cpu;
	double mhz;			/* 0: unknown */
	/* text of the accounting (itv_accounting_parse()); .len 0: the row has none */
	const char *accounting;
	size_t len;
};

struct store_loss {
	const char *name;
	uint64_t count;
};

struct store_sessions {
	struct store_session *items;	/* sorted by begin */
	size_t nr;
	struct store_loss *losses;
	size_t nr_losses, nr_hosts;
	/* rows of a newer version of the tables, which are left out, and the host of the first */
	size_t nr_newer;
	const char *newer_host;
	uint64_t rows;			/* number of rows of all sessions in table samples */
	struct pp_block *strings;
	struct pp_intern intern;
};

/* Read the answer to store_query_sessions(). Return 0, -ENOMEM, or -EPROTO with a message: the
 * answer is damaged, or all rows are of a newer version of the tables. */
int store_sessions_read(struct store_sessions *ret, struct store_rows *rows,
			struct op_reason *error);
void store_sessions_release(struct store_sessions *sessions);

struct itv_accounting;

/* Write the accounting of a session to the zeroed struct *@ret, so that it can be added to @sum.
 * @host: name of the host, or of all hosts of the report. Return 0, or -ENOMEM, or 1 if the row has
 * no usable accounting: *@ret then has only the times, and a counter of unknown totals. */
int store_session_accounting(struct itv_accounting *ret, const struct store_sessions *sessions,
			     const struct store_session *session, const char *host,
			     const struct itv_accounting *sum);
/* Return the step and the kernel in the name of the interval (intervals/store.h), in an entry that
 * is otherwise undefined. */
struct itv_entry store_session_entry(const struct store_session *session);

#endif
