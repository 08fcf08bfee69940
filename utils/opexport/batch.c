// SPDX-License-Identifier: GPL-2.0-or-later
/* batch.c -- makes the rows of the tables. */
#include "config.h"
#include "utils/opexport/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libop/base/clean.h"
#include "libop/base/hash.h"
#include "libop/base/search.h"
#include "libop/cpu/type.h"
#include "utils/opexport/thin.h"

#define DAY		86400
#define NS_PER_S	1000000000
/* maximum number of ids in struct export_sent_stacks; if there are more, the older ids are removed,
 * and their stacks are sent again */
#define MAX_KNOWN	500000

void export_interval_name(char name[ITV_NAME_SIZE], const struct itv_entry *entry)
{
	char *suffix;

	strcpy(name, entry->name);
	suffix = strstr(name, ITV_SUFFIX);
	if (suffix)
		*suffix = '\0';
}

static void put_time_row(struct export_bytes *b, const struct export_row *row, uint32_t count,
			 const struct export_host *host, const struct itv_entry *entry)
{
	export_put_time(b, entry->begin);
	export_put_string(b, host->name);
	export_put_string(b, row->service);
	export_put_string(b, row->version);
	export_put_string(b, row->event);
	export_put_u64(b, row->stack);
	export_put_u32(b, count);
}

/* Append the frames of a stack, the program first. */
static int put_stack(struct export_bytes *b, const struct export_rows *rows,
		     const struct export_row *row, int64_t begin)
{
	size_t nr = 0, at;
	uint32_t *path;

	for (uint32_t f = row->frame; f != UINT32_MAX; f = rows->frames[f].parent)
		nr++;
	path = calloc(nr, sizeof(*path));
	if (!path)
		return -ENOMEM;
	at = nr;
	for (uint32_t f = row->frame; f != UINT32_MAX; f = rows->frames[f].parent)
		path[--at] = f;
	export_put_string(b, row->service);
	export_put_u64(b, row->stack);
	export_put_length(b, nr);
	for (at = 0; at < nr; at++)
		export_put_string(b, rows->frames[path[at]].text);
	export_put_u16(b, begin < 0 ? 0 : begin / DAY > UINT16_MAX ? UINT16_MAX :
					  (uint16_t)(begin / DAY));
	free(path);
	return 0;
}

/* Return a hash of the row's key in table stacks: the service and the stack. */
static uint64_t stack_id(const struct export_row *row)
{
	return op_hash_number(op_hash_text(OP_HASH_BEGIN, row->service), row->stack);
}

static bool is_known(const uint64_t *ids, size_t nr, uint64_t id)
{
	const size_t at = op_partition_point(i, nr, ids[i] < id);

	return at < nr && ids[at] == id;
}

static int add_stacks(struct export_batch *b, const struct export_rows *rows,
		      const bool *stays, int64_t begin, const struct export_sent_stacks *known)
{
	const bool same_day = known->nr && known->day == begin / DAY;
	uint64_t *all = calloc(rows->nr + 1, sizeof(*all));
	size_t nr = 0;
	int err = 0;

	if (!all)
		return -ENOMEM;
	b->ids = calloc(rows->nr + 1, sizeof(*b->ids));
	if (!b->ids)
		err = -ENOMEM;
	for (size_t i = 0; i < rows->nr && !err; i++) {
		const uint64_t id = stack_id(&rows->rows[i]);

		/* A stack that occurs with several events is sent for each of them, and the table
		 * merges the duplicates. */
		if (!stays[i] || (same_day && is_known(known->ids, known->nr, id)))
			continue;
		err = put_stack(&b->stacks, rows, &rows->rows[i], begin);
		all[nr++] = id;
		b->nr_stacks++;
	}
	if (nr)
		qsort(all, nr, sizeof(*all), op_compare_u64_items);
	for (size_t i = 0; i < nr && !err; i++)
		if (!i || all[i] != all[i - 1])
			b->ids[b->nr_ids++] = all[i];
	free(all);
	return err;
}

