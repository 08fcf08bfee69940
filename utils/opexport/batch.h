/* SPDX-License-Identifier: GPL-2.0-or-later */
/* batch.h -- the bodies of the INSERTs of one interval. */
#ifndef OPEXPORT_BATCH_H
#define OPEXPORT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "utils/opexport/bytes.h"
#include "utils/opexport/interval.h"
#include "utils/opexport/rows.h"

/* Maximum number of rows of an INSERT, less than the server's default block of 2^20 rows. The
 * server may store an INSERT of several blocks in part. */
#define EXPORT_MAX_ROWS	1000000

/* The host as the tables name it. */
struct export_host {
	char name[256];		/* unique name */
	char machine[33];	/* hash of the machine's id, which does not reveal the id */
};

/* Ids of the stacks that were sent for intervals of one day. A struct of zeros is empty. */
struct export_sent_stacks {
	uint64_t *ids;		/* sorted */
	size_t nr;
	int64_t day;		/* in days since 1970 */
};

/* The rows of an interval for the tables samples and stacks. */
struct export_batch {
	/* compressed rows in the format RowBinary */
	struct export_bytes samples, stacks;
	size_t nr_samples, nr_stacks;		/* numbers of rows */
	uint64_t sent;		/* sum of the counts of the rows that are sent */
	size_t nr_thinned;	/* number of rows that were dropped */
	/* ids of the stacks that are in .stacks, sorted */
	uint64_t *ids;
	size_t nr_ids;
};

/* Compute the limit T of thin.h. @max_rows: limit of --rows; 0: EXPORT_MAX_ROWS. Return 0 or
 * -ENOMEM. */
int export_rows_limit(uint64_t *ret, const struct export_rows *rows, size_t max_rows);
/* Return the count of the row after thinning with the limit @limit; 0: the row is dropped. A
 * repeated export gets the same result. */
uint64_t export_row_count(const struct export_row *row, uint64_t limit,
			  const struct export_host *host, const struct itv_entry *entry);

/* Make the rows of tables samples and stacks. @max_rows: limit of --rows; 0: EXPORT_MAX_ROWS. Omit
 * stacks in @known. Return 0 or -ENOMEM. */
int export_batch_make(struct export_batch *ret, const struct export_rows *rows,
		      const struct export_host *host, const struct itv_entry *entry,
		      size_t max_rows, const struct export_sent_stacks *known,
		      enum export_packing packing);
void export_batch_release(struct export_batch *batch);

/* Add the stacks of the batch to @known. @begin: begin of the interval, in seconds since 1970. If
 * memory is short, later intervals send the stacks again. */
void export_batch_note_stacks(struct export_sent_stacks *known, const struct export_batch *batch,
			      int64_t begin);

/* Reason of a gap: the daemon merged a part that was sent with others that were not. */
#define EXPORT_MERGED_GAP	"merged with a part that was sent before"

/* A time of which the table has no samples. */
struct export_gap {
	int64_t from, to;	/* seconds since 1970, UTC */
	const char *reason;
};

/* The row of table sessions. */
struct export_session_row {
	const struct export_host *host;
	const struct export_interval *interval;
	const struct export_rows *rows;
	size_t nr_rows, nr_thinned;
	uint64_t sent;
	/* gaps of the export before the interval, in addition to the gaps of .interval */
	const struct export_gap *gaps;
	size_t nr_gaps;
};

/* Append the row of table sessions to @ret. Return 0 or -ENOMEM. */
int export_session_row(struct export_bytes *ret, const struct export_session_row *row);

/* Write the name of the interval's file without the suffix to @name. */
void export_interval_name(char name[ITV_NAME_SIZE], const struct itv_entry *entry);

#endif
