/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h -- the accounting of every interrupt of a session: one table of counters, which the daemon writes beside the
 * sample files and reports and opcontrol --status read.
 *
 * Tests check the rule: OP_STAT_TAKEN == OP_STAT_STORED + every counter of kind OP_STAT_LOSS (+
 * OP_STAT_CONVERTED, with IBS), exactly, after shutdown or a dump.
 *
 * On disk (OP_STATS_FILE, replaced atomically): a line "check HASH" of all that follows; while samples are taken a line
 * "writer PID START NAMESPACE BOOT" (writer.h); then lines "name value"; unknown names are kept and shown as they are,
 * so an old report can read a new daemon's file.
 */
#ifndef OP_SESSION_STATS_H
#define OP_SESSION_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "libop/session/writer.h"

enum op_stat_kind {
	OP_STAT_TAKEN,	/* interrupts that were to become a sample */
	OP_STAT_STORED,	/* counts added to sample files */
	OP_STAT_LOSS,	/* interrupts that ended here instead */
	OP_STAT_CONVERTED, /* interrupts that became other events' counts, themselves OP_STAT_TAKEN */
	OP_STAT_INFO,	/* worth telling, not part of the sum */
	OP_STAT_PATHS,	/* of call paths, beside the sum: reports of paths tell that by themselves */
};

struct op_stat_desc {
	const char *name;
	enum op_stat_kind kind;
	const char *what;	/* a clause a user understands: "CPU buffer full" */
	const char *advice;	/* what to do about it, or NULL */
};

/* One row per counter, kernel side and daemon side; libop/session/stats.c holds it. */
extern const struct op_stat_desc op_stat_descs[];
extern const size_t op_nr_stat_descs;

struct op_session_stats {
	struct op_stat_value {
		char *name;
		const struct op_stat_desc *desc;	/* NULL: not in our table */
		uint64_t value;
	} *values;
	size_t nr;
	/* The process that may have stored more samples than the values say; .pid 0: the values are the final ones. */
	struct op_session_writer writer;
};

/* All functions: 0 or negative errno. A name not in the table is fine. */
int op_session_stats_add(struct op_session_stats *s, const char *name, uint64_t value);
uint64_t op_session_stats_get(const struct op_session_stats *s, const char *name);
uint64_t op_session_stats_sum(const struct op_session_stats *s, enum op_stat_kind kind);

/*
 * How long an event was wanted, and how long it was really counted, in ns summed over CPUs:
 * "enabled_ns:EVENT.COUNT.UM" and "running_ns:...", with EVENT.COUNT.UM as in the names of its sample
 * files. Less running than enabled: events took turns, and counts are that much too small.
 */
enum op_event_time { OP_EVENT_ENABLED, OP_EVENT_RUNNING };
#define OP_EVENT_TIME_NAME	200	/* bytes that the longest name needs */
int op_event_time_name(char *name, size_t size, enum op_event_time which, const char *event,
		       uint64_t count, uint32_t um);
/* 0, or -ENOENT when the session does not say: then it was counted all the time. */
int op_session_stats_event_time(const struct op_session_stats *s, const char *event, uint64_t count,
				uint32_t um, uint64_t *enabled, uint64_t *running);

/*
 * @samples_dirfd: a samples directory (DIR/samples/current). Makes stats/ when missing.
 * Does not wait for the disk: until syncfs() a power cut may leave the file empty. A full disk stops
 * only the first one in a directory, and one that needs another block.
 */
int op_session_stats_write(const struct op_session_stats *s, int samples_dirfd);
/* Both fill a zeroed struct, skipping lines that make no sense. @text is cut into pieces. */
/* OP_ERR_DAMAGED: the checksum does not match. */
int op_session_stats_read(struct op_session_stats *s, int samples_dirfd);
int op_session_stats_parse(struct op_session_stats *s, char *text);
void op_session_stats_release(struct op_session_stats *s);

#endif