int export_rows_limit(uint64_t *ret, const struct export_rows *rows, size_t max_rows)
{
	uint64_t *counts;

	if (!max_rows || max_rows > EXPORT_MAX_ROWS)
		max_rows = EXPORT_MAX_ROWS;
	*ret = 1;
	if (rows->nr <= max_rows)
		return 0;
	counts = calloc(rows->nr, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++)
		counts[i] = rows->rows[i].count;
	qsort(counts, rows->nr, sizeof(*counts), op_compare_u64_items);
	*ret = export_thin_limit(counts, rows->nr, max_rows);
	free(counts);
	return 0;
}

static uint64_t random_of(const struct export_row *row, const struct export_host *host,
			  const struct itv_entry *entry)
{
	uint64_t hash = op_hash_text(op_hash_text(OP_HASH_BEGIN, host->machine), entry->name);

	hash = op_hash_text(op_hash_text(hash, row->event), row->version);
	return op_hash_number(op_hash_number(hash, stack_id(row)), 1);
}

uint64_t export_row_count(const struct export_row *row, uint64_t limit,
			  const struct export_host *host, const struct itv_entry *entry)
{
	return export_thin(row->count, limit, random_of(row, host, entry));
}

int export_batch_make(struct export_batch *ret, const struct export_rows *rows,
		      const struct export_host *host, const struct itv_entry *entry,
		      size_t max_rows, const struct export_sent_stacks *known,
		      enum export_packing packing)
{
	struct export_batch b = { .sent = 0 };
	bool *stays = calloc(rows->nr + 1, sizeof(*stays));
	uint64_t limit;
	int err = stays ? export_rows_limit(&limit, rows, max_rows) : -ENOMEM;

	if (!err)
		err = export_bytes_pack(&b.samples, packing);
	for (size_t i = 0; i < rows->nr && !err; i++) {
		const struct export_row *row = &rows->rows[i];
		uint64_t left = export_row_count(row, limit, host, entry);

		b.sent += left;
		b.nr_thinned += !left;
		stays[i] = left != 0;
		/* divide a count of more than 32 bits into several rows */
		for (; left; b.nr_samples++) {
			const uint32_t count = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;

			put_time_row(&b.samples, row, count, host, entry);
			left -= count;
		}
	}
	/* one after the other, because each compression needs memory */
	if (!err)
		err = export_bytes_finish(&b.samples);
	if (!err)
		err = export_bytes_pack(&b.stacks, packing);
	if (!err)
		err = add_stacks(&b, rows, stays, entry->begin, known);
	free(stays);
	if (!err)
		err = export_bytes_finish(&b.stacks);
	if (err)
		export_batch_release(&b);
	else
		*ret = b;
	return err;
}

void export_batch_release(struct export_batch *b)
{
	export_bytes_release(&b->samples);
	export_bytes_release(&b->stacks);
	free(b->ids);
	*b = (struct export_batch){ .sent = 0 };
}

void export_batch_note_stacks(struct export_sent_stacks *known, const struct export_batch *batch,
			      int64_t begin)
{
	const bool keeps = known->day == begin / DAY && known->nr + batch->nr_ids <= MAX_KNOWN;
	const size_t nr_old = keeps ? known->nr : 0;
	uint64_t *ids = calloc(nr_old + batch->nr_ids + 1, sizeof(*ids));

	if (!ids)
		return;
	if (nr_old)
		memcpy(ids, known->ids, nr_old * sizeof(*ids));
	if (batch->nr_ids)
		memcpy(ids + nr_old, batch->ids, batch->nr_ids * sizeof(*ids));
	qsort(ids, nr_old + batch->nr_ids, sizeof(*ids), op_compare_u64_items);
	free(known->ids);
	*known = (struct export_sent_stacks){ ids, nr_old + batch->nr_ids, begin / DAY };
}

static void put_clean(struct export_bytes *b, const char *text)
{
	char clean[OP_CLEAN_MAX];

	export_put_string(b, op_clean(clean, sizeof(clean), text));
}

static bool is_loss(const struct op_stat_value *value)
{
	return value->value && value->desc && value->desc->kind == OP_STAT_LOSS;
}

static void put_losses(struct export_bytes *b, const struct op_session_stats *stats)
{
	size_t nr = 0;

	for (size_t i = 0; i < stats->nr; i++)
		nr += is_loss(&stats->values[i]);
	export_put_length(b, nr);
	for (size_t i = 0; i < stats->nr; i++)
		if (is_loss(&stats->values[i]))
			put_clean(b, stats->values[i].name);
	export_put_length(b, nr);
	for (size_t i = 0; i < stats->nr; i++)
		if (is_loss(&stats->values[i]))
			export_put_u64(b, stats->values[i].value);
}

static void put_totals(struct export_bytes *b, const struct export_rows *rows)
{
	export_put_length(b, rows->nr_totals);
	for (size_t i = 0; i < rows->nr_totals; i++)
		export_put_string(b, rows->totals[i].event);
	export_put_length(b, rows->nr_totals);
	for (size_t i = 0; i < rows->nr_totals; i++)
		export_put_string(b, rows->totals[i].service);
	export_put_length(b, rows->nr_totals);
	for (size_t i = 0; i < rows->nr_totals; i++)
		export_put_u64(b, rows->totals[i].count);
}

/* Append the three columns of gaps: first the gaps of the export, then the gaps of the interval. */
static void put_gaps(struct export_bytes *b, const struct export_session_row *row)
{
	const struct itv_accounting *a = &row->interval->accounting;
	const size_t nr = row->nr_gaps + a->nr_gaps;

	export_put_length(b, nr);
	for (size_t i = 0; i < row->nr_gaps; i++)
		export_put_time(b, row->gaps[i].from);
	for (size_t i = 0; i < a->nr_gaps; i++)
		export_put_time(b, a->gaps[i].from_ns / NS_PER_S);
	export_put_length(b, nr);
	for (size_t i = 0; i < row->nr_gaps; i++)
		export_put_time(b, row->gaps[i].to);
	for (size_t i = 0; i < a->nr_gaps; i++)
		export_put_time(b, a->gaps[i].to_ns / NS_PER_S);
	export_put_length(b, nr);
	for (size_t i = 0; i < row->nr_gaps; i++)
		put_clean(b, row->gaps[i].reason);
	for (size_t i = 0; i < a->nr_gaps; i++)
		put_clean(b, a->gaps[i].reason);
}

/* Append the accounting of the interval without the names of its parts. The paths of the daemon's
 * programs are of no use on another host, and may reveal a name of a user. */
static int put_accounting(struct export_bytes *b, const struct itv_accounting *from)
{
	struct itv_accounting a = *from;
	char *text;
	size_t len;
	int err;

	a.nr_parts = 0;
	*a.about.daemon = *a.about.reader = *a.about.packer = '\0';
	a.stats.writer.pid = 0;
	err = itv_accounting_write(&text, &len, &a);
	if (err)
		return err;
	export_put_length(b, len);
	export_put_bytes(b, text, len);
	free(text);
	return b->failed ? -ENOMEM : 0;
}

int export_session_row(struct export_bytes *ret, const struct export_session_row *row)
{
	const struct pp_profile *profile = row->interval->profile;
	const struct op_cpu_desc *cpu = profile ? op_cpu_by_number((int)profile->cpu_type) : NULL;
	const struct itv_accounting *a = &row->interval->accounting;
	const struct itv_entry *entry = &row->interval->entry;
	char name[ITV_NAME_SIZE];

	export_interval_name(name, entry);
	export_put_time(ret, entry->begin);
	export_put_time(ret, entry->end);
	export_put_string(ret, row->host->name);
	export_put_string(ret, row->host->machine);
	export_put_string(ret, name);
	export_put_u64(ret, row->rows->samples);
	export_put_u32(ret, (uint32_t)row->nr_rows);
	export_put_u64(ret, row->sent);
	export_put_u32(ret, (uint32_t)row->nr_thinned);
	export_put_u64(ret, op_session_stats_sum(&a->stats, OP_STAT_TAKEN));
	export_put_u64(ret, op_session_stats_sum(&a->stats, OP_STAT_STORED));
	put_losses(ret, &a->stats);
	put_totals(ret, row->rows);
	put_gaps(ret, row);
	put_clean(ret, a->about.kernel);
	export_put_string(ret, PACKAGE_VERSION);
	export_put_string(ret, cpu ? cpu->name : "");
	export_put_double(ret, profile ? profile->cpu_speed : 0);
	return put_accounting(ret, a);
}
